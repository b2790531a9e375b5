//===- JobFolder.h - The shared files of a self-started job -----*- C++ -*-===//
//
// All files that the ranks of a self-started job share are in a folder of that
// job. So jobs that start or end at the same moment, and leftovers of killed
// jobs, cannot interfere.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_JOBFOLDER_H
#define PCC_RUNTIME_LAUNCH_JOBFOLDER_H

#include <cstdint>
#include <string>

namespace pcc {

/// Creates the folder, in memory if the host allows it, and removes folders of
/// this user's jobs that were killed. Exits with ExitWorld if no folder can be
/// created, or none that has room for `bytes`.
std::string createJobFolder(int64_t bytes);

/// Deletes the folder and its contents.
void removeJobFolder(const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_JOBFOLDER_H
