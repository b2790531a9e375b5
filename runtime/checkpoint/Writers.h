//===- Writers.h - Which ranks can write a checkpoint -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_CHECKPOINT_WRITERS_H
#define PCC_RUNTIME_CHECKPOINT_WRITERS_H

#include <string>
#include <vector>

namespace pcc {

/// Returns for each rank whether it sees the folder that rank 0 created; rank 0
/// always does. A folder of the same name on another host's local disk is a
/// different one. All ranks call it and get the same result. On rank 0 `error`
/// is set if the test file cannot be written.
std::vector<bool> findWriters(const std::string &folder, std::string &error);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_WRITERS_H
