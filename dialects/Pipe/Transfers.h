//===- Transfers.h - The two halves of a transfer ---------------*- C++ -*-===//

#ifndef PCC_DIALECTS_PIPE_TRANSFERS_H
#define PCC_DIALECTS_PIPE_TRANSFERS_H

#include "dialects/Pipe/Pipe.h"

namespace pcc::pipe {

/// One stage's half of a transfer: the send or the receive.
struct Half {
  /// Whether this is the send.
  bool isSend;
  /// The symbol of the `pipe.value` that is transferred.
  llvm::StringRef value;
  /// The microbatch of the transferred instance.
  int64_t microbatch;
  /// The stage of the other half.
  int64_t peer;
  /// Transfers from one stage to another match in order within a channel: the
  /// n-th send with the n-th receive.
  int64_t channel;

  /// Whether `other`, posted by stage `peer`, can match this half, posted by
  /// stage `stage`.
  bool isCounterpart(const Half &other, int64_t stage) const {
    return other.isSend != isSend && other.peer == stage &&
           other.channel == channel;
  }
};

/// The halves that an op of a schedule posts: one for a send or receive, two
/// for an exchange (the send first), none for other ops. `variable` is the
/// value of the enclosing loop's variable, if there is a loop.
llvm::SmallVector<Half, 2> halvesOf(mlir::Operation *op, int64_t variable = 0);

} // namespace pcc::pipe

#endif // PCC_DIALECTS_PIPE_TRANSFERS_H
