//===- Toy.cpp - A hand-written program for the runtime -------------------===//
//
// The program that a compiler would emit for the model of Toy.h on a mesh of PP
// x DP x TP ranks (macros): W, b and the logits are sharded over the vocabulary
// by tp; E is in the first stage and the rest in the last. It uses the same ABI
// as emitted programs and checks its inputs.
//
// With ZERO 1 parameters and moments are in buckets that are sharded over dp
// into shards of odd lengths. The parameters' bucket is in every rank's arena,
// but after a step everything except the rank's shard is NaN until the next
// step gathers it. With ZERO 3 ranks hold only their parameter shard, too. A
// microbatch has BATCH samples.
//
//===----------------------------------------------------------------------===//

#include "test/Runtime/Toy.h"

#include "runtime/Program.h"
#include "runtime/Runtime.h"
#include "runtime/model/FileDigest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#ifndef MICROBATCHES
#define MICROBATCHES 2
#endif
#ifndef ZERO
#define ZERO 0
#endif
#ifndef BATCH
#define BATCH 4
#endif

using namespace toy;

// Letters as in formulas. NOLINTBEGIN(readability-identifier-naming)
static const int64_t stages = PP, M = MICROBATCHES, B = BATCH / DP / (M / 2);
static const int64_t N = B * S;                   // rows of a local microbatch
static const int64_t Vp = (V + TP - 1) / TP * TP; // padded vocabulary
static const int64_t Vl = Vp / TP;
// NOLINTEND(readability-identifier-naming)

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

static int64_t place(int64_t bytes) {
  static int64_t top = 0;
  int64_t at = top;
  top += (bytes + PCC_ALIGNMENT - 1) / PCC_ALIGNMENT * PCC_ALIGNMENT;
  return at;
}

static const int64_t sizeE = V * D, sizeW = D * Vl, sizeB = Vl;
// With ZERO, offsets in the bucket: nothing is aligned, so that shards split
// rows of W.
static const int64_t rowE = 3, rowW = rowE + sizeE + 1, rowB = rowW + sizeW,
                     partSize = (rowB + sizeB + DP - 1) / DP;
static const int64_t atRow = place(ZERO ? 4 * partSize * DP : 0),
                     atPart = place(ZERO ? 4 * partSize : 0),
                     mPart = place(ZERO ? 4 * partSize : 0),
                     vPart = place(ZERO ? 4 * partSize : 0);
static int64_t placeOf(int64_t inRow, int64_t size) {
  return ZERO ? atRow + 4 * inRow : place(4 * size);
}
static int64_t placeOfState(int64_t size) { return ZERO ? 0 : place(4 * size); }
static const int64_t atE = placeOf(rowE, sizeE), atW = placeOf(rowW, sizeW),
                     atB = placeOf(rowB, sizeB);
static const int64_t mE = placeOfState(sizeE), mW = placeOfState(sizeW),
                     mB = placeOfState(sizeB);
static const int64_t vE = placeOfState(sizeE), vW = placeOfState(sizeW),
                     vB = placeOfState(sizeB);
static const int64_t gE = place(4 * sizeE), gW = place(4 * sizeW),
                     gB = place(4 * sizeB);
static const int64_t atTokens = place(8 * N * M), atTargets = place(8 * N * M),
                     atSamples = place(8 * B * M), atPositions = place(8 * S),
                     atStep = place(8), atScalars = place(4 * 6);
static const int64_t atH = place(4 * N * D), atDH = place(4 * N * D),
                     atLogits = place(4 * N * Vl), atRows = place(4 * N * 3),
                     atSums = place(4 * 4), atLoss = place(4),
                     atNorm = place(4), atCount = place(4);
#ifdef EXTRA_BYTES // more than any host has
static const int64_t arenaBytes = place(0) + EXTRA_BYTES;
#else
static const int64_t arenaBytes = place(0);
#endif

//===----------------------------------------------------------------------===//
// Axes, communicators, tensors
//===----------------------------------------------------------------------===//

static pcc_axis axes[3];
static int32_t axisPP = -1, axisDP = -1, axisTP = -1;
static int32_t addAxis(const char *name, int64_t size, int32_t role) {
  static int32_t count = 0;
  if (size > 0) // 0: the number of axes
    axes[count] = {name, size, role};
  return size > 1 ? count++ : size == 0 ? count : -1;
}

static int32_t mpAxes[2], dpAxes[1], tpAxes[1];
static pcc_comm comms[3]; // tp, dp, pp and tp

