//===- Fill.cpp - Inputs that the host fills during a step ----------------===//
//
// A thread fills pinned memory, two alternating buffers per input, once a fill
// is issued. The stream copies a buffer when it is filled. Host functions that
// the device calls synchronize the two. They count by themselves, as a graph
// contains the same ones in each launch:
//
//   thread:  fill piece 0    fill piece 1      fill piece 0 again
//                  |               |                  ^
//   stream:  is filled? copy, free | is filled? copy, free
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Graphs.h"
#include "runtime/host/Filling.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"

#include <condition_variable>
#include <deque>
#include <mutex>

using namespace pcc;
using namespace pcc::cuda;

namespace {
/// Pinned memory for an input.
struct Piece {
  char *memory = nullptr;
  uint64_t used = 0; ///< number of uses, by the main thread
  // Guarded by the mutex: the number of completed uses, and for each later use
  // the number of fills issued up to it.
  uint64_t copied = 0;
  std::deque<uint64_t> due;
};

struct Input {
  Piece pieces[2];
  int next = 0;
  int64_t bytes = 0;
};

struct Fills {
  std::vector<Input> inputs;
  std::mutex mutex;
  std::condition_variable changed;
};
} // namespace

/// Never freed: the driver's threads may still use it.
static Fills &fills() {
  static auto &fills = *new Fills;
  return fills;
}

void cuda::makeFills(const pcc_program &, const pcc_stage &stage) {
  fills().inputs.resize(stage.n_inputs);
  for (int i = 0; i < stage.n_inputs; ++i) {
    const pcc_input &input = stage.inputs[i];
    if (!input.refilled)
      continue;
    int64_t elements = 1;
    for (int dim = 0; dim < input.layout.rank; ++dim)
      elements *= input.layout.shape[dim];
    Input &made = fills().inputs[i];
    made.bytes = elements * sizeOf(input.dtype);
    for (Piece &piece : made.pieces)
      piece.memory = allocatePinned(made.bytes);
  }
}

/// Called by the device before a copy, which was issued after its fill.
static void CUDA_CB waitUntilFilled(void *given) {
  uint64_t count;
  {
    std::lock_guard<std::mutex> lock(fills().mutex);
    std::deque<uint64_t> &due = static_cast<Piece *>(given)->due;
    if (due.empty())
      fail(ExitInternal, "the device copies an input that nothing fills");
    count = due.front();
    due.pop_front();
  }
  filling::wait(count);
}

/// Called by the device after a copy.
static void CUDA_CB noteCopied(void *piece) {
  {
    std::lock_guard<std::mutex> lock(fills().mutex);
    ++static_cast<Piece *>(piece)->copied;
  }
  advanceDevice();
  fills().changed.notify_all();
}

/// Blocks until the first `use` uses of a piece have been copied.
static void waitUntilFree(const Piece &piece, uint64_t use) {
  std::unique_lock<std::mutex> lock(fills().mutex);
  fills().changed.wait(lock, [&] { return piece.copied >= use; });
}

/// Requests the fill of a piece as soon as it is free.
static void issueFill(int32_t input, int64_t microbatch, Piece &piece) {
  uint64_t use = piece.used++;
  uint64_t count = filling::issue(input, microbatch, piece.memory,
                                  [&piece, use] { waitUntilFree(piece, use); });
  std::lock_guard<std::mutex> lock(fills().mutex);
  piece.due.push_back(count);
}

void pcc_fill_async(pcc_context *ctx, int32_t stream, int32_t input,
                    int64_t microbatch, void *to, int64_t bytes) {
  if (input < 0 || static_cast<size_t>(input) >= fills().inputs.size() ||
      bytes > fills().inputs[input].bytes)
    fail(ExitInternal, format("the program fills an input %d of %lld bytes",
                              input, static_cast<long long>(bytes)));
  Input &filled = fills().inputs[input];
  Piece &piece = filled.pieces[filled.next];
  filled.next = 1 - filled.next;
  CUstream on = streamOf(ctx, stream);
  if (Graphs *graphs = stateOf(ctx).graphs; graphs && graphs->isRecording())
    graphs->atLaunch([input, microbatch, &piece](int64_t past) {
      issueFill(input, microbatch + past, piece);
    });
  else
    issueFill(input, microbatch, piece);
  check(driver().cuLaunchHostFunc(on, waitUntilFilled, &piece),
        "the fill of an input");
  check(driver().cuMemcpyHtoDAsync(at(to), piece.memory, bytes, on),
        "the fill of an input");
  check(driver().cuLaunchHostFunc(on, noteCopied, &piece),
        "the fill of an input");
}

void pcc_fill(pcc_context *ctx, int32_t input, int64_t microbatch, void *to,
              int64_t bytes) {
  pcc_fill_async(ctx, PCC_COMPUTE_STREAM, input, microbatch, to, bytes);
}
