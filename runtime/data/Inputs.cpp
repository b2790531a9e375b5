//===- Inputs.cpp - Fills a program's inputs before a step ----------------===//

#include "runtime/data/Inputs.h"

#include "runtime/Backend.h"
#include "runtime/data/Documents.h"
#include "runtime/data/Roles.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/HeadTail.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace pcc;

int64_t pcc::globalBatch(const pcc_program &program) {
  return program.micro_batch * program.data_parallel * program.microbatches;
}

StepValues pcc::stepValues(const TrainingOptions &options, int64_t step,
                           double lr) {
  StepValues values;
  values.step = values.update = step;
  values.seed = options.seed;
  values.lr = lr;
  values.weightDecay = options.weightDecay;
  values.beta1 = options.beta1;
  values.beta2 = options.beta2;
  values.eps = options.eps;
  values.clipGrad = options.clipGrad > 0
                        ? options.clipGrad
                        : std::numeric_limits<double>::infinity();
  values.lossScaleWindow = options.lossScaleWindow;
  return values;
}

/// Returns the tensor rank that an input of this role must have; -1 for any, -2
/// for an unknown role.
static int rankOfRole(Role role) {
  if (isFromDataset(role))
    return -1;
  if (role == Role::DocumentStarts)
    return 2;
  if (role == Role::Positions || role == Role::Samples)
    return 1;
  return isScalar(role) ? 0 : -2;
}

/// Whether the order of an input, if it has one, fits its shape: whole pieces
/// along dims other than that of the samples.
static bool hasValidOrder(const pcc_input &input) {
  if (!input.order_ranks)
    return !input.order_dims;
  if (input.order_ranks < 2 || input.order_dims <= 0 ||
      input.order_dims >> input.layout.rank)
    return false;
  for (int dim = 0; dim < input.layout.rank; ++dim)
    if (input.order_dims >> dim & 1 &&
        (dim == input.batch_dim ||
         input.layout.shape[dim] % (2 * int64_t(input.order_ranks))))
      return false;
  return true;
}

void pcc::checkInputs(const pcc_stage &stage) {
  for (int i = 0; i < stage.n_inputs; ++i) {
    const pcc_input &input = stage.inputs[i];
    Role role = roleOf(input);
    int rank = rankOfRole(role);
    if (rank == -2)
      fail(ExitInternal,
           format("input '%s' has role '%s', which this runtime cannot fill",
                  input.name, input.role));
    bool integer = input.dtype == PCC_I64 || input.dtype == PCC_I32;
    bool real = input.dtype == PCC_F32 || input.dtype == PCC_F64;
    bool counted = role == Role::Seed || role == Role::Step ||
                   role == Role::LossScaleWindow;
    bool typed =
        rank < 0 || (rank > 0 ? integer : real || (counted && integer));
    if ((rank >= 0 && input.layout.rank != rank) || !typed)
      fail(ExitInternal,
           format("input '%s' with role '%s' has rank %d and type %s",
                  input.name, input.role, input.layout.rank,
                  dtypeName(input.dtype)));
    if (!hasValidOrder(input))
      fail(ExitInternal,
           format("input '%s' cannot be in the head-tail order of %d ranks "
                  "along the dims %d",
                  input.name, input.order_ranks, input.order_dims));
  }
}

void pcc::checkSamples(const pcc_program &program, const Dataset &data,
                       const DataOrder &order, int64_t step) {
  for (int64_t i = 0; i < globalBatch(program); ++i)
    data.checkSample(order.sample(step, i));
}

static void storeInteger(char *&to, int32_t dtype, int64_t value) {
  if (dtype == PCC_I64) {
    memcpy(to, &value, 8);
    to += 8;
    return;
  }
  int32_t narrow = static_cast<int32_t>(value);
  memcpy(to, &narrow, 4);
  to += 4;
}

/// Returns a step's value of an integer scalar.
static int64_t countOf(Role role, const StepValues &values) {
  switch (role) {
  case Role::Step:
    return values.update;
  case Role::LossScaleWindow:
    return values.lossScaleWindow;
  default:
    return static_cast<int64_t>(values.seed);
  }
}

