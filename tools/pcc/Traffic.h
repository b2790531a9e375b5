//===- Traffic.h - What a program sends in a step ---------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_TRAFFIC_H
#define PCC_TOOLS_PCC_TRAFFIC_H

#include "dialects/RT/RT.h"
#include <map>

namespace pcc {

/// Messages of one kind, on one stream, of one rank in one step; as a run's own
/// report counts them.
struct Traffic {
  int64_t count = 0; ///< of messages
  int64_t bytes = 0; ///< of the buffers
  int64_t sent = 0;  ///< bytes that the rank sends, counting a ring
};

/// Stream and kind: {0, "all_reduce over dp cp"}, {2, "send over pp"}.
using TrafficKey = std::pair<int64_t, std::string>;
using TrafficTable = std::map<TrafficKey, Traffic>;

/// What a rank of a stage sends and receives in a step: the messages of @train
/// and of all it calls. Those among one rank are none.
TrafficTable trafficOf(rt::StageOp stage);

} // namespace pcc

#endif // PCC_TOOLS_PCC_TRAFFIC_H
