//===- Attention.cpp - Attention by cuDNN ---------------------------------===//
//
// All attention calls that use the library are known at the start, and so are
// their plans. A step only executes plans with a list of addresses.
//
//===----------------------------------------------------------------------===//

#include "runtime/Chips.h"
#include "runtime/cuda/AttentionGraph.h"
#include "runtime/cuda/Graphs.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <limits>
#include <map>

using namespace pcc;
using namespace pcc::cuda;

namespace {

struct Plan {
  cudnnBackendDescriptor_t plan;
  int64_t workspace;
};

/// A tensor and its address.
struct Binding {
  AttentionTensor tensor;
  const void *place;
};

} // namespace

/// Earlier versions read out of bounds when a CUDA graph launches them, if the
/// keys of a backward pass do not fill whole tiles.
static const size_t takesAnyKeysSince = 91501;
static const int64_t keysOfTile = 128;

static std::map<const pcc_attention_desc *, Plan> &plans() {
  static auto &plans = *new std::map<const pcc_attention_desc *, Plan>;
  return plans;
}

static std::string describe(const pcc_attention_desc &d) {
  auto number = [](int64_t value) { return static_cast<long long>(value); };
  return format("%s%s attention of '%s' (batch %lld, %lld queries, %lld keys, "
                "%lld and %lld heads of %lld, %s)",
                d.is_causal ? "causal " : "",
                d.is_backward ? "backward" : "forward", d.node, number(d.batch),
                number(d.queries), number(d.keys), number(d.heads),
                number(d.key_heads), number(d.size), dtypeName(d.dtype));
}

[[noreturn]] static void refuse(const pcc_attention_desc &desc,
                                const std::string &why,
                                const std::string &hint) {
  fail(ExitDevice,
       format("cuDNN %s cannot compute the %s: %s",
              versionText(dnn().cudnnGetVersion()).c_str(),
              describe(desc).c_str(), why.c_str()),
       hint);
}

[[noreturn]] static void refuse(const pcc_attention_desc &desc,
                                const std::string &why) {
  refuse(desc, why,
         "pcc --attention-backend tiles compiles a program without cuDNN");
}

static cudnnHandle_t handle() {
  static cudnnHandle_t handle = [] {
    cudnnHandle_t made;
    cudnnStatus_t status = dnn().cudnnCreate(&made);
    if (status == CUDNN_STATUS_SUCCESS)
      status = dnn().cudnnSetStream(
          made, reinterpret_cast<cudaStream_t>(computeStream()));
    if (status != CUDNN_STATUS_SUCCESS)
      fail(ExitDevice,
           format("cuDNN cannot start: %s", dnn().cudnnGetErrorString(status)));
    return made;
  }();
  return handle;
}

/// Creates the plan of an engine. Returns false if the library rejects it;
/// `error` keeps the first reason.
static bool planWith(const AttentionEngine &engine,
                     cudnnBackendDescriptor_t properties, Plan &made,
                     std::string &error) {
  DnnBuilder b(dnn());
  auto *plan = b.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  b.set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, engine.config);
  b.set(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, properties);
  b.finalize(plan);
  b.get(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
        &made.workspace);
  if (b.isWell())
    made.plan = b.keep(plan);
  else if (error.empty())
    error = b.error();
  return made.plan;
}

static Plan makePlan(const pcc_attention_desc &desc) {
  DnnBuilder b(dnn());
  auto *properties = b.create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  b.set(properties, CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, handle());
  b.finalize(properties);
  auto engines = findAttentionEngines(b, desc, properties);
  if (!b.isWell())
    refuse(desc, b.error());
  // Only now it shows whether an engine supports the device.
  Plan made = {};
  std::string error;
  for (const AttentionEngine &engine : engines)
    if (planWith(engine, properties, made, error))
      break;
  if (!made.plan)
    refuse(desc, error);
  int64_t needed = workspaceNeeded(desc, made.workspace),
          there = desc.is_backward ? desc.workspace_bytes
                                   : int64_t{PCC_WORKSPACE_BYTES};
  if (needed > there)
    refuse(desc, format("it needs a workspace of %lld bytes, and the program "
                        "has %lld",
                        static_cast<long long>(needed),
                        static_cast<long long>(there)));
  return made;
}