/// Returns a step's value of a scalar.
static double valueOf(Role role, const StepValues &values) {
  switch (role) {
  case Role::Seed:
    return values.seed;
  case Role::Step:
    return values.update;
  case Role::LearningRate:
    return values.lr;
  case Role::WeightDecay:
    return values.weightDecay;
  case Role::Beta1:
    return values.beta1;
  case Role::Beta2:
    return values.beta2;
  case Role::Epsilon:
    return values.eps;
  case Role::LossScaleWindow:
    return static_cast<double>(values.lossScaleWindow);
  default:
    return values.clipGrad;
  }
}

static void storeScalar(char *to, int32_t dtype, Role role,
                        const StepValues &values) {
  if (dtype == PCC_I64 || dtype == PCC_I32) {
    storeInteger(to, dtype, countOf(role, values));
    return;
  }
  double value = valueOf(role, values);
  convert(to, dtype, 1, &value, PCC_F64, 1, 1);
}

/// Copies a sample's values of an input, of a program whose samples may have
/// several documents.
static void copyRow(const pcc_input &input, const Shard &shard, int64_t sample,
                    char *to, bool hasDocuments, const Dataset &data) {
  Role role = roleOf(input);
  if (role == Role::DocumentStarts)
    return copyStarts(input, shard, data.documentEnds(sample), to);
  data.copySample(input, shard, sample, to);
  if (hasDocuments && input.sequence_dim >= 0 &&
      (role == Role::Targets || role == Role::Labels))
    dropTargets(input, shard, data.documentEnds(sample), to);
}

/// Calls `copy` with a shard of data and the place of its elements in `shard`,
/// for all parts of `shard` that are consecutive in the data, from dim `dim`
/// on.
template <typename Copy>
static void forConsecutive(const pcc_input &input, const Shard &shard, int dim,
                           Shard &part, std::vector<int64_t> &place,
                           const Copy &copy) {
  if (dim == input.layout.rank)
    return copy(part, place);
  if (!(input.order_dims >> dim & 1))
    return forConsecutive(input, shard, dim + 1, part, place, copy);
  int64_t length = input.layout.shape[dim];
  int64_t piece = headTailPiece(length, input.order_ranks);
  int64_t first = shard.start[dim], end = first + shard.extent[dim];
  for (int64_t at = first; at < end; at += part.extent[dim]) {
    part.start[dim] = headTailPosition(at, length, input.order_ranks);
    part.extent[dim] = std::min(piece - at % piece, end - at);
    place[dim] = at - first;
    forConsecutive(input, shard, dim + 1, part, place, copy);
  }
}

/// Copies the elements of `shard` to `to`, row-major; `copy` copies consecutive
/// ones. `skipped`: a dim that the elements do not have, or -1.
template <typename Copy>
static void copyOrdered(const pcc_input &input, const Shard &shard, int skipped,
                        char *to, const Copy &copy) {
  if (!input.order_ranks) {
    copy(shard, to);
    return;
  }
  int64_t width = sizeOf(input.dtype);
  Shard part = shard;
  std::vector<int64_t> place(input.layout.rank, 0);
  std::vector<char> row;
  forConsecutive(input, shard, 0, part, place,
                 [&](const Shard &part, const std::vector<int64_t> &place) {
                   // The extents of `part`, and the distances in `to` between
                   // indices.
                   std::vector<int64_t> extents, steps;
                   int64_t step = width, base = 0, bytes = width;
                   for (int dim = input.layout.rank - 1; dim >= 0; --dim) {
                     if (dim == skipped)
                       continue;
                     extents.insert(extents.begin(), part.extent[dim]);
                     steps.insert(steps.begin(), step);
                     base += place[dim] * step;
                     step *= shard.extent[dim];
                     bytes *= part.extent[dim];
                   }
                   row.resize(bytes);
                   copy(part, row.data());
                   int64_t run = extents.back() * width;
                   for (int64_t at = 0; at < bytes; at += run) {
                     int64_t rest = at / run, offset = base;
                     for (int dim = static_cast<int>(extents.size()) - 2;
                          dim >= 0; --dim) {
                       offset += rest % extents[dim] * steps[dim];
                       rest /= extents[dim];
                     }
                     memcpy(to + offset, row.data() + at, run);
                   }
                 });
}

