//===- Handover.h - Ranks that write to their parent's streams --*- C++ -*-===//
//
// mpirun would forward the output of its ranks. That mixes the order of stdout
// and stderr, and fails once the reader is gone. So the parent of a
// self-started job passes its own two streams to each rank.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_HANDOVER_H
#define PCC_RUNTIME_LAUNCH_HANDOVER_H

#include <string>

namespace pcc {

/// For the parent: creates a socket in the job's folder where ranks request its
/// stdout and stderr. Returns -1 with errno set on failure.
int offerStreams(const std::string &folder);
/// For the parent, when that socket is readable: serves the ranks that
/// connected.
void serveStreams(int socket);

/// For a rank: redirects its output to the parent's streams. Exits with
/// ExitCommunication on failure.
void takeStreams(const std::string &folder);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_HANDOVER_H
