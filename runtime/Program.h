//===- Program.h - What a compiled program says of itself ---------*- C -*-===//
//
// The compiler emits one constant `pcc_program` per executable; the runtime
// reads it to place weights, fill inputs, write checkpoints and run steps.
// Plain C so that the emitted data layout is the platform's C ABI.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_PROGRAM_H
#define PCC_RUNTIME_PROGRAM_H

#include <stdint.h>

// Names as in C. NOLINTBEGIN(readability-identifier-naming)

#ifdef __cplusplus
extern "C" {
#endif

/// Raised whenever a struct below or of Runtime.h changes; the runtime refuses
/// another one.
#define PCC_ABI_VERSION 20

/// The type of an element; support/DType.h says how wide each is and what files
/// call it. The numbers are part of the ABI.
enum pcc_dtype {
  PCC_F32 = 0,
  PCC_F64 = 1,
  PCC_BF16 = 2,
  PCC_F16 = 3,
  PCC_I64 = 4,
  PCC_I32 = 5,
  PCC_I16 = 6,
  PCC_I8 = 7,
  PCC_BOOL = 8, ///< one byte
};
/// How many there are.
enum { PCC_DTYPES = PCC_BOOL + 1 };

/// The scale of the loss that fp16 begins with unless it is told another, the
/// greatest there is, and after how many good steps it is doubled. The loss is
/// a sum: 1024 of it is 65536 of a mean over 64 targets, and a target's
/// cotangent, which is at most 1, stays well below 65504.
#define PCC_FIRST_LOSS_SCALE 1024
#define PCC_MOST_LOSS_SCALE 4294967296
#define PCC_LOSS_SCALE_WINDOW 2000

/// Tensors, inputs, their slots and outputs begin at multiples of this many
/// bytes of the arena.
enum { PCC_ALIGNMENT = 64 };

/// What a back end keeps for a rank, such as its communicators; made by
/// backend::prepare and handed through compiled code unread.
typedef struct pcc_context pcc_context;

/// What a mesh axis is for: ranks that differ along it have each a stage, a
/// part of the batch, of every sequence, of every layer, or some experts.
enum pcc_axis_role {
  PCC_PIPELINE_AXIS = 0, ///< one axis at most
  PCC_DATA_AXIS = 1,
  PCC_SEQUENCE_AXIS = 2,
  PCC_TENSOR_AXIS = 3,
  PCC_EXPERT_AXIS = 4,
};

/// A mesh axis. Axes are listed slowest first, so that
/// rank = ((c0 * n1 + c1) * n2 + c2) ... for coordinates c.
typedef struct {
  const char *name; ///< what reports call it
  int64_t size;
  int32_t role; ///< pcc_axis_role
} pcc_axis;

/// How a tensor is cut over the mesh. Dim d is sharded over the mesh axes
/// axes[axis_begin[d]] .. axes[axis_begin[d+1]-1], major first; its local
/// extent is shape[d] / product of their sizes, and the shard of a rank starts
/// at (mixed-radix index of its coordinates on those axes) * local extent.
typedef struct {
  /// The number of dims; 0 for a scalar.
  int32_t rank;
  const int64_t *shape;      ///< [rank] global extents, padding included
  const int32_t *axis_begin; ///< [rank + 1]
  const int32_t *axes;       ///< indices into pcc_program.axes
} pcc_layout;

/// What a tensor is to the runtime.
enum pcc_tensor_kind {
  PCC_PARAM = 0,
  PCC_STATE = 1,   ///< optimizer state: saved in checkpoints (exp_avg, ...)
  PCC_SCRATCH = 2, ///< gradients and sums: zeroed at start, never saved
  /// The parameter `of` in a narrower type: rounded from it at start and
  /// written by each step, or, where ranks keep parts of the parameter, made
  /// anew as a step or an evaluation begins; never saved.
  PCC_COPY = 3,
  /// A scalar that goes on from step to step, known by its name: "loss_scale",
  /// "good_steps", "updates" (Numbers.h). Every rank has the same.
  PCC_NUMBER = 4,
};

/// Where the first values of a tensor come from, without weights of a file.
enum pcc_init_role {
  PCC_INIT_ZERO = 0,
  PCC_INIT_ONE = 1,
  PCC_INIT_NORMAL = 2, ///< normal(0, 0.02), keyed by the source element
  PCC_INIT_FILE = 3,   ///< not trained and not drawn: always from the file
};

/// The offset of a tensor that the file lacks because an exporter removed it:
/// its elements are zeros. The nodes that are to read it are its uses.
enum { PCC_ABSENT = -1 };

/// Where the elements of a program tensor lie in a source tensor: program
/// element (i0, i1, ...) is source element base + sum of i_d * stride[d], and
/// is zero (padding) where i_d >= valid[d] for any d.
typedef struct {
  const char *name;     ///< the source tensor's name
  const char *file;     ///< as given to pcc; NULL: only in the program
  int64_t file_size;    ///< bytes of the whole file, checked at start
  uint64_t file_digest; ///< see FileDigest.h, checked at start
  /// Bytes from the file's start, PCC_ABSENT, or less than that where the file
  /// has no plain bytes, see model/EncodedTensor.h.
  int64_t offset;
  int32_t dtype; ///< of the source elements
  int32_t rank;
  /// 1: the model has the transpose of this matrix under this name, and so have
  /// checkpoints; an exporter folded a transposition.
  int32_t transposed;
  /// 1: the model has these elements less one, as a norm that adds one to its
  /// weight does; an exporter folded the addition.
  int32_t plus_one;
  const int64_t *shape;  ///< [rank] of the source tensor
  int64_t base;          ///< in elements
  const int64_t *stride; ///< [layout.rank], in elements
  const int64_t *valid;  ///< [layout.rank] extents before padding
} pcc_source;

/// An operand of a node of the source model's graph, both counted from 0.
typedef struct {
  /// The node's index in the graph and the operand's among its inputs.
  int64_t node, operand;
} pcc_use;

/// A row of elements in which shards lie one after the other, each row-major,
/// cut into equal parts: a rank keeps the part whose number is the mixed-radix
/// index of its coordinates on the axes. So a part may begin and end anywhere
/// in a tensor.
typedef struct {
  int64_t elements;    ///< of the row, a multiple of the number of parts
  int32_t n_axes;      ///< none: the rank keeps the whole row
  const int32_t *axes; ///< indices into pcc_program.axes, major first
  /// 1: the arena has room for the row, and between steps only the part that
  /// the rank keeps is up to date; 0: it has the part alone.
  int32_t whole;
  int64_t arena_offset; ///< of the row or else of the part, in bytes
} pcc_bucket;

/// A parameter or a piece of state, as one stage holds it.
typedef struct {
  const char *name; ///< symbol; states are named "<kind>.<parameter>"
  const char *of;   ///< the parameter a state belongs to, or NULL
  int32_t kind;     ///< pcc_tensor_kind
  int32_t dtype;    ///< in the arena
  int32_t init;     ///< pcc_init_role
  int32_t decay;    ///< 1: weight decay applies
  pcc_layout layout;
  int64_t arena_offset;     ///< of the shard, in bytes; not in a bucket
  const pcc_source *source; ///< of the parameter (also for its states), or NULL
  /// Other tensors of the file that hold the same elements, such as a tied
  /// table that an exporter wrote twice: only written, never read.
  int32_t n_copies;
  const pcc_source *copies;
  /// What reads the source tensor for this parameter, where an exporter merged
  /// it with others or removed it; else none.
  int32_t n_uses;
  const pcc_use *uses;
  /// The row that the shard lies in, and at which element of it; NULL: the rank
  /// keeps the whole shard, at arena_offset.
  const pcc_bucket *bucket;
  int64_t bucket_offset;
} pcc_tensor;

/// An input the runtime fills, known by its role: "tokens",
/// "targets", "labels" (targets that the model shifts itself), "positions",
/// "samples", "seed", "step", "lr", "weight_decay", "beta1", "beta2", "eps",
/// "clip_grad", "loss_scale_window", and by name, from a .npy file, "data", an
/// entry per sample, and "shared", the same for all samples.
typedef struct {
  /// One of the names above; decides what the input is filled with.
  const char *role;
  const char *name; ///< the model's name of it
  int32_t dtype;
  /// 1: of role "data", but classes of a loss as targets are: negative ones are
  /// not counted.
  int32_t of_loss;
  pcc_layout layout;    ///< of one microbatch; rank 0 for scalars
  int64_t arena_offset; ///< of slot 0
  int64_t slot_bytes;   ///< distance of two microbatches' slots; 0: one slot
  int64_t vocab;        ///< of ids: their exclusive bound; else 0
  const char *looked_up_by; ///< the model's node that bounds them; "" or null
  int32_t batch_dim;        ///< the dim that runs over the samples, or -1
  int32_t sequence_dim;     ///< the one that runs over the places, or -1
  /// 1: entries have it filled microbatch by microbatch, by pcc_fill; 0: it is
  /// filled before an entry begins.
  int32_t refilled;
} pcc_input;

/// Begins the name of a result that the model's own loss is divided by; the
/// name of the model's node follows.
#define PCC_COUNT_PREFIX "count:"

/// A result of a step: "loss", "norm", "loss_scale" (of the step),
/// "target_count", each a rank-0 f32, or an output of a forward-only model, or
/// a count (PCC_COUNT_PREFIX), rank 0, f32.
typedef struct {
  /// The name that the compiler gives the result, or the model its output.
  const char *name;
  /// The pcc_dtype of its elements.
  int32_t dtype;
  /// Its shape; of rank 0 for a scalar.
  pcc_layout layout;
  /// Where it lies in the arena, in bytes.
  int64_t arena_offset;
} pcc_output;

/// Attention that a library computes: softmax(scale q k^T) v for each sample
/// and head, of q [batch, queries, heads, size] and k, v [batch, keys,
/// key_heads, size]; query head i uses key head i / (heads / key_heads).
typedef struct {
  /// The pcc_dtype of all elements but stats': PCC_BF16 or PCC_F16.
  int32_t dtype;
  /// 0: forward. 1: the cotangents of q, k and v.
  int32_t is_backward;
  /// 1: query i sees keys 0 to i. 0: all keys.
  int32_t is_causal;
  int64_t batch, queries, keys, heads, key_heads, size;
  /// From sample to sample, row to row and head to head, in elements; what
  /// else a call takes or gives lies row major without holes.
  int64_t q_strides[3], k_strides[3], v_strides[3];
  /// Backward: of the cotangents.
  int64_t dq_strides[3], dk_strides[3], dv_strides[3];
  float scale;
  /// Backward: how many samples, and how many key heads of each with the heads
  /// that share them, are done at a time; and bytes of the workspace.
  int64_t samples, key_head_group, workspace_bytes;
  const char *node; ///< of the model, that a message names; or ""
} pcc_attention_desc;

/// What a pcc_collective does.
enum pcc_collective_kind {
  PCC_ALL_REDUCE = 0,
  PCC_ALL_GATHER = 1,
  PCC_REDUCE_SCATTER = 2,
};

/// A collective of a stage's code.
typedef struct {
  int32_t comm;      ///< index into pcc_program.comms
  int32_t kind;      ///< pcc_collective_kind
  int32_t dtype;     ///< pcc_dtype
  int32_t reduction; ///< as of pcc_all_reduce()
  /// Elements: of the buffer of an all_reduce, of a rank's block of the others.
  int64_t count;
} pcc_collective;

/// Runs all microbatches and the update of one training step on this rank.
typedef void (*pcc_step_fn)(pcc_context *ctx, char *arena);

/// One pipeline stage: the program of every rank whose coordinate on the axis
/// of stages is its index.
typedef struct {
  /// How large the arena of each rank of the stage is, in bytes.
  int64_t arena_bytes;
  /// How much of it, from its begin, is zero before it is first filled. The
  /// rest may hold anything: an entry reads there what it has written alone.
  int64_t kept_bytes;
  /// The lengths of the three arrays that follow.
  int32_t n_tensors, n_inputs, n_outputs;
  /// Parameters, states and scratch tensors that the stage holds.
  const pcc_tensor *tensors;
  /// What is filled for a step, in the order of the program's inputs.
  const pcc_input *inputs;
  /// What a step leaves in the arena.
  const pcc_output *outputs;
  /// A training step; NULL in a program that only computes outputs.
  pcc_step_fn step;
  pcc_step_fn evaluate; ///< NULL: the program was compiled without it
  /// Results of evaluate: mean loss and target count of the global batch.
  int32_t n_eval_outputs;
  const pcc_output *eval_outputs;
  /// The model's outputs from its inputs; then there is neither step nor
  /// evaluate. NULL: a training program.
  pcc_step_fn forward;
  int32_t n_forward_outputs;
  const pcc_output *forward_outputs;
  /// How many streams its code names, that of computation included, and how
  /// many events.
  int32_t n_streams, n_events;
  /// What its code has the library compute of attention.
  int32_t n_attentions;
  const pcc_attention_desc *const *attentions;
  /// The collectives of its code, each size once. The ranks of a communicator
  /// have the same ones of it, in the same order.
  int32_t n_collectives;
  const pcc_collective *collectives;
} pcc_stage;

/// A communicator: the ranks that differ only in these axes, ordered by the
/// mixed-radix index of their coordinates on them, first axis major.
typedef struct {
  /// The number of axes, at least one.
  int32_t n_axes;
  /// Indices into pcc_program.axes, the major one first.
  const int32_t *axes;
  /// Whether its ranks send each other blocks (pcc_all_to_all_async()).
  int32_t exchanges;
  /// The most channels that NCCL may use (Workspace.h).
  int32_t channels;
} pcc_comm;

/// A way that messages take from one stage to another.
typedef struct {
  int32_t from_stage, to_stage; ///< indices of stages
  int32_t channel;              ///< as pcc_send() and pcc_recv() have it
  /// 1: while the stages compute, on a stream of its own on both sides; 0: the
  /// compute stream has it on both sides.
  int32_t beside;
} pcc_way;

/// An integer that kernels read as memory, known since the start.
typedef struct {
  /// Times this rank's index in that communicator; -1: the value alone.
  int32_t comm;
  int64_t value;
} pcc_constant;

/// An input of the model that is a constant of the program, which data of that
/// name should not contradict: 1 everywhere, or else 0, 1, ... in its last dim.
typedef struct {
  /// The model's name of the input.
  const char *name;
  /// 1: the program takes it to be 1 everywhere; 0: it counts up from 0.
  int32_t ones;
} pcc_implied;

/// Everything that the runtime knows of a program.
typedef struct {
  /// PCC_ABI_VERSION of the compiler that made it.
  int32_t abi_version;
  const char *model;   ///< stem of the source file
  const char *source;  ///< the model file as given to pcc, may be NULL
  const char *summary; ///< printed by --info: plan, stages, memory
  int32_t n_axes;
  const pcc_axis *axes; ///< slowest first; empty for one rank
  int32_t n_stages;
  const pcc_stage *stages;
  int32_t n_comms;
  const pcc_comm *comms;
  int32_t n_ways;
  const pcc_way *ways;   ///< in ascending order
  int64_t seq;           ///< tokens per sample; 0: not a token model
  int64_t micro_batch;   ///< samples per microbatch and part of the batch
  int64_t microbatches;  ///< per step
  int64_t data_parallel; ///< parts of the batch: size of all axes of data
  int64_t parameters;    ///< logical count, padding and copies left out
  double flops_per_step; ///< of the global batch, forward and backward
  int32_t n_implied;
  const pcc_implied *implied;
  int32_t n_constants;
  const pcc_constant *constants;
} pcc_program;

/// The one program of this executable.
extern const pcc_program pcc_the_program;

/// The processor that the steps were compiled for.
typedef struct {
  const char *cpu;      ///< LLVM's name of it
  const char *features; ///< those of CpuFeatures.def that it has, with commas
} pcc_target;

/// Absent from programs that no compiler of ours made.
extern const pcc_target pcc_the_target __attribute__((weak));

/// Code of all kernels for GPUs.
typedef struct {
  /// The GPU it is for, 90 for "sm_90": that one and, of machine code, others
  /// of its generation (90 to 99) that are not older; of PTX, all that are not
  /// older.
  int32_t chip;
  int32_t is_ptx; ///< 1: PTX, which a driver compiles, with a zero at its end
  int64_t bytes;
  const void *code;
} pcc_device_image;

/// What a program for GPUs has for its devices.
typedef struct {
  /// How many images there are.
  int32_t n_images;
  const pcc_device_image *images; ///< machine code first
  int32_t n_kernels;
  const char *const *kernels; ///< the names, as of pcc_kernel
  const int32_t *shared;      ///< bytes of a block's shared memory, of each
} pcc_device_code;

/// Of programs for GPUs alone.
extern const pcc_device_code pcc_the_device_code;

#ifdef __cplusplus
} // extern "C"
#endif

// NOLINTEND(readability-identifier-naming)

#endif // PCC_RUNTIME_PROGRAM_H