std::string cuda::makeAttention(const pcc_stage &stage) {
  if (!stage.n_attentions)
    return "";
  for (int i = 0; i < stage.n_attentions; ++i) {
    const pcc_attention_desc *desc = stage.attentions[i];
    int chip = device().chip;
    if (desc->is_backward && !repeatsAttention(chip))
      refuse(
          *desc, format("on sm_%d it is not deterministic", chip),
          format("pcc --gpu-arch sm_%d compiles a program that uses tiles for "
                 "attention",
                 chip));
    if (desc->is_backward && desc->keys % keysOfTile &&
        dnn().cudnnGetVersion() < takesAnyKeysSince)
      refuse(*desc,
             format("it needs cuDNN %s, unless keys are a multiple of %lld",
                    versionText(takesAnyKeysSince).c_str(),
                    static_cast<long long>(keysOfTile)));
    plans()[desc] = makePlan(*desc);
  }
  return format("cuDNN %s for attention",
                versionText(dnn().cudnnGetVersion()).c_str());
}

static void execute(pcc_context *ctx, const pcc_attention_desc &desc,
                    CUdeviceptr workspace, std::vector<Binding> bindings) {
  // Marks the handle's stream as used, for a graph that is captured.
  streamOf(ctx, PCC_COMPUTE_STREAM);
  auto found = plans().find(&desc);
  if (found == plans().end())
    fail(ExitInternal, "attention that its stage does not list");
  float scale = desc.scale, one = 1,
        masked = -std::numeric_limits<float>::infinity();
  bindings.push_back({AttentionTensor::Scale, &scale});
  if (desc.is_backward)
    bindings.push_back({AttentionTensor::One, &one});
  if (desc.is_causal)
    bindings.push_back({AttentionTensor::Masked, &masked});
  std::vector<int64_t> numbers;
  std::vector<const void *> places;
  for (const Binding &binding : bindings) {
    numbers.push_back(static_cast<int64_t>(binding.tensor));
    places.push_back(binding.place);
  }
  auto count = static_cast<int64_t>(numbers.size());
  auto *scratch = reinterpret_cast<void *>(workspace);
  DnnBuilder b(dnn());
  auto *pack = b.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  b.set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count,
        numbers.data());
  b.set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
        places.data());
  b.set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, scratch);
  b.finalize(pack);
  b.execute(handle(), found->second.plan, pack);
  if (b.isWell())
    return;
  checkDevice("attention");
  fail(ExitDevice,
       format("cuDNN failed at the %s: %s", describe(desc).c_str(),
              b.error().c_str()),
       graphsHint());
}

void pcc_attention(pcc_context *ctx, const pcc_attention_desc *desc,
                   const void *q, const void *k, const void *v, void *o,
                   float *stats) {
  execute(ctx, *desc, extra().workspace,
          {{AttentionTensor::Q, q},
           {AttentionTensor::K, k},
           {AttentionTensor::V, v},
           {AttentionTensor::O, o},
           {AttentionTensor::Stats, stats}});
}

void pcc_attention_grad(pcc_context *ctx, const pcc_attention_desc *desc,
                        const void *dO, const void *q, const void *k,
                        const void *v, const void *o, const float *stats,
                        void *dq, void *dk, void *dv, void *workspace) {
  const pcc_attention_desc &d = *desc;
  CUdeviceptr delta = (at(workspace) + kScratchAlignment - 1) /
                      kScratchAlignment * kScratchAlignment;
  for (int64_t sample = 0; sample < d.batch; sample += samplesOf(d))
    for (int64_t group = 0; group < d.key_heads / keyHeadsOf(d); ++group) {
      int64_t head = group * headsOf(d), keyHead = group * keyHeadsOf(d);
      auto from = [&](const void *tensor, const int64_t (&strides)[3],
                      int64_t firstHead) {
        return static_cast<const char *>(tensor) +
               (sample * strides[0] + firstHead * strides[2]) * sizeOf(d.dtype);
      };
      const int64_t dense[3] = {d.queries * d.heads * d.size, d.heads * d.size,
                                d.size};
      const float *firstStats = stats + (sample * d.heads + head) * d.queries;
      execute(
          ctx, d, delta + deltaBytes(d),
          {{AttentionTensor::DO, from(dO, dense, head)},
           {AttentionTensor::Q, from(q, d.q_strides, head)},
           {AttentionTensor::K, from(k, d.k_strides, keyHead)},
           {AttentionTensor::V, from(v, d.v_strides, keyHead)},
           {AttentionTensor::O, from(o, dense, head)},
           {AttentionTensor::Stats, firstStats},
           {AttentionTensor::DQ, from(dq, d.dq_strides, head)},
           {AttentionTensor::DK, from(dk, d.dk_strides, keyHead)},
           {AttentionTensor::DV, from(dv, d.dv_strides, keyHead)},
           {AttentionTensor::Delta, reinterpret_cast<const void *>(delta)}});
    }
}