static const int64_t shapeE[] = {V, D}, shapeW[] = {D, Vp}, shapeB[] = {Vp},
                     sourceB[] = {V}, validW[] = {D, V};
static const int64_t shapeCopy[] = {D, V}, strideCopy[] = {1, V};
static const int64_t strideE[] = {D, 1}, strideW[] = {1, D}, strideB[] = {1};
static const int64_t shapeTokens[] = {B * DP, S}, shapeS[] = {S},
                     shapeSamples[] = {B * DP};
static int32_t whole[] = {0, 0, 0}, firstDim[] = {0, DP > 1, DP > 1};
static int32_t lastOf2[] = {0, 0, TP > 1}, lastOf1[] = {0, TP > 1};

static pcc_source sources[3], copyOfE;
static const int64_t offsets[] = {rowE, rowW, rowB};
static pcc_bucket bucketP, bucketM, bucketV;
static pcc_tensor tensors[12];
static pcc_input inputs[11];
static pcc_output outputs[2], evalOutputs[2];
static pcc_stage stageTable[2];

static bool holds(int64_t stage, int tensor) {
  return stages == 1 || (tensor == 0) == (stage == 0);
}

static void step(pcc_context *ctx, char *arena);
static void evaluate(pcc_context *ctx, char *arena);

static pcc_program makeProgram() {
  axisPP = addAxis("pp", PP, PCC_PIPELINE_AXIS);
  axisDP = addAxis("dp", DP, PCC_DATA_AXIS);
  axisTP = addAxis("tp", TP, PCC_TENSOR_AXIS);
  tpAxes[0] = axisTP;
  dpAxes[0] = axisDP;
  int32_t mp = 0;
  for (int32_t axis : {axisPP, axisTP})
    if (axis >= 0)
      mpAxes[mp++] = axis;
  comms[0] = {TP > 1, tpAxes, 0, 32};
  comms[1] = {DP > 1, dpAxes, 0, 32};
  comms[2] = {mp, mpAxes, 0, 32};

  std::vector<char> bytes = modelBytes();
  int64_t size = bytes.size();
  uint64_t digest = pcc::fileDigest(bytes.data(), size);
  int64_t offset = headerBytes;
  auto source = [&](const char *name, int32_t rank, const int64_t *shape,
                    const int64_t *stride, const int64_t *valid,
                    int64_t elements) {
    pcc_source made = {name,   name,    "toy.bin", size,   digest,
                       offset, PCC_F32, PCC_F32,   rank,   0,
                       0,      shape,   0,         stride, valid};
    offset += 4 * elements;
    return made;
  };
  sources[0] = source("emb.weight", 2, shapeE, strideE, shapeE, V * D);
  sources[1] = source("head.weight", 2, shapeE, strideW, validW, V * D);
  sources[2] = source("head.bias", 1, sourceB, strideB, sourceB, V);
  // As if the model file was exported from the directory "source".
  static const char *const folderFiles[] = {"config.json", "chat/tool.jinja"};
  static const pcc_model_folder folder = {"source", 2, folderFiles};
  const char *exported = getenv("TOY_EXPORTED");
  if (exported) {
    sources[0].saved_dtype = PCC_BF16;
    sources[1].saved_dtype = PCC_F16;
    if (!strcmp(exported, "renamed"))
      sources[1].saved_name = "output.weight";
  }
  copyOfE = source("emb.copy", 2, shapeCopy, strideCopy, shapeE, V * D);

  static const char *const names[] = {"emb.weight", "head.weight", "head.bias"};
  static const char *const firsts[] = {
      "exp_avg.emb.weight", "exp_avg.head.weight", "exp_avg.head.bias"};
  static const char *const seconds[] = {"exp_avg_sq.emb.weight",
                                        "exp_avg_sq.head.weight",
                                        "exp_avg_sq.head.bias"};
  static const char *const grads[] = {"grad.emb.weight", "grad.head.weight",
                                      "grad.head.bias"};
  const pcc_layout layouts[] = {{2, shapeE, whole, nullptr},
                                {2, shapeW, lastOf2, tpAxes},
                                {1, shapeB, lastOf1, tpAxes}};
  const int64_t at[][4] = {
      {atE, mE, vE, gE}, {atW, mW, vW, gW}, {atB, mB, vB, gB}};
  bucketP = {partSize * DP, 1, dpAxes, ZERO < 3, ZERO < 3 ? atRow : atPart};
  bucketM = {partSize * DP, 1, dpAxes, 0, mPart};
  bucketV = {partSize * DP, 1, dpAxes, 0, vPart};
  auto bucket = [](const pcc_bucket &made) { return ZERO ? &made : nullptr; };
  // The tensors of stage 0 first, then those of stage 1.
  int32_t count = 0;
  for (int64_t s = 0; s < stages; ++s) {
    stageTable[s].tensors = tensors + count;
    for (int t = 0; t < 3; ++t) {
      if (!holds(s, t))
        continue;
      int32_t init = t == 2 ? PCC_INIT_ZERO : PCC_INIT_NORMAL;
      tensors[count++] = {names[t],    nullptr,         PCC_PARAM,  PCC_F32,
                          init,        t < 2,           layouts[t], at[t][0],
                          &sources[t], t == 0,          &copyOfE,   0,
                          nullptr,     bucket(bucketP), offsets[t]};
      tensors[count++] = {
          firsts[t], names[t],   PCC_STATE, PCC_F32,         PCC_INIT_ZERO,
          0,         layouts[t], at[t][1],  &sources[t],     0,
          nullptr,   0,          nullptr,   bucket(bucketM), offsets[t]};
      tensors[count++] = {
          seconds[t], names[t],   PCC_STATE, PCC_F32,         PCC_INIT_ZERO,
          0,          layouts[t], at[t][2],  &sources[t],     0,
          nullptr,    0,          nullptr,   bucket(bucketV), offsets[t]};
      tensors[count++] = {
          grads[t], names[t],   PCC_SCRATCH, PCC_F32, PCC_INIT_ZERO,
          0,        layouts[t], at[t][3],    nullptr, 0,
          nullptr,  0,          nullptr,     nullptr, 0};
    }
    stageTable[s].n_tensors =
        static_cast<int32_t>(tensors + count - stageTable[s].tensors);
  }

  const pcc_layout scalar = {0, nullptr, whole, nullptr};
  const pcc_layout tokens = {2, shapeTokens, firstDim, dpAxes};
  int32_t n = 0;
  inputs[n++] = {"tokens", "input_ids", PCC_I64, 0, tokens, atTokens, 8 * N,
                 V,        "wte",       0,       1, 0,      0,        0};
  inputs[n++] = {"targets", "targets", PCC_I64, 0, tokens, atTargets, 8 * N,
                 V,         "loss",    0,       1, 0,      0,         0};
  inputs[n++] = {"samples",
                 "samples",
                 PCC_I64,
                 0,
                 {1, shapeSamples, firstDim, dpAxes},
                 atSamples,
                 8 * B,
                 0,
                 nullptr,
                 0,
                 -1,
                 0,
                 0,
                 0};
  inputs[n++] = {
      "positions", "positions", PCC_I64, 0,       {1, shapeS, whole, nullptr},
      atPositions, 0,           0,       nullptr, -1,
      0,           0,           0,       0};
  inputs[n++] = {"step", "step",  PCC_I64, 0,  scalar, atStep, 0,
                 0,      nullptr, -1,      -1, 0,      0,      0};
  const char *const roles[] = {"lr",    "weight_decay", "beta1",
                               "beta2", "eps",          "clip_grad"};
  for (int i = 0; i < 6; ++i)
    inputs[n++] = {roles[i], roles[i], PCC_F32, 0,  scalar, atScalars + 4 * i,
                   0,        0,        nullptr, -1, -1,     0,
                   0,        0};

  outputs[0] = evalOutputs[0] = {"loss", PCC_F32, scalar, atLoss};
  outputs[1] = {"norm", PCC_F32, scalar, atNorm};
  evalOutputs[1] = {"target_count", PCC_F32, scalar, atCount};
  for (int64_t s = 0; s < stages; ++s) {
    // The first of two stages knows the norm but not the loss.
    bool last = s == stages - 1;
    pcc_stage &stage = stageTable[s];
    stage.arena_bytes = arenaBytes;
    stage.n_inputs = n;
    stage.inputs = inputs;
    stage.outputs = last ? outputs : outputs + 1;
    stage.n_outputs = last ? 2 : 1;
    stage.step = step;
    stage.evaluate = stages == 1 ? evaluate : nullptr;
    stage.eval_outputs = evalOutputs;
    stage.n_eval_outputs = stages == 1 ? 2 : 0;
  }
  return {PCC_ABI_VERSION,
          "toy",
          "toy.bin",
          "made by hand",
          addAxis("", 0, 0),
          axes,
          PP,
          stageTable,
          3,
          comms,
          0,
          nullptr,
          S,
          B,
          M,
          DP,
          2 * V * D + V,
          0,
          0,
          nullptr,
          0,
          nullptr,
          exported ? &folder : nullptr,
          nullptr,
          /*n_document_ends=*/0,
          /*document_ends=*/nullptr,
          nullptr};
}

