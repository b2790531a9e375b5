//===- Communication.h - Collectives and transfers of a program -*- C++ -*-===//
//
// NCCL allocates buffers per connection: a channel to and from one peer takes
// 12 MiB. The number of channels that a communicator needs depends on its use,
// so the compiler chooses it and accounts for the bytes:
//
//   use of the communicator                    channels
//   gradient buckets, parameters, activations  32
//   all_to_all                                 16 to each peer
//   transfers between stages                   8
//   scalars, such as the gradient norm         1
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_EMIT_COMMUNICATION_H
#define PCC_PASSES_CODEGEN_EMIT_COMMUNICATION_H

#include "dialects/RT/RT.h"
#include "runtime/Program.h"
#include <map>
#include <set>
#include <vector>

namespace pcc::codegen {

/// A point-to-point channel from one stage to another.
struct StageTransfer {
  int32_t from, to;
  /// As of rt.send: transfers on one channel stay in order.
  int32_t channel;
  /// Whether its transfers are overlapped with compute, on a stream of their
  /// own.
  bool isOverlapped;
  bool operator<(const StageTransfer &other) const {
    return std::tie(from, to, channel, isOverlapped) <
           std::tie(other.from, other.to, other.channel, other.isOverlapped);
  }
};

/// The NCCL collective of an op. None for other ops, and for an all_to_all,
/// which consists of sends and receives.
std::optional<pcc_collective> describeCollective(mlir::Operation *op,
                                                 rt::ProgramOp program);

/// The collectives and transfers of a program in the rt dialect.
class Communication {
public:
  /// Collects them from a module in the rt dialect.
  explicit Communication(mlir::ModuleOp module);

  /// A stage's collectives over more than one rank except all_to_alls, sorted
  /// and without duplicates.
  llvm::ArrayRef<pcc_collective> collectivesOf(rt::StageOp stage) const {
    return collectives.at(stage.getIndex());
  }
  const std::set<StageTransfer> &getTransfers() const { return transfers; }
  /// Whether a communicator is used for an all_to_all.
  bool exchanges(size_t comm) const { return uses[comm].exchanges; }
  /// The most channels that a communicator may use.
  int32_t channelsOf(size_t comm) const;
  /// An upper bound of the device memory that NCCL allocates on a rank of a
  /// stage, in bytes, if all ranks are on one host. Between hosts, a rank with
  /// a network connection may need more.
  int64_t bytesOn(rt::StageOp stage) const;

private:
  /// The use of one communicator by all stages.
  struct Use {
    int64_t ranks = 1;
    int64_t greatest = 0; ///< the largest collective, in elements
    bool exchanges = false;
  };
  void collect(rt::StageOp stage, rt::ProgramOp program);
  void addCollectives(rt::StageOp stage, rt::ProgramOp program);

  std::vector<Use> uses;
  /// By stage index.
  std::map<int64_t, std::vector<pcc_collective>> collectives;
  std::set<StageTransfer> transfers;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_EMIT_COMMUNICATION_H
