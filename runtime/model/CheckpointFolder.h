//===- CheckpointFolder.h - Finds checkpoints -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_CHECKPOINTFOLDER_H
#define PCC_RUNTIME_MODEL_CHECKPOINTFOLDER_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// The names of complete checkpoints in the folder of --save, oldest first.
std::vector<std::string> checkpointsIn(const std::string &dir);

/// The checkpoint folder that --resume `dir` means.
std::string findCheckpoint(const std::string &dir);

/// The step in a checkpoint folder's name; -1: it has another name.
int64_t stepOfFolder(const std::string &folder);

/// What a user can do whose checkpoint is damaged: go on from the next older
/// one.
std::string olderNote(const std::string &folder);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_CHECKPOINTFOLDER_H
