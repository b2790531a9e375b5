//===- Program.h - The descriptor of a compiled program -----------*- C -*-===//
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

/// Incremented whenever a struct below or in Runtime.h changes; the runtime
/// rejects a program with another version.
#define PCC_ABI_VERSION 23

/// The type of an element; support/DType.h has its size and its name in files.
/// The numbers are part of the ABI.
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
/// The number of element types.
enum { PCC_DTYPES = PCC_BOOL + 1 };

/// The initial loss scale of fp16 if no flag sets it, the maximum, and the
/// number of steps without overflow after which the scale is doubled. The loss
/// is a sum over targets: its scale of 1024 corresponds to 65536 for a mean
/// over 64 targets. The cotangent of a target is at most 1, so the scaled one
/// stays well below 65504.
#define PCC_FIRST_LOSS_SCALE 1024
#define PCC_MOST_LOSS_SCALE 4294967296
#define PCC_LOSS_SCALE_WINDOW 2000

/// Tensors, inputs, their slots and outputs begin at multiples of this many
/// bytes of the arena.
enum { PCC_ALIGNMENT = 64 };

/// The offloaded range of an arena is a multiple of this many bytes, the size
/// of the pages that devices map.
enum { PCC_OFFLOAD_ALIGNMENT = 2 << 20 };

/// The state that a back end keeps for a rank, such as its communicators.
/// backend::prepare creates it, and compiled code passes it on without reading
/// it.
typedef struct pcc_context pcc_context;

/// The kind of parallelism of a mesh axis. Ranks that differ along it have
/// different stages, parts of the batch, parts of every sequence, parts of
/// every layer, or parts of the batch and experts.
enum pcc_axis_role {
  PCC_PIPELINE_AXIS = 0, ///< at most one axis
  PCC_DATA_AXIS = 1,
  PCC_SEQUENCE_AXIS = 2,
  PCC_TENSOR_AXIS = 3,
  PCC_EXPERT_AXIS = 4,
};

/// A mesh axis. Axes are listed slowest first, so that
/// rank = ((c0 * n1 + c1) * n2 + c2) ... for coordinates c.
typedef struct {
  const char *name; ///< its name in reports
  int64_t size;
  int32_t role; ///< pcc_axis_role
} pcc_axis;

/// The sharding of a tensor over the mesh. Dim d is sharded over the mesh axes
/// axes[axis_begin[d]] .. axes[axis_begin[d+1]-1], major first. Its local
/// extent is shape[d] / product of their sizes. The shard of a rank starts at
/// (mixed-radix index of its coordinates on those axes) * local extent.
typedef struct {
  /// The number of dims; 0 for a scalar.
  int32_t rank;
  const int64_t *shape;      ///< [rank] global extents, padding included
  const int32_t *axis_begin; ///< [rank + 1]
  const int32_t *axes;       ///< indices into pcc_program.axes
} pcc_layout;

/// The kinds of tensors.
enum pcc_tensor_kind {
  PCC_PARAM = 0,
  PCC_STATE = 1, ///< optimizer state: saved in checkpoints (exp_avg, ...)
  /// Gradients and accumulators: zero at the start, unless each step overwrites
  /// them before it reads them; never saved.
  PCC_SCRATCH = 2,
  /// The working copy of the parameter `of`, in a narrower type or, with ZeRO
  /// 3, maybe in the same one: rounded from the parameter at start and written
  /// by each step. If the bucket of the parameter is sharded over ranks, each
  /// step and evaluation instead recreates the copy, when it begins or, with
  /// ZeRO 3, when a segment needs it. Never saved.
  PCC_COPY = 3,
  /// A scalar that carries over from step to step, identified by its name:
  /// "loss_scale", "good_steps", "updates" (Numbers.h). All ranks have the same
  /// value.
  PCC_NUMBER = 4,
};

/// The initialization of a tensor if no file with weights is loaded.
enum pcc_init_role {
  PCC_INIT_ZERO = 0,
  PCC_INIT_ONE = 1,
  PCC_INIT_NORMAL = 2, ///< normal(0, 0.02), keyed by the source element
  PCC_INIT_FILE = 3,   ///< not trained and never random: always from the file
};

/// The offset of a tensor that is missing in the file because an exporter
/// removed it. Its elements are zeros, and its uses name the nodes that should
/// read it.
enum { PCC_ABSENT = -1 };

