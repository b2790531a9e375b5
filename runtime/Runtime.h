//===- Runtime.h - The calls compiled code makes ------------------*- C -*-===//
//
// The C ABI between emitted step functions and a back end's runtime library.
// Every buffer is a pointer into the rank's arena.
//
// Work is on streams, which the compiler numbers for each stage. Stream 0 is
// the compute stream: its operations are done when their call returns, and
// calls without a stream are its. An operation on another stream (a call that
// ends in _async) may be done at any later time; the operations of one stream
// begin one after the other, each when the one before is done. Nothing else
// orders streams but events:
//
//   pcc_record(ctx, stream, event)  the event is what the stream was given
//                                   up to here
//   pcc_wait(ctx, stream, event)    what the stream is given from here on
//                                   begins when the event is over
//
// "Up to here" is meant in program order, the order in which the rank's calls
// are made: a wait means the last record of its event ahead of it, and one
// without any is an error. On the compute stream a wait returns when the event
// is over, and what is recorded there is over at once. So that a receive is
// posted ahead, its call comes ahead. The buffers of an operation, the reader's
// as well as the writer's, belong to it until an event behind it was waited
// for.
//
// An entry begins on every stream behind all that the compute stream was given
// before, by entries and the runtime.
//
// Collectives of one communicator begin in program order whatever streams they
// are on, and all ranks issue them in the same order; so do the messages of a
// channel. An operation is done in order to be waited for: at the end of an
// entry some may be under way, and the next one may wait for their events.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_RUNTIME_H
#define PCC_RUNTIME_RUNTIME_H

#include "runtime/Program.h"

// Names as in C. NOLINTBEGIN(readability-identifier-naming)

#ifdef __cplusplus
extern "C" {
#endif

/// Code of a kernel for CPUs: does the units [begin, end) of its work. args are
/// the buffers in the order of its signature.
typedef void (*pcc_units)(void *const *args, int64_t begin, int64_t end);

/// A generated kernel.
typedef struct {
  const char *name;         ///< for traces and messages
  const char *node;         ///< of the model, that a message names; or ""
  int32_t n_args;           ///< the number of its buffers
  const int64_t *arg_bytes; ///< [n_args] how long they are
  /// For CPUs, else null: the code, the number of units of its work, which may
  /// be done in any order, and the least number that is worth a thread.
  pcc_units run;
  int64_t units, grain;
  /// For devices, which know the code by the name: blocks, threads of a block
  /// and bytes of its shared memory.
  int32_t grid, block, shared;
} pcc_kernel;

/// Runs a kernel on buffers.
void pcc_launch(pcc_context *ctx, const pcc_kernel *kernel, void *const *args);

/// C = alpha * op(A) * op(B) + beta * C, row major, for each of
/// batch0 x batch1 independent products; strides in elements. Products of
/// 16-bit operands are added in f32, and the result is rounded once.
typedef struct {
  /// The pcc_dtype of each matrix: all f32, f64, bf16 or f16, or A and B bf16
  /// or f16 and C f32. Others end the program.
  int32_t a_dtype, b_dtype, c_dtype;
  int32_t trans_a, trans_b; ///< 1: the stored matrix is [k, m] / [n, k]
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int64_t batch0, batch1;
  int64_t a0, a1, b0, b1, c0, c1; ///< strides of the two batch dims
  float alpha, beta;
  /// A node of the model that has it computed, for messages; or "".
  const char *node;
} pcc_gemm_desc;

/// Computes what `desc` says on the matrices at a, b and c, none of which
/// overlap.
void pcc_gemm(pcc_context *ctx, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c);

/// What a device's product makes of S = alpha * op(A) * op(B) + beta * C before
/// it is rounded, with a vector and a matrix of C's shape, rows one behind the
/// other.
enum pcc_epilogue {
  PCC_NO_EPILOGUE = 0, ///< C = S
  /// C = S + vector in each row.
  PCC_BIAS = 1,
  /// C = gelu (tanh) of S + vector in each row; matrix, what that is taken of.
  /// Either may be missing.
  PCC_GELU = 2,
  /// C = S times the derivative of gelu (tanh) at matrix, which is read.
  PCC_GELU_GRAD = 3,
  /// C = S; vector, for each row of C the sum of that row of op(A).
  PCC_SUM_A = 4,
  /// C = S; vector, for each column of C the sum of that column of op(B).
  PCC_SUM_B = 5
};

/// A product, perhaps with an epilogue: of one product alone, whose beta is 0
/// where gelu or its gradient is made. Vector and matrix have C's type, sums
/// f32.
typedef struct {
  pcc_gemm_desc product; ///< without what it ends with
  int32_t epilogue;      ///< a pcc_epilogue
} pcc_fused_desc;

/// Computes what `desc` says; for devices. Null: there is no vector, no matrix.
/// `added`, unless null, is in S instead of C, lies as C does and does not
/// overlap it; nor does anything else that is written overlap what is read.
void pcc_gemm_fused(pcc_context *ctx, const pcc_fused_desc *desc, const void *a,
                    const void *b, void *c, void *vector, void *matrix,
                    const void *added);

/// Attention as `desc`, one of its stage's, says; devices alone have it. stats,
/// f32 of [batch, heads, queries], are the log of the sum of exp of each row's
/// scores.
void pcc_attention(pcc_context *ctx, const pcc_attention_desc *desc,
                   const void *q, const void *k, const void *v, void *o,
                   float *stats);
/// The cotangents dq, dk and dv from d_o, that of o, and from what
/// pcc_attention took and gave. The same bits every time.
void pcc_attention_grad(pcc_context *ctx, const pcc_attention_desc *desc,
                        const void *d_o, const void *q, const void *k,
                        const void *v, const void *o, const float *stats,
                        void *dq, void *dk, void *dv, void *workspace);

/// Says which node of the model has what is issued from here on, where a call
/// does not say so itself; "" if none has. For messages; it lives as long as
/// the program.
void pcc_set_node(pcc_context *ctx, const char *node);

/// Copies memory of the arena; the two pieces do not overlap.
void pcc_copy(pcc_context *ctx, void *to, const void *from, int64_t bytes);
/// Fills memory of the arena with zero bytes.
void pcc_zero(pcc_context *ctx, void *to, int64_t bytes);
/// Says that nobody reads what is there now: an emulated device, which alone is
/// told so, puts signalling NaNs there.
void pcc_forget(pcc_context *ctx, void *buffer, int64_t bytes);

/// How a collective combines the ranks' elements.
enum pcc_reduction { PCC_SUM = 0, PCC_MAX = 1 };

/// The number of the compute stream; others count up from it.
enum { PCC_COMPUTE_STREAM = 0 };

/// Has `event`, a number from 0, stand for what `stream` was given so far.
void pcc_record(pcc_context *ctx, int32_t stream, int32_t event);
/// Has what `stream` is given from here on begin after what the last record of
/// `event` stands for.
void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event);