const pcc_program pcc_the_program = makeProgram();

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

static float *floats(char *arena, int64_t at) {
  return reinterpret_cast<float *>(arena + at);
}
static const int64_t *integers(char *arena, int64_t at) {
  return reinterpret_cast<const int64_t *>(arena + at);
}

static void expect(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "toy: wrong %s\n", what);
  _exit(99);
}

static void checkInputs(pcc_context *ctx, char *arena, int64_t m) {
  int64_t dp = pcc_comm_index(ctx, 1);
  for (int64_t r = 0; r < B; ++r)
    expect(integers(arena, atSamples)[m * B + r] == m * B * DP + dp * B + r,
           "samples");
  for (int64_t i = 0; i < S; ++i)
    expect(integers(arena, atPositions)[i] == i, "positions");
  // Within a sample the targets are the following tokens.
  const int64_t *tokens = integers(arena, atTokens) + m * N;
  const int64_t *targets = integers(arena, atTargets) + m * N;
  for (int64_t i = 0; i < N; ++i)
    expect((i + 1) % S == 0 || targets[i] == tokens[i + 1], "targets");
}

/// With TOY_READ=FILE, appends what this data-parallel rank reads to FILE.<dp>:
/// a line "step i token token ..." for the i-th sample of the step.
static void writeInputs(pcc_context *ctx, char *arena, int64_t m) {
  const char *path = getenv("TOY_READ");
  if (!path || pcc_comm_index(ctx, 0) != 0)
    return;
  std::string name = path + ("." + std::to_string(pcc_comm_index(ctx, 1)));
  FILE *file = fopen(name.c_str(), "a");
  expect(file, "TOY_READ");
  for (int64_t r = 0; r < B; ++r) {
    fprintf(file, "%lld %lld", static_cast<long long>(*integers(arena, atStep)),
            static_cast<long long>(integers(arena, atSamples)[m * B + r]));
    for (int64_t i = 0; i < S; ++i)
      fprintf(file, " %lld",
              static_cast<long long>(
                  integers(arena, atTokens)[(m * B + r) * S + i]));
    fputc('\n', file);
  }
  fclose(file);
}