/// The elements of a source tensor that a program tensor holds. Program element
/// (i0, i1, ...) is source element base + sum of i_d * stride[d]; it is zero
/// (padding) if i_d >= valid[d] for any d.
typedef struct {
  const char *name; ///< the source tensor's name
  /// Its name in checkpoints: that in the model directory which the file was
  /// exported from, else `name`.
  const char *saved_name;
  const char *file;     ///< as given to pcc; NULL: only in the program
  int64_t file_size;    ///< bytes of the whole file, checked at start
  uint64_t file_digest; ///< see FileDigest.h, checked at start
  /// Bytes from the file's start; or PCC_ABSENT; or a smaller number if the
  /// file does not store the elements as plain bytes (model/EncodedTensor.h).
  int64_t offset;
  int32_t dtype; ///< of the source elements
  /// The type of the elements in checkpoints: that of the model directory which
  /// the file was exported from, else `dtype`.
  int32_t saved_dtype;
  int32_t rank;
  /// 1: the model, and so a checkpoint, has the transpose of this matrix under
  /// this name; an exporter folded a transposition.
  int32_t transposed;
  /// 1: the model has these elements minus 1, for a norm that adds 1 to its
  /// weight; an exporter folded the addition.
  int32_t plus_one;
  const int64_t *shape;  ///< [rank] of the source tensor
  int64_t base;          ///< in elements
  const int64_t *stride; ///< [layout.rank], in elements
  const int64_t *valid;  ///< [layout.rank] extents before padding
} pcc_source;

/// An operand of a node of the source model's graph.
typedef struct {
  /// The node's index in the graph and the operand's among its inputs, from 0.
  int64_t node, operand;
} pcc_use;

/// A bucket: a flat buffer that holds shards of tensors one after another, each
/// row-major. The bucket is itself divided into equal parts over the ranks of
/// some axes. A rank's part has the mixed-radix index of the rank's coordinates
/// on these axes; it may begin and end anywhere in a tensor.
typedef struct {
  int64_t elements;    ///< of the bucket, a multiple of the number of parts
  int32_t n_axes;      ///< 0: the rank has the whole bucket
  const int32_t *axes; ///< indices into pcc_program.axes, major first
  /// 1: the arena holds the whole bucket, of which only the rank's part is up
  /// to date between steps; 0: the arena holds only the part.
  int32_t whole;
  int64_t arena_offset; ///< of the bucket or else of the part, in bytes
} pcc_bucket;

/// A parameter, a piece of optimizer state or another tensor of one stage.
typedef struct {
  const char *name; ///< symbol; states are named "<kind>.<parameter>"
  const char *of;   ///< the parameter of a state or working copy, or NULL
  int32_t kind;     ///< pcc_tensor_kind
  int32_t dtype;    ///< in the arena
  int32_t init;     ///< pcc_init_role
  int32_t decay;    ///< 1: weight decay applies
  pcc_layout layout;
  int64_t arena_offset;     ///< of the shard, in bytes; unused in a bucket
  const pcc_source *source; ///< the parameter's (also for its states), or NULL
  /// Other tensors of the file with the same elements, such as a tied table
  /// that an exporter wrote twice. The export writes them, but they are never
  /// loaded.
  int32_t n_copies;
  const pcc_source *copies;
  /// The operands that read the source tensor for this parameter if an exporter
  /// merged the tensor with others or removed it; otherwise none.
  int32_t n_uses;
  const pcc_use *uses;
  /// The bucket that holds the shard, and the index of the shard's first
  /// element in it. NULL: the rank has the whole shard, at arena_offset.
  const pcc_bucket *bucket;
  int64_t bucket_offset;
} pcc_tensor;

/// An input that the runtime fills, identified by its role: "tokens",
/// "targets", "labels" (targets that the model shifts itself), "positions",
/// "samples", "seed", "step", "lr", "weight_decay", "beta1", "beta2", "eps",
/// "clip_grad", "loss_scale_window". Two roles are read by name from .npy
/// files: "data", with an entry per sample, and "shared", the same for all
/// samples.
typedef struct {
  /// One of the roles above.
  const char *role;
  const char *name; ///< its name in the model
  int32_t dtype;
  /// 1: an input of role "data" that holds classes of a loss, as targets do;
  /// negative ones are ignored.
  int32_t of_loss;
  pcc_layout layout;    ///< of one microbatch; rank 0 for scalars
  int64_t arena_offset; ///< of slot 0
  int64_t slot_bytes;   ///< distance between microbatches' slots; 0: one slot
  int64_t vocab;        ///< the exclusive bound of ids; else 0
  const char *looked_up_by; ///< the model's node that bounds them; "" or null
  int32_t batch_dim;        ///< the dim of the samples, or -1
  int32_t sequence_dim;     ///< the dim of the sequence positions, or -1
  /// 1: an entry requests it for each microbatch by pcc_fill; 0: it is filled
  /// before an entry begins.
  int32_t refilled;
  /// The ranks of the head-tail order (support/HeadTail.h) of its elements
  /// along the dims whose bits are set in `order_dims`; 0: the data's order.
  int32_t order_ranks, order_dims;
} pcc_input;

