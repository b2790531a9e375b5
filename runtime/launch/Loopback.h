//===- Loopback.h - Has Open MPI listen on the loopback alone ---*- C++ -*-===//
//
// mpirun waits for daemons of other hosts on all interfaces, and no setting of
// its own changes that. Ranks of one host have no such daemons. So each bind()
// of the job waits, through a seccomp filter, until the parent process has
// looked at the address.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_LOOPBACK_H
#define PCC_RUNTIME_LAUNCH_LOOPBACK_H

namespace pcc {

/// Has each bind() of the processes that are started from here on, and of this
/// one, wait for serveBinds(). Returns what to wait at; -1 with errno set where
/// the kernel cannot do so (before Linux 5.5, or without seccomp).
int holdBinds();

/// When that is readable: lets one bind() go on, on the loopback if it was to
/// be on all interfaces.
void serveBinds(int listener);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_LOOPBACK_H