static void embedKernel(void *const *args, int64_t begin, int64_t end) {
  auto *h = static_cast<float *>(args[0]);
  auto *table = static_cast<const float *>(args[1]);
  auto *tokens = static_cast<const int64_t *>(args[2]);
  for (int64_t i = begin; i < end; ++i)
    std::copy_n(table + tokens[i] * D, D, h + i * D);
}

static void embed(pcc_context *ctx, char *arena, int64_t m) {
  void *args[] = {arena + atH, arena + atE, arena + atTokens + 8 * N * m};
  static const int64_t bytes[] = {4 * N * D, 4 * V * D, 8 * N};
  static const pcc_kernel kernel = {"embed", "", 3, bytes, embedKernel,
                                    N,       4,  0, 0,     0};
  pcc_launch(ctx, &kernel, args);
}

/// Logits, loss and, where `backward`, the gradients of W, b and h.
static void head(pcc_context *ctx, char *arena, int64_t m, bool backward) {
  float *logits = floats(arena, atLogits), *sums = floats(arena, atSums);
  float *rowMax = floats(arena, atRows), *rowSum = rowMax + N,
        *rowTarget = rowSum + N;
  const int64_t *targets = integers(arena, atTargets) + m * N;
  int64_t first = pcc_comm_index(ctx, 0) * Vl;
  int64_t valid = std::min(Vl, V - first); // the rest is padding

  pcc_gemm_desc product = {PCC_F32, PCC_F32, PCC_F32, 0, 0, N, Vl, D,
                           D,       Vl,      Vl,      1, 1, 0, 0,  0,
                           0,       0,       0,       1, 0, ""};
  pcc_gemm(ctx, &product, arena + atH, arena + atW, logits);
  const float *bias = floats(arena, atB);
  for (int64_t i = 0; i < N; ++i) {
    float *row = logits + i * Vl;
    for (int64_t j = 0; j < valid; ++j)
      row[j] += bias[j];
    rowMax[i] = *std::max_element(row, row + valid);
  }
  pcc_all_reduce(ctx, 0, PCC_F32, PCC_MAX, rowMax, N);
  for (int64_t i = 0; i < N; ++i) {
    float *row = logits + i * Vl;
    int64_t target = targets[i] - first;
    rowTarget[i] = target >= 0 && target < valid ? row[target] - rowMax[i] : 0;
    rowSum[i] = 0;
    for (int64_t j = 0; j < Vl; ++j) {
      row[j] = j < valid ? std::exp(row[j] - rowMax[i]) : 0;
      rowSum[i] += row[j];
    }
  }
  pcc_all_reduce(ctx, 0, PCC_F32, PCC_SUM, rowSum, 2 * N);
  for (int64_t i = 0; i < N; ++i)
    sums[0] += std::log(rowSum[i]) - rowTarget[i];
  sums[1] += N;
  if (!backward)
    return;

  for (int64_t i = 0; i < N; ++i) {
    float *row = logits + i * Vl;
    for (int64_t j = 0; j < Vl; ++j)
      row[j] /= rowSum[i];
    int64_t target = targets[i] - first;
    if (target >= 0 && target < valid)
      row[target] -= 1;
    for (int64_t j = 0; j < Vl; ++j)
      floats(arena, gB)[j] += row[j];
  }
  pcc_gemm_desc gradW = {PCC_F32, PCC_F32, PCC_F32, 1, 0, D, Vl, N, D, Vl, Vl,
                         1,       1,       0,       0, 0, 0, 0,  0, 1, 1,  ""};
  pcc_gemm(ctx, &gradW, arena + atH, logits, arena + gW);
  pcc_gemm_desc gradH = {PCC_F32, PCC_F32, PCC_F32, 0, 1, N, D, Vl, Vl, Vl, D,
                         1,       1,       0,       0, 0, 0, 0, 0,  1,  0,  ""};
  pcc_gemm(ctx, &gradH, logits, arena + atW, arena + atDH);
  pcc_all_reduce(ctx, 0, PCC_F32, PCC_SUM, arena + atDH, N * D);
}

