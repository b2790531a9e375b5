//===- Loopback.h - Restricts Open MPI to the loopback ----------*- C++ -*-===//
//
// mpirun listens on all interfaces for daemons of other hosts, and no setting
// of its own changes that. Ranks of one host have no such daemons. So a seccomp
// filter suspends each bind() of the job until the parent process has inspected
// the address.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_LOOPBACK_H
#define PCC_RUNTIME_LAUNCH_LOOPBACK_H

namespace pcc {

/// Suspends each bind() of this process, and of processes started from now on,
/// until serveBinds(), which needs Linux 5.5. Returns a descriptor to poll; -1
/// with errno set if the kernel does not support it (before Linux 5.0, or
/// without seccomp).
int holdBinds();

/// When that descriptor is readable: resumes one bind(), on the loopback if its
/// address was that of all interfaces.
void serveBinds(int listener);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_LOOPBACK_H
