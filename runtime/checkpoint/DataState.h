//===- DataState.h - The data cursor of a checkpoint ------------*- C++ -*-===//
//
// The field "data" of trainer_state.json:
//
//   "data": {
//     "since_step": 0,            the step after which the blend began
//     "sources": [
//       {"path": "a.bin",         an entry of --data
//        "digest": "...",         see Dataset::digest()
//        "samples": 549,
//        "number": 0,             selects the source's permutations
//        "weight": 3,             0: of an earlier blend
//        "start": 0,              samples taken before since_step
//        "taken": 480},           and since then
//       ...
//     ]
//   }
//
// A run without --data-weights has one source: all of --data.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_DATASTATE_H
#define PCC_RUNTIME_CHECKPOINT_DATASTATE_H

#include "runtime/data/DataPosition.h"

#include <nlohmann/json.hpp>

namespace pcc {

/// Returns the field "data".
nlohmann::ordered_json dataState(const DataPosition &position);

/// Reads the position from the fields of trainer_state.json, whose "step",
/// "global_batch" and "sequence" are integers. Earlier versions did not write
/// "data"; then `path`, the run's --data, is the only source. Returns false if
/// the fields are invalid.
bool readDataState(const nlohmann::ordered_json &state, const std::string &path,
                   int64_t step, DataPosition &position);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_DATASTATE_H