static void embedBackward(char *arena, int64_t m) {
  const int64_t *tokens = integers(arena, atTokens) + m * N;
  for (int64_t i = 0; i < N * D; ++i)
    floats(arena, gE)[tokens[i / D] * D + i % D] += floats(arena, atDH)[i];
}

/// The microbatches of one step on a mesh with this many stages.
static void microbatches(pcc_context *ctx, char *arena, int64_t stage) {
  const int64_t bytes = 4 * N * D;
  char *h = arena + atH, *dh = arena + atDH;
  for (int64_t m = 0; m < M; ++m) {
    checkInputs(ctx, arena, m);
    if (stage == 0)
      writeInputs(ctx, arena, m);
    if (stages == 1) {
      embed(ctx, arena, m);
      head(ctx, arena, m, true);
      embedBackward(arena, m);
    } else if (stage == 0) {
      embed(ctx, arena, m);
      if (m == 0) {
        pcc_send(ctx, 1, 0, h, bytes);
        continue;
      }
      pcc_exchange(ctx, 1, 0, h, bytes, 1, 1, dh, bytes);
      embedBackward(arena, m - 1);
    } else {
      if (m == 0)
        pcc_recv(ctx, 0, 0, h, bytes);
      head(ctx, arena, m, true);
      if (m + 1 < M)
        pcc_exchange(ctx, 0, 1, dh, bytes, 0, 0, h, bytes);
      else
        pcc_send(ctx, 0, 1, dh, bytes);
    }
  }
  if (stages > 1 && stage == 0) {
    pcc_recv(ctx, 1, 1, dh, bytes);
    embedBackward(arena, M - 1);
  }
}

/// Gathers the other ranks' parameter shards, or discards them again.
static void gatherRow(pcc_context *ctx, char *arena) {
  int64_t first = pcc_comm_index(ctx, 1) * partSize;
  if (ZERO == 0)
    return;
  const char *own = arena + (ZERO < 3 ? atRow + 4 * first : atPart);
  pcc_all_gather(ctx, 1, PCC_F32, own, arena + atRow, partSize);
}
static void leaveRow(pcc_context *ctx, char *arena) {
  int64_t first = pcc_comm_index(ctx, 1) * partSize;
  if (ZERO == 0)
    return;
  pcc_copy(ctx, arena + atPart, arena + atRow + 4 * first, 4 * partSize);
  for (int64_t i = 0; i < partSize * DP; ++i)
    if (ZERO == 3 || i < first || i >= first + partSize)
      floats(arena, atRow)[i] = NAN;
  if (ZERO < 3)
    std::fill_n(floats(arena, atPart), partSize, NAN);
}

