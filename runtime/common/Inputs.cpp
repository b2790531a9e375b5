//===- Inputs.cpp - Fills a program's inputs before a step ----------------===//

#include "runtime/common/Inputs.h"

#include "runtime/common/Backend.h"
#include "runtime/common/DType.h"
#include "runtime/common/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;

int64_t pcc::globalBatch(const pcc_program &program) {
  return program.micro_batch * program.data_parallel * program.microbatches;
}

static const char *const scalarRoles[] = {
    "seed", "step", "lr", "weight_decay", "beta1", "beta2", "eps", "clip_grad"};

static bool isScalar(const char *role) {
  return std::any_of(std::begin(scalarRoles), std::end(scalarRoles),
                     [&](const char *known) { return !strcmp(role, known); });
}

/// Offset from a position of the input to the token it holds, or -1 for a role
/// that does not hold tokens. Targets are the following tokens; labels are the
/// tokens themselves, for a model that shifts them inside.
static int tokenShift(const char *role) {
  if (!strcmp(role, "tokens") || !strcmp(role, "labels"))
    return 0;
  return strcmp(role, "targets") ? -1 : 1;
}

void pcc::checkInputs(const pcc_program &program, const pcc_stage &stage) {
  for (int i = 0; i < stage.n_inputs; ++i) {
    const pcc_input &input = stage.inputs[i];
    int rank =
        tokenShift(input.role) >= 0                                          ? 2
        : !strcmp(input.role, "positions") || !strcmp(input.role, "samples") ? 1
        : isScalar(input.role)                                               ? 0
                               : -1;
    if (rank < 0)
      fail(ExitInternal,
           format("input '%s' has role '%s', which this runtime cannot fill",
                  input.name, input.role));
    bool integer = input.dtype == PCC_I64 || input.dtype == PCC_I32;
    bool real = input.dtype == PCC_F32 || input.dtype == PCC_F64;
    bool counted = !strcmp(input.role, "seed") || !strcmp(input.role, "step");
    bool typed = rank > 0 ? integer : real || (counted && integer);
    if (input.layout.rank != rank || !typed)
      fail(ExitInternal,
           format("input '%s' with role '%s' has rank %d and type %s",
                  input.name, input.role, input.layout.rank,
                  dtypeName(input.dtype)));
    if (rank == 2 && input.layout.shape[1] != program.seq)
      fail(ExitInternal,
           format("input '%s' has %lld positions, a sample %lld", input.name,
                  static_cast<long long>(input.layout.shape[1]),
                  static_cast<long long>(program.seq)));
  }
}

/// The least vocabulary among all stages' token inputs; 0: none.
static int64_t vocabularyOf(const pcc_program &program) {
  int64_t least = 0;
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i)
      if (int64_t vocab = program.stages[s].inputs[i].vocab)
        least = least ? std::min(least, vocab) : vocab;
  return least;
}

void pcc::checkTokens(const pcc_program &program, const TokenFile &data,
                      const DataOrder &order, int64_t step) {
  int64_t vocab = vocabularyOf(program);
  if (vocab == 0)
    return;
  for (int64_t i = 0; i < globalBatch(program); ++i) {
    int64_t begin = order.sample(step, i) * program.seq;
    for (int64_t position = begin; position <= begin + program.seq; ++position)
      if (data.at(position) >= vocab)
        fail(ExitData,
             format("token %u at position %lld of '%s' is outside the "
                    "vocabulary of %lld",
                    data.at(position), static_cast<long long>(position),
                    data.path().c_str(), static_cast<long long>(vocab)),
             format("valid tokens are 0 to %lld; was the data prepared with "
                    "another tokenizer?",
                    static_cast<long long>(vocab - 1)));
  }
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

static void storeScalar(char *to, int32_t dtype, const std::string &role,
                        const StepValues &values) {
  if (dtype == PCC_I64 || dtype == PCC_I32) {
    storeInteger(to, dtype,
                 role == "step" ? values.step
                                : static_cast<int64_t>(values.seed));
    return;
  }
  double value = role == "step"           ? values.step
                 : role == "seed"         ? values.seed
                 : role == "lr"           ? values.lr
                 : role == "weight_decay" ? values.weightDecay
                 : role == "beta1"        ? values.beta1
                 : role == "beta2"        ? values.beta2
                 : role == "eps"          ? values.eps
                                          : values.clipGrad;
  convert(to, dtype, 1, &value, PCC_F64, 1, 1);
}

/// One microbatch's slot of an input that is not a scalar.
static void fillSlot(const pcc_program &program, const pcc_input &input,
                     const Shard &shard, int64_t microbatch, char *to,
                     const TokenFile &data, const DataOrder &order,
                     int64_t step) {
  if (!strcmp(input.role, "positions")) {
    for (int64_t i = 0; i < shard.extent[0]; ++i)
      storeInteger(to, input.dtype, shard.start[0] + i);
    return;
  }
  int64_t firstRow = microbatch * input.layout.shape[0] + shard.start[0];
  for (int64_t row = firstRow; row < firstRow + shard.extent[0]; ++row) {
    if (!strcmp(input.role, "samples")) {
      storeInteger(to, input.dtype, row);
      continue;
    }
    int64_t position = order.sample(step, row) * program.seq +
                       tokenShift(input.role) + shard.start[1];
    for (int64_t i = 0; i < shard.extent[1]; ++i)
      storeInteger(to, input.dtype, data.at(position + i));
  }
}

void pcc::fillInputs(const pcc_program &program, const pcc_stage &stage,
                     const Coordinates &coordinates, char *arena,
                     const TokenFile &data, const DataOrder &order,
                     const StepValues &values) {
  for (int i = 0; i < stage.n_inputs; ++i) {
    const pcc_input &input = stage.inputs[i];
    Shard shard = shardOf(program, input.layout, coordinates);
    int64_t bytes = shard.elements() * sizeOf(input.dtype);
    int64_t slots = input.slot_bytes ? program.microbatches : 1;
    for (int64_t slot = 0; slot < slots; ++slot) {
      HostView view(arena + input.arena_offset + slot * input.slot_bytes, bytes,
                    backend::Access::Write);
      char *to = static_cast<char *>(view.data());
      if (input.layout.rank == 0)
        storeScalar(to, input.dtype, input.role, values);
      else
        fillSlot(program, input, shard, slot, to, data, order, values.step);
    }
  }
}
