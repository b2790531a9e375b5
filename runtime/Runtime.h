//===- Runtime.h - The functions that compiled code calls ---------*- C -*-===//
//
// The C ABI between emitted step functions and a back end's runtime library.
// Every buffer is a pointer into the rank's arena.
//
// Operations are issued on streams, which the compiler numbers for each stage.
// Stream 0 is the compute stream; calls without a stream are issued on it. On a
// CPU its operations are complete when their call returns, on a device they are
// queued. An operation on another stream (a call that ends in _async) may
// complete at any later time. The operations of one stream run in order, each
// after the one before is complete. Only events order different streams:
//
//   pcc_record(ctx, stream, event)  the event stands for all work issued on
//                                   the stream so far
//   pcc_wait(ctx, stream, event)    work issued on the stream from now on
//                                   begins after the event is complete
//
// "So far" refers to program order, the order of the rank's calls. A wait
// refers to the last record of its event before it, and a wait without a record
// is an error. On a CPU's compute stream a wait returns when the event is
// complete, and an event recorded there is complete at once. A receive is
// posted early if its call comes early. The buffers that an operation reads or
// writes belong to it until an event recorded after it has been waited for.
//
// Every stream of an entry begins after all work that entries and the runtime
// issued to the compute stream before.
//
// Collectives of one communicator begin in program order, across all streams,
// and all ranks issue them in the same order. The same holds for the
// transfers of a channel. An operation counts as complete only once it has been
// waited for: at the end of an entry some may still run, and the next entry may
// wait for their events.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_RUNTIME_H
#define PCC_RUNTIME_RUNTIME_H

#include "runtime/Program.h"

// Names as in C. NOLINTBEGIN(readability-identifier-naming)

#ifdef __cplusplus
extern "C" {
#endif

/// The code of a kernel for CPUs: computes the work items [begin, end). args
/// are the buffers in the order of its signature.
typedef void (*pcc_work_items)(void *const *args, int64_t begin, int64_t end);

/// A generated kernel.
typedef struct {
  const char *name;         ///< for traces and messages
  const char *node;         ///< the model's node, for messages; or ""
  int32_t n_args;           ///< the number of its buffers
  const int64_t *arg_bytes; ///< [n_args] their sizes
  /// For CPUs, else null: the code, the number of work items, which may run in
  /// any order, and the minimum number that is worth a thread.
  pcc_work_items run;
  int64_t units, grain;
  /// For devices, which find the code by the name: blocks, threads per block
  /// and bytes of shared memory per block.
  int32_t grid, block, shared;
} pcc_kernel;

/// Runs a kernel on buffers.
void pcc_launch(pcc_context *ctx, const pcc_kernel *kernel, void *const *args);

/// C = alpha * op(A) * op(B) + beta * C, row major, for each of batch0 x batch1
/// independent GEMMs; strides in elements. GEMMs of bf16 or f16 operands
/// accumulate in f32 and round the result once.
typedef struct {
  /// The pcc_dtype of each matrix: all f32, f64, bf16 or f16; or A and B bf16
  /// or f16 and C f32. Other combinations end the program.
  int32_t a_dtype, b_dtype, c_dtype;
  int32_t trans_a, trans_b; ///< 1: the stored matrix is [k, m] / [n, k]
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int64_t batch0, batch1;
  int64_t a0, a1, b0, b1, c0, c1; ///< strides of the two batch dims
  float alpha, beta;
  /// A node of the model that it computes, for messages; or "".
  const char *node;
} pcc_gemm_desc;

/// Computes `desc` on the matrices at a, b and c; C overlaps neither A nor B.
void pcc_gemm(pcc_context *ctx, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c);

/// The forms of a grouped GEMM.
enum pcc_grouped_form {
  PCC_GROUPED_NT = 0, ///< C[r] = A[r] B[e]^T: [r, k], [e, n, k], [r, n]
  PCC_GROUPED_NN = 1, ///< C[r] = A[r] B[e]: [r, n], [e, n, k], [r, k]
  /// C[e] = the sum over the rows of the group of A[r]^T B[r]: [r, n], [r, k],
  /// [e, n, k].
  PCC_GROUPED_TN = 2,
};

/// A GEMM for each group of rows, row major and contiguous.
typedef struct {
  int32_t dtype;   ///< the pcc_dtype of A and B: that of C, or bf16 or f16
  int32_t c_dtype; ///< that of A and B, or f32
  int32_t form;    ///< a pcc_grouped_form
  int32_t adds;    ///< 1: the form tn adds to C
  int64_t rows;    ///< of A; those after the last end are in no group
  int64_t groups, n, k;
  /// A node of the model that it computes, for messages; or "".
  const char *node;
} pcc_grouped_gemm_desc;

/// Computes `desc`; for CPUs. Group e has the rows from ends[e - 1], or 0, up
/// to ends[e]; ends ascend to at most `rows`. C overlaps no operand. Rows of C
/// after the last end become zero.
void pcc_grouped_gemm(pcc_context *ctx, const pcc_grouped_gemm_desc *desc,
                      const void *a, const void *b, void *c,
                      const int32_t *ends);

/// The epilogue of a device's GEMM: a function of S = alpha * op(A) * op(B) +
/// beta * C before rounding. It uses a vector and a matrix of C's shape with
/// contiguous rows.
enum pcc_epilogue {
  PCC_NO_EPILOGUE = 0, ///< C = S
  /// C = S + vector, added to each row.
  PCC_BIAS = 1,
  /// C = gelu (tanh) of S + vector; matrix receives the argument of gelu.
  /// Either may be missing.
  PCC_GELU = 2,
  /// C = S times the derivative of gelu (tanh) at matrix, which is an input.
  PCC_GELU_GRAD = 3,
  /// C = S; vector receives, for each row of C, the sum of that row of op(A).
  PCC_SUM_A = 4,
  /// C = S; vector receives, for each column of C, the sum of that column of
  /// op(B).
  PCC_SUM_B = 5
};

/// A GEMM, optionally with an epilogue. With an epilogue the batch is 1, and
/// beta is 0 for gelu and its gradient. Vector and matrix have C's type, except
/// that sums are f32.
typedef struct {
  pcc_gemm_desc product; ///< without the epilogue
  int32_t epilogue;      ///< a pcc_epilogue
} pcc_fused_desc;

/// Computes `desc`; for devices. A null vector or matrix is absent. If `added`
/// is not null, it replaces C in S; it has C's shape and strides and does not
/// overlap C. No other output overlaps an input either.
void pcc_gemm_fused(pcc_context *ctx, const pcc_fused_desc *desc, const void *a,
                    const void *b, void *c, void *vector, void *matrix,
                    const void *added);

/// Computes the attention `desc`, one of the stage's; for devices. stats, f32
/// of [batch, heads, queries], receives the log of the sum of exp of each row's
/// scores.
void pcc_attention(pcc_context *ctx, const pcc_attention_desc *desc,
                   const void *q, const void *k, const void *v, void *o,
                   float *stats);
/// Computes the cotangents dq, dk and dv from d_o, the cotangent of o, and from
/// the inputs and results of pcc_attention. Deterministic.
void pcc_attention_grad(pcc_context *ctx, const pcc_attention_desc *desc,
                        const void *d_o, const void *q, const void *k,
                        const void *v, const void *o, const float *stats,
                        void *dq, void *dk, void *dv, void *workspace);

/// Sets the model's node of the operations that are issued from now on, for
/// calls that do not name one; "" for none. For messages; the text must live as
/// long as the program.
void pcc_set_node(pcc_context *ctx, const char *node);

/// Copies memory of the arena; the two pieces do not overlap.
void pcc_copy(pcc_context *ctx, void *to, const void *from, int64_t bytes);
/// Fills memory of the arena with zero bytes.
void pcc_zero(pcc_context *ctx, void *to, int64_t bytes);
/// Declares the contents of a buffer dead. Only programs for the emulated
/// device call it; that device writes signalling NaNs there.
void pcc_forget(pcc_context *ctx, void *buffer, int64_t bytes);

/// The reduction of a collective.
enum pcc_reduction { PCC_SUM = 0, PCC_MAX = 1 };

/// The number of the compute stream; others count up from it.
enum { PCC_COMPUTE_STREAM = 0 };

/// Makes `event`, a number from 0, stand for the work issued on `stream` so
/// far.
void pcc_record(pcc_context *ctx, int32_t stream, int32_t event);
/// Makes the work issued on `stream` from now on begin after the work that the
/// last record of `event` stands for.
void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event);