/// comm indexes pcc_program.comms.
void pcc_all_reduce(pcc_context *ctx, int32_t comm, int32_t dtype,
                    int32_t reduction, void *buffer, int64_t count);
/// out = the ranks' `in` one after the other; count: elements of in, which may
/// lie where they will: in this rank's part of out.
void pcc_all_gather(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count);
/// in: one block of `count` elements for each rank; out: the sum of the ranks'
/// blocks for this one, added to what is there if `adds` is not 0.
void pcc_reduce_scatter(pcc_context *ctx, int32_t comm, int32_t dtype,
                        const void *in, void *out, int64_t count, int32_t adds);
/// in, out: one block of `count` elements for, from each rank.
void pcc_all_to_all(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count);

/// Sends to the rank that has this rank's coordinates in another stage.
void pcc_send(pcc_context *ctx, int32_t stage, int32_t channel,
              const void *buffer, int64_t bytes);
/// The counterpart of pcc_send: returns when the other stage's bytes of the
/// same channel are in `buffer`.
void pcc_recv(pcc_context *ctx, int32_t stage, int32_t channel, void *buffer,
              int64_t bytes);
/// A send and a receive that may be each other's counterpart.
void pcc_exchange(pcc_context *ctx, int32_t to_stage, int32_t send_channel,
                  const void *send, int64_t send_bytes, int32_t from_stage,
                  int32_t recv_channel, void *recv, int64_t recv_bytes);

/// Has the host fill number `input` of pcc_stage.inputs, `bytes` bytes, for a
/// microbatch; one that a step does not have may be named, and fills nothing.
void pcc_fill(pcc_context *ctx, int32_t input, int64_t microbatch, void *to,
              int64_t bytes);

/// pcc_launch on a stream.
void pcc_launch_async(pcc_context *ctx, int32_t stream,
                      const pcc_kernel *kernel, void *const *args);
/// pcc_all_reduce on a stream.
void pcc_all_reduce_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, int32_t reduction, void *buffer,
                          int64_t count);
/// pcc_all_gather on a stream.
void pcc_all_gather_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count);
/// pcc_reduce_scatter on a stream.
void pcc_reduce_scatter_async(pcc_context *ctx, int32_t stream, int32_t comm,
                              int32_t dtype, const void *in, void *out,
                              int64_t count, int32_t adds);
/// pcc_all_to_all on a stream.
void pcc_all_to_all_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count);
/// pcc_send on a stream.
void pcc_send_async(pcc_context *ctx, int32_t stream, int32_t stage,
                    int32_t channel, const void *buffer, int64_t bytes);
/// pcc_recv on a stream.
void pcc_recv_async(pcc_context *ctx, int32_t stream, int32_t stage,
                    int32_t channel, void *buffer, int64_t bytes);

/// pcc_fill on a stream, which has nothing else to do.
void pcc_fill_async(pcc_context *ctx, int32_t stream, int32_t input,
                    int64_t microbatch, void *to, int64_t bytes);

/// Begins what a device may be given as one graph, number `graph` of the stage:
/// its operations are those that the program issues up to pcc_graph_end, of a
/// loop those of some turns, from `turn` on. Where it is 0, they were launched
/// already, as in a call before: the program goes on behind the end. What they
/// are given, but for the turn, is the same in each call. A message calls it
/// `name`.
int32_t pcc_graph_begin(pcc_context *ctx, int32_t graph, int64_t turn,
                        const char *name);
/// Ends it.
void pcc_graph_end(pcc_context *ctx, int32_t graph);

/// Where kernels find pcc_program.constants[number], one int64_t, from the
/// start to the end.
const void *pcc_constant_at(pcc_context *ctx, int32_t number);

/// This rank's index within the communicator.
int64_t pcc_comm_index(pcc_context *ctx, int32_t comm);

#ifdef __cplusplus
} // extern "C"
#endif

// NOLINTEND(readability-identifier-naming)

#endif // PCC_RUNTIME_RUNTIME_H
