//===- Communication.h - What a program has NCCL do -------------*- C++ -*-===//
//
// NCCL allocates buffers for each connection: a channel to and from one peer
// takes 12 MiB. How many channels a communicator needs follows from what it is
// used for, so the compiler chooses, and counts the bytes:
//
//   use of the communicator           channels
//   gradients, parameters, layers     32
//   all_to_all                        16 to each peer
//   transfers between stages           8
//   scalars, such as the norm          1
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

/// A transfer from one stage to another.
struct StageTransfer {
  /// Indices of stages.
  int32_t from, to;
  /// As of rt.send: transfers of one channel keep their order.
  int32_t channel;
  /// Whether it is overlapped with compute, on a stream of its own.
  bool isOverlapped;
  bool operator<(const StageTransfer &other) const {
    return std::tie(from, to, channel, isOverlapped) <
           std::tie(other.from, other.to, other.channel, other.isOverlapped);
  }
};

/// What an op has NCCL do; none for ops that are no collective or, as an
/// all_to_all, consist of sends.
std::optional<pcc_collective> describeCollective(mlir::Operation *op,
                                                 rt::ProgramOp program);

/// The collectives and transfers of a program in rt.
class Communication {
public:
  /// Reads a module in rt.
  explicit Communication(mlir::ModuleOp module);

  /// The collectives of a stage among several ranks, each size once, in a fixed
  /// order.
  llvm::ArrayRef<pcc_collective> collectivesOf(rt::StageOp stage) const {
    return collectives.at(stage.getIndex());
  }
  /// All transfers between stages, in ascending order.
  const std::set<StageTransfer> &getTransfers() const { return transfers; }
  /// Whether the ranks of a communicator send each other blocks.
  bool exchanges(size_t comm) const { return uses[comm].exchanges; }
  /// The most channels of a communicator.
  int32_t channelsOf(size_t comm) const;
  /// At most the bytes of device memory that NCCL allocates on a rank of a
  /// stage, where all ranks are on one host. Between hosts a rank that has a
  /// network connection may need more.
  int64_t bytesOn(rt::StageOp stage) const;

private:
  /// What all stages use a communicator for.
  struct Use {
    int64_t ranks = 1;
    int64_t greatest = 0; ///< elements of a collective
    bool exchanges = false;
  };
  void collect(rt::StageOp stage, rt::ProgramOp program);
  void addCollectives(rt::StageOp stage, rt::ProgramOp program);

  std::vector<Use> uses;
  /// By the index of a stage.
  std::map<int64_t, std::vector<pcc_collective>> collectives;
  std::set<StageTransfer> transfers;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_EMIT_COMMUNICATION_H
