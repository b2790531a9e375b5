//===- Traffic.h - Communication of a step ----------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_TRAFFIC_H
#define PCC_TOOLS_PCC_TRAFFIC_H

#include "dialects/RT/RT.h"
#include <map>

namespace pcc {

/// Collectives or transfers of one kind, on one stream, of one rank in one
/// step, counted like in the report of a run.
struct Traffic {
  int64_t count = 0; ///< collectives or transfers
  /// Of an all_reduce or a transfer, the bytes of the buffers; of another
  /// collective, those of one rank's block.
  int64_t bytes = 0;
  int64_t sent = 0; ///< bytes that the rank sends, with ring algorithms
};

/// The stream and the kind: {0, "all_reduce over dp cp"}, {2, "send over pp"}.
using TrafficKey = std::pair<int64_t, std::string>;
using TrafficTable = std::map<TrafficKey, Traffic>;

/// Returns the communication of a rank of a stage in a step, in @train and the
/// functions that it calls. Collectives of a single rank do not count.
TrafficTable trafficOf(rt::StageOp stage);

} // namespace pcc

#endif // PCC_TOOLS_PCC_TRAFFIC_H
