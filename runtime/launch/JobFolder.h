//===- JobFolder.h - Shared memory of ranks started here --------*- C++ -*-===//
//
// Everything that the ranks of one self-started job share on their host lies
// in a folder of the job's own: runs that start or end at the same moment, and
// leftovers of killed ones, cannot get into each other's way.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_JOBFOLDER_H
#define PCC_RUNTIME_LAUNCH_JOBFOLDER_H

#include <cstdint>
#include <string>

namespace pcc {

/// Makes the folder, in memory where the host allows it, and removes those of
/// this user's jobs that were killed. Exits with ExitWorld if none can be
/// made, or none that holds `bytes`.
std::string createJobFolder(int64_t bytes);

/// Deletes the folder and all in it.
void removeJobFolder(const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_JOBFOLDER_H
