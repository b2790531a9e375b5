//===- Writers.h - Which ranks can write a checkpoint -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_CHECKPOINT_WRITERS_H
#define PCC_RUNTIME_CHECKPOINT_WRITERS_H

#include <string>
#include <vector>

namespace pcc {

/// By rank, whether it sees the folder that rank 0 has made; rank 0 does. A
/// folder of the same name on another host's own disk is another one. All ranks
/// call it, and get the same. `error` says on rank 0 what went wrong, if
/// anything did.
std::vector<bool> findWriters(const std::string &folder, std::string &error);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_WRITERS_H