/// Reduces `buffer` in place over the ranks of pcc_program.comms[comm].
void pcc_all_reduce(pcc_context *ctx, int32_t comm, int32_t dtype,
                    int32_t reduction, void *buffer, int64_t count);
/// out = the ranks' `in`, one after another; count: elements of in. `in` may be
/// at any address, including that of this rank's block of out.
void pcc_all_gather(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count);
/// in: one block of `count` elements for each rank. out: the sum over the ranks
/// of their blocks for this rank, added to the previous contents if `adds` is
/// not 0. In programs for GPUs it must be 0.
void pcc_reduce_scatter(pcc_context *ctx, int32_t comm, int32_t dtype,
                        const void *in, void *out, int64_t count, int32_t adds);
/// in: one block of `count` elements for each rank. out: one from each rank.
void pcc_all_to_all(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count);

/// Sends to the rank with this rank's coordinates in another stage.
void pcc_send(pcc_context *ctx, int32_t stage, int32_t channel,
              const void *buffer, int64_t bytes);
/// The counterpart of pcc_send: receives the other stage's bytes of the same
/// channel into `buffer`.
void pcc_recv(pcc_context *ctx, int32_t stage, int32_t channel, void *buffer,
              int64_t bytes);
/// A send and a receive that are posted together and may be each other's
/// counterpart.
void pcc_exchange(pcc_context *ctx, int32_t to_stage, int32_t send_channel,
                  const void *send, int64_t send_bytes, int32_t from_stage,
                  int32_t recv_channel, void *recv, int64_t recv_bytes);

/// Makes the host fill pcc_stage.inputs[input], `bytes` bytes, for a
/// microbatch. A microbatch that the step does not have fills nothing.
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

/// pcc_fill on a stream that is used for nothing else.
void pcc_fill_async(pcc_context *ctx, int32_t stream, int32_t input,
                    int64_t microbatch, void *to, int64_t bytes);

/// Begins operations that a device may launch as one graph, number `graph` of
/// the stage: those that the program issues up to pcc_graph_end. In a loop
/// these are the operations of one or more iterations, from `iteration` on.
/// Returns 0 if the graph was captured by an earlier call and is launched now;
/// the program then continues after the end. The operations' arguments, except
/// the iteration, are the same in each call. `name` is for messages.
int32_t pcc_graph_begin(pcc_context *ctx, int32_t graph, int64_t iteration,
                        const char *name);
/// Ends the graph.
void pcc_graph_end(pcc_context *ctx, int32_t graph);

/// The address of pcc_program.constants[number] for kernels, an int64_t; valid
/// for the whole run.
const void *pcc_constant_at(pcc_context *ctx, int32_t number);

/// This rank's index within the communicator.
int64_t pcc_comm_index(pcc_context *ctx, int32_t comm);

#ifdef __cplusplus
} // extern "C"
#endif

// NOLINTEND(readability-identifier-naming)

#endif // PCC_RUNTIME_RUNTIME_H