bool pcc::hasTargets(const pcc_program &program, const Dataset &data,
                     int64_t sample) {
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i) {
      const pcc_input &input = program.stages[s].inputs[i];
      Role role = roleOf(input);
      if (role != Role::Targets && role != Role::Labels)
        continue;
      if (input.layout.rank != 2 || input.sequence_dim != 1 ||
          (input.dtype != PCC_I64 && input.dtype != PCC_I32))
        return true;
      Shard whole;
      whole.start.assign(2, 0);
      whole.extent = {1, program.seq};
      std::vector<char> row(program.seq * sizeOf(input.dtype));
      copyRow(input, whole, sample, row.data(), /*hasDocuments=*/true, data);
      // No token predicts the first label.
      for (int64_t at = role == Role::Labels; at < program.seq; ++at) {
        int64_t target = 0;
        memcpy(&target, row.data() + at * sizeOf(input.dtype),
               sizeOf(input.dtype));
        if (input.dtype == PCC_I32)
          target = static_cast<int32_t>(target);
        if (target >= 0)
          return true;
      }
    }
  return false;
}

/// Fills one microbatch's slot of an input that is not a scalar.
static void fillSlot(const pcc_program &program, const pcc_input &input,
                     const Shard &shard, int64_t microbatch, char *to,
                     const Dataset &data, const DataOrder &order,
                     int64_t step) {
  Role role = roleOf(input);
  if (role == Role::Positions) {
    copyOrdered(input, shard, -1, to, [&](const Shard &part, char *at) {
      for (int64_t i = 0; i < part.extent[0]; ++i)
        storeInteger(at, input.dtype, part.start[0] + i);
    });
    return;
  }
  bool numbers = role == Role::Samples;
  bool hasDocuments = program.n_document_ends > 0;
  int batch = input.batch_dim;
  if (!numbers && batch < 0) {
    copyOrdered(input, shard, -1, to, [&](const Shard &part, char *at) {
      data.copyConstant(input, part, at);
    });
    return;
  }
  int64_t rows = shard.extent[batch];
  int64_t first = microbatch * input.layout.shape[batch] + shard.start[batch];
  if (numbers) {
    for (int64_t i = 0; i < rows; ++i)
      storeInteger(to, input.dtype, first + i);
    return;
  }
  // For each index of the dims before the batch dim, the samples' blocks are
  // contiguous.
  int64_t blocks = 1;
  for (int dim = 0; dim < batch; ++dim)
    blocks *= shard.extent[dim];
  int64_t rowBytes = shard.elements() / rows * sizeOf(input.dtype);
  int64_t blockBytes = rowBytes / blocks;
  std::vector<char> row(blocks > 1 ? rowBytes : 0);
  for (int64_t i = 0; i < rows; ++i) {
    int64_t sample = order.sample(step, first + i);
    char *at = blocks == 1 ? to + i * rowBytes : row.data();
    copyOrdered(input, shard, batch, at, [&](const Shard &part, char *at) {
      copyRow(input, part, sample, at, hasDocuments, data);
    });
    if (blocks == 1)
      continue;
    for (int64_t block = 0; block < blocks; ++block)
      memcpy(to + (block * rows + i) * blockBytes,
             row.data() + block * blockBytes, blockBytes);
  }
}

void pcc::fillInput(const pcc_program &program, const pcc_input &input,
                    const Coordinates &coordinates, int64_t microbatch,
                    char *to, const Dataset &data, const DataOrder &order,
                    int64_t step) {
  if (microbatch < program.microbatches)
    fillSlot(program, input, shardOf(program, input.layout, coordinates),
             microbatch, to, data, order, step);
}

void pcc::fillInputs(const pcc_program &program, const pcc_stage &stage,
                     const Coordinates &coordinates, char *arena,
                     const Dataset &data, const DataOrder &order,
                     const StepValues &values) {
  for (int i = 0; i < stage.n_inputs; ++i) {
    const pcc_input &input = stage.inputs[i];
    if (input.refilled)
      continue;
    Shard shard = shardOf(program, input.layout, coordinates);
    int64_t bytes = shard.elements() * sizeOf(input.dtype);
    int64_t slots = input.slot_bytes ? program.microbatches : 1;
    for (int64_t slot = 0; slot < slots; ++slot) {
      HostView view(arena + input.arena_offset + slot * input.slot_bytes, bytes,
                    backend::Access::Write);
      char *to = static_cast<char *>(view.data());
      if (isScalar(roleOf(input)))
        storeScalar(to, input.dtype, roleOf(input), values);
      else
        fillSlot(program, input, shard, slot, to, data, order, values.step);
    }
  }
}
