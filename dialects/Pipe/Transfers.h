//===- Transfers.h - Transfers between stages, by halves --------*- C++ -*-===//

#ifndef PCC_DIALECTS_PIPE_TRANSFERS_H
#define PCC_DIALECTS_PIPE_TRANSFERS_H

#include "dialects/Pipe/Pipe.h"

namespace pcc::pipe {

/// What one stage does of a transfer.
struct Half {
  /// Whether the stage sends; else it receives.
  bool isSend;
  /// The symbol of the `pipe.value` that is transferred.
  llvm::StringRef value;
  /// Which microbatch's instance of it.
  int64_t microbatch;
  /// The stage that does the other half.
  int64_t peer;
  /// Of all transfers from one stage to another those of one channel are
  /// matched in order, the first send with the first recv.
  int64_t channel;

  /// Whether `other`, which stage `stage` posts, is the other half.
  bool isCounterpart(const Half &other, int64_t stage) const {
    return other.isSend != isSend && other.peer == stage &&
           other.channel == channel;
  }
};

/// The halves that an op of a schedule posts: one of a send or recv, both of
/// an exchange, the send first; none of other ops. `variable`: where the loop
/// around it is, if one is.
llvm::SmallVector<Half, 2> halvesOf(mlir::Operation *op, int64_t variable = 0);

} // namespace pcc::pipe

#endif // PCC_DIALECTS_PIPE_TRANSFERS_H