/// The prefix of the name of a result by which the model's own loss is divided;
/// the name of the model's node follows.
#define PCC_COUNT_PREFIX "count:"

/// The name of the result that says how many choices of experts exceed the
/// capacity of their ranks begins with this; the capacity follows.
#define PCC_OVERFLOW_PREFIX "expert_overflow:"

/// A result of a step: "loss", "norm", "aux", "load", "loss_scale" (of the
/// step), "target_count", a count (PCC_COUNT_PREFIX) or an overflow
/// (PCC_OVERFLOW_PREFIX), each an f32 scalar; or an output of a forward-only
/// model.
typedef struct {
  /// The compiler's name of the result, or the model's name of the output.
  const char *name;
  /// A pcc_dtype.
  int32_t dtype;
  /// Its shape; of rank 0 for a scalar.
  pcc_layout layout;
  /// Its offset in the arena, in bytes.
  int64_t arena_offset;
} pcc_output;

/// Attention that a library computes: softmax(scale q k^T) v for each sample
/// and head, of q [batch, queries, heads, size] and k, v [batch, keys,
/// key_heads, size]; query head i uses key head i / (heads / key_heads).
typedef struct {
  /// The pcc_dtype of all tensors but stats: PCC_BF16 or PCC_F16.
  int32_t dtype;
  /// 0: forward. 1: the cotangents of q, k and v.
  int32_t is_backward;
  /// 1: query i sees keys 0 to i. 0: all keys.
  int32_t is_causal;
  int64_t batch, queries, keys, heads, key_heads, size;
  /// The strides between samples, rows and heads, in elements. The other
  /// operands and results of a call are row-major and contiguous.
  int64_t q_strides[3], k_strides[3], v_strides[3];
  /// Backward: the strides of the cotangents.
  int64_t dq_strides[3], dk_strides[3], dv_strides[3];
  float scale;
  /// Backward: the number of samples, and of their key heads with the query
  /// heads that share them, that are computed at a time; and the size of the
  /// workspace.
  int64_t samples, key_head_group, workspace_bytes;
  const char *node; ///< the model's node, for messages; or ""
} pcc_attention_desc;

/// The kinds of collectives.
enum pcc_collective_kind {
  PCC_ALL_REDUCE = 0,
  PCC_ALL_GATHER = 1,
  PCC_REDUCE_SCATTER = 2,
};

/// A collective in the code of a stage.
typedef struct {
  int32_t comm;      ///< index into pcc_program.comms
  int32_t kind;      ///< pcc_collective_kind
  int32_t dtype;     ///< pcc_dtype
  int32_t reduction; ///< pcc_reduction
  /// The number of elements in the buffer of an all_reduce, or in one rank's
  /// block.
  int64_t count;
} pcc_collective;

/// An entry of a program. It runs one training step with all microbatches and
/// the update, one evaluation, or the forward computation on this rank.
typedef void (*pcc_step_fn)(pcc_context *ctx, char *arena);

/// One pipeline stage: the program of every rank whose coordinate on the
/// pipeline axis is the stage's index.
typedef struct {
  /// The size of each rank's arena, in bytes.
  int64_t arena_bytes;
  /// The size of the leading part of the arena that is backed by the host's
  /// memory or, on a CPU, by a file; 0: none. Only kernels access it.
  int64_t offloaded_bytes;
  /// The size of the leading part of the arena that must be zero at the start.
  /// The rest may be uninitialized: an entry reads there only its inputs and
  /// its own earlier writes.
  int64_t kept_bytes;
  /// The lengths of the three arrays that follow.
  int32_t n_tensors, n_inputs, n_outputs;
  /// Parameters, states and other tensors of the stage.
  const pcc_tensor *tensors;
  /// The inputs of the stage, in the order of the program's inputs.
  const pcc_input *inputs;
  /// The results that a step leaves in the arena.
  const pcc_output *outputs;
  /// Runs a training step; NULL in a program that only computes outputs.
  pcc_step_fn step;
  pcc_step_fn evaluate; ///< NULL: the program was compiled without it
  /// Results of evaluate: the mean loss of the global batch and its target
  /// count. For some losses that are part of the model the count is 1, or 0 if
  /// the loss is undefined.
  int32_t n_eval_outputs;
  const pcc_output *eval_outputs;
  /// Computes the model's outputs from its inputs; the program then has neither
  /// step nor evaluate. NULL: a training program.
  pcc_step_fn forward;
  int32_t n_forward_outputs;
  const pcc_output *forward_outputs;
  /// The numbers of streams, including the compute stream, and of events in its
  /// code.
  int32_t n_streams, n_events;
  /// The attention calls of its code that a library computes.
  int32_t n_attentions;
  const pcc_attention_desc *const *attentions;
  /// The collectives of its code, each size once. The ranks of a communicator
  /// list the same collectives for it, in the same order.
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
  /// Whether it is used for pcc_all_to_all_async().
  int32_t exchanges;
  /// The maximum number of channels that NCCL may use (Workspace.h).
  int32_t channels;
} pcc_comm;