struct Update {
  int64_t param, m, v, grad, count, row;
  bool decays;
};

static void adamw(pcc_context *ctx, char *arena, const Update &u, float scale) {
  const float *s = floats(arena, atScalars);
  float step = integers(arena, atStep)[0];
  float lr = s[0], decay = u.decays ? s[1] : 0, beta1 = s[2], beta2 = s[3];
  float correct1 = 1 - std::pow(beta1, step);
  float correct2 = 1 - std::pow(beta2, step);
  float *p = floats(arena, u.param), *m = floats(arena, u.m),
        *v = floats(arena, u.v), *grad = floats(arena, u.grad);
  int64_t begin = 0, end = u.count;
  if (ZERO) {
    int64_t first = pcc_comm_index(ctx, 1) * partSize - u.row;
    begin = std::max(begin, first);
    end = std::min(end, first + partSize);
    m = floats(arena, mPart) - first;
    v = floats(arena, vPart) - first;
  }
  for (int64_t i = begin; i < end; ++i) {
    float g = grad[i] * scale;
    m[i] = beta1 * m[i] + (1 - beta1) * g;
    v[i] = beta2 * v[i] + (1 - beta2) * g * g;
    p[i] -= lr * decay * p[i];
    p[i] -= lr * (m[i] / correct1) / (std::sqrt(v[i] / correct2) + s[4]);
  }
}

static void step(pcc_context *ctx, char *arena) {
  if (const char *pause = getenv("TOY_PAUSE_MS"))
    usleep(1000 * atoi(pause));
  // pp is the major axis of the third communicator.
  int64_t stage = stages == 1 ? 0 : pcc_comm_index(ctx, 2) / TP;
  gatherRow(ctx, arena);
  pcc_zero(ctx, arena + atSums, 16);
  for (int64_t grad : {gE, gW, gB})
    pcc_zero(ctx, arena + grad,
             4 * (grad == gE   ? sizeE
                  : grad == gW ? sizeW
                               : sizeB));
  microbatches(ctx, arena, stage);

  float *sums = floats(arena, atSums); // loss, targets, squares
  sums[1] = M * N;
  pcc_all_reduce(ctx, 1, PCC_F32, PCC_SUM, sums, 2);
  const Update updates[] = {{atE, mE, vE, gE, sizeE, rowE, true},
                            {atW, mW, vW, gW, sizeW, rowW, true},
                            {atB, mB, vB, gB, sizeB, rowB, false}};
  for (int t = 0; t < 3; ++t) {
    if (!holds(stage, t))
      continue;
    const Update &u = updates[t];
    pcc_all_reduce(ctx, 1, PCC_F32, PCC_SUM, arena + u.grad, u.count);
    float *grad = floats(arena, u.grad);
    // All tp ranks hold E; it is counted once.
    float share = t == 0 ? 1.0f / TP : 1;
    for (int64_t i = 0; i < u.count; ++i) {
      grad[i] /= sums[1];
      sums[2] += grad[i] * grad[i] * share;
    }
  }
  pcc_all_reduce(ctx, 2, PCC_F32, PCC_SUM, sums + 2, 1);
  float norm = std::sqrt(sums[2]);
  float clip = std::min(1.0f, floats(arena, atScalars)[5] / (norm + 1e-6f));
  for (int t = 0; t < 3; ++t)
    if (holds(stage, t))
      adamw(ctx, arena, updates[t], clip);
  leaveRow(ctx, arena);
  *floats(arena, atNorm) = norm;
  *floats(arena, atLoss) = sums[0] / sums[1];
}

static void evaluate(pcc_context *ctx, char *arena) {
  gatherRow(ctx, arena);
  pcc_zero(ctx, arena + atSums, 16);
  for (int64_t m = 0; m < M; ++m) {
    embed(ctx, arena, m);
    head(ctx, arena, m, false);
  }
  float *sums = floats(arena, atSums);
  pcc_all_reduce(ctx, 1, PCC_F32, PCC_SUM, sums, 2);
  leaveRow(ctx, arena);
  *floats(arena, atLoss) = sums[0] / sums[1];
  *floats(arena, atCount) = sums[1];
}
