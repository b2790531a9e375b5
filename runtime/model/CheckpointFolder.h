//===- CheckpointFolder.h - Finds checkpoints -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_CHECKPOINTFOLDER_H
#define PCC_RUNTIME_MODEL_CHECKPOINTFOLDER_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// The names of complete checkpoints in the folder of --save, oldest first.
std::vector<std::string> checkpointsIn(const std::string &dir);

/// Returns the checkpoint folder that --resume `dir` selects: `dir` itself if
/// it is one, else the one that dir/latest names, else the newest in `dir`.
std::string findCheckpoint(const std::string &dir);

/// Returns the step in a checkpoint folder's name; -1 for another name.
int64_t stepOfFolder(const std::string &folder);

/// Returns the note for a damaged checkpoint: how to continue from the next
/// older one in the same folder.
std::string olderNote(const std::string &folder);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_CHECKPOINTFOLDER_H