/// A point-to-point channel from one stage to another.
typedef struct {
  int32_t from_stage, to_stage; ///< indices of stages
  int32_t channel; ///< the channel argument of pcc_send() and pcc_recv()
  /// 1: overlapped with compute, on a stream of its own on both sides; 0: on
  /// the compute stream on both sides.
  int32_t overlapped;
} pcc_channel;

/// An integer that kernels read from memory, constant from the start.
typedef struct {
  /// The communicator whose index of this rank multiplies the value; -1: the
  /// value alone.
  int32_t comm;
  int64_t value;
} pcc_constant;

/// An input of the model that the program replaces by a constant: 1 everywhere,
/// or 0, 1, ... along its last dim. Data of that name that differ are not read
/// in the first case and rejected in the second.
typedef struct {
  /// The input's name in the model.
  const char *name;
  /// 1: the constant is 1 everywhere; 0: it counts up from 0.
  int32_t ones;
} pcc_implied;

/// The model directory that the model file was exported from, as pcc-export
/// records it.
typedef struct {
  const char *path; ///< its path when it was exported
  /// The files that complete a directory of trained weights, such as
  /// "config.json". They lie in the model file's folder, or in `path`.
  int32_t n_files;
  const char *const *files;
} pcc_model_folder;

/// The descriptor of a program.
typedef struct {
  /// PCC_ABI_VERSION of the compiler that emitted it.
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
  int32_t n_channels;
  const pcc_channel *channels; ///< in ascending order
  int64_t seq;                 ///< tokens per sample; 0: not a token model
  int64_t micro_batch;  ///< samples per microbatch and data-parallel part
  int64_t microbatches; ///< per step
  int64_t
      data_parallel;  ///< ranks that share a batch: along data and expert axes
  int64_t parameters; ///< logical count, padding and copies left out
  double flops_per_step; ///< of the global batch, forward and backward
  int32_t n_implied;
  const pcc_implied *implied;
  int32_t n_constants;
  const pcc_constant *constants;
  /// NULL: the model file does not say where it was exported from.
  const pcc_model_folder *model_folder;
  /// Why the loss is only defined for a batch with all of its samples, such as
  /// "'/MatMul' combines several samples"; NULL: it can be computed from the
  /// losses of parts of a batch.
  const char *whole_batch;
  /// The tokens that end a document; none: a sample is one document.
  int32_t n_document_ends;
  const int64_t *document_ends;
  /// The folder for the files that back offloaded ranges; NULL: they are backed
  /// by the host's memory.
  const char *offload_dir;
} pcc_program;

/// The one program of this executable.
extern const pcc_program pcc_the_program;

/// The processor that the steps were compiled for.
typedef struct {
  const char *cpu;      ///< its name in LLVM
  const char *features; ///< its features in CpuFeatures.def, comma-separated
} pcc_target;

/// Missing in programs that pcc did not compile.
extern const pcc_target pcc_the_target __attribute__((weak));

/// Where the program was written, from which the places of the model's files
/// follow. Absolute paths without ".." and without a slash at the end.
typedef struct {
  const char *folder; ///< the one that pcc was called in
  /// The folder of the program by its name for pcc, and without links.
  const char *program, *real_program;
} pcc_origin;

/// Missing in programs that pcc did not link.
extern const pcc_origin pcc_the_origin __attribute__((weak));

/// The code of all GPU kernels for one target.
typedef struct {
  /// The GPU it is for, 90 for "sm_90". Machine code runs on that GPU and on
  /// later ones of its generation (90 to 99), PTX on all later GPUs.
  int32_t chip;
  int32_t is_ptx; ///< 1: PTX, which a driver compiles, zero-terminated
  int64_t bytes;
  const void *code;
} pcc_device_image;

/// The device code of a program for GPUs.
typedef struct {
  /// The number of images.
  int32_t n_images;
  const pcc_device_image *images; ///< machine code first
  int32_t n_kernels;
  const char *const *kernels; ///< their names, as in pcc_kernel
  const int32_t *shared;      ///< bytes of shared memory of a block, per kernel
} pcc_device_code;

/// Defined only in programs for GPUs.
extern const pcc_device_code pcc_the_device_code;

#ifdef __cplusplus
} // extern "C"
#endif

// NOLINTEND(readability-identifier-naming)

#endif // PCC_RUNTIME_PROGRAM_H
