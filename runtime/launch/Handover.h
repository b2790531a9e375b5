//===- Handover.h - Ranks that write where their parent does ----*- C++ -*-===//
//
// mpirun would read what its ranks print and write it on: it mixes the order
// of stdout and stderr, and gives up when nobody reads them any more. So the
// parent of a self-started job hands its own two streams to each rank.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_HANDOVER_H
#define PCC_RUNTIME_LAUNCH_HANDOVER_H

#include <string>

namespace pcc {

/// For the parent: a socket in the job's folder where ranks ask for its stdout
/// and stderr. Returns -1 with errno set if it cannot be made.
int offerStreams(const std::string &folder);
/// For the parent, when that socket is readable: serves those who asked.
void serveStreams(int socket);

/// For a rank: writes where its parent does from here on. Exits with
/// ExitCommunication if that cannot be.
void takeStreams(const std::string &folder);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_HANDOVER_H
