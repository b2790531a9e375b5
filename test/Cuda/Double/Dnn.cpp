//===- Dnn.cpp - Test double of cuDNN's descriptors -----------------------===//
//
// A descriptor stores attributes until it is finalized; then it is checked and
// cannot be changed any more. $PCC_DOUBLE_FAULT plants a fault:
// "attention-engine" makes the better of two engines reject the device, and
// "attention-engines" both. "attention-stride" reads queries with another
// stride, "attention-stats" makes a backward pass read the stats that a later
// forward pass saved, "attention-order" adds in any order,
// "attention-workspace" needs more than usual.
//
//===----------------------------------------------------------------------===//

#include "test/Cuda/Double/Dnn.h"
#include "test/Cuda/Double/Double.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

using namespace fake;

namespace {

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  bool isFinal = false;
  std::map<int, std::vector<char>> attributes;
  // Set when the descriptor is finalized.
  std::shared_ptr<DnnGraph> graph;
  bool isBackward = false;
  bool isBest = false; ///< of engines
};

struct Handle {
  CUstream stream = nullptr;
};

} // namespace

static Descriptor &of(cudnnBackendDescriptor_t descriptor) {
  return *static_cast<Descriptor *>(descriptor);
}

static bool plants(const char *fault) {
  const char *planted = getenv("PCC_DOUBLE_FAULT");
  return planted && !strcmp(planted, fault);
}

static size_t sizeOf(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_BACKEND_DESCRIPTOR:
  case CUDNN_TYPE_VOID_PTR:
  case CUDNN_TYPE_HANDLE:
    return 8;
  case CUDNN_TYPE_DATA_TYPE:
  case CUDNN_TYPE_POINTWISE_MODE:
  case CUDNN_TYPE_REDUCTION_OPERATOR_TYPE:
  case CUDNN_TYPE_HEUR_MODE:
    return 4;
  case CUDNN_TYPE_BOOLEAN:
  case CUDNN_TYPE_CHAR:
    return 1;
  default:
    refuse("an attribute of a type that it does not know");
  }
}

/// The elements of an attribute; at least one, unless `isOptional`.
template <typename T>
static std::vector<T> all(const Descriptor &d, cudnnBackendAttributeName_t name,
                          bool isOptional = false) {
  auto found = d.attributes.find(name);
  if (found == d.attributes.end()) {
    if (!isOptional)
      refuse("attribute " + std::to_string(name) + " is missing");
    return {};
  }
  std::vector<T> elements(found->second.size() / sizeof(T));
  memcpy(elements.data(), found->second.data(), found->second.size());
  return elements;
}

template <typename T>
static T one(const Descriptor &d, cudnnBackendAttributeName_t name) {
  std::vector<T> elements = all<T>(d, name);
  if (elements.size() != 1)
    refuse("attribute " + std::to_string(name) + " has not one element");
  return elements[0];
}

/// The descriptor that an attribute of another refers to.
static const Descriptor &named(const Descriptor &d,
                               cudnnBackendAttributeName_t name) {
  const Descriptor &other = of(one<cudnnBackendDescriptor_t>(d, name));
  if (!other.isFinal)
    refuse("a descriptor that is not finalized");
  return other;
}

static DnnTensor tensorOf(const Descriptor &d) {
  if (d.type != CUDNN_BACKEND_TENSOR_DESCRIPTOR)
    refuse("what is no tensor");
  DnnTensor t;
  t.number = one<int64_t>(d, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  t.type = one<cudnnDataType_t>(d, CUDNN_ATTR_TENSOR_DATA_TYPE);
  auto dims = all<int64_t>(d, CUDNN_ATTR_TENSOR_DIMENSIONS),
       strides = all<int64_t>(d, CUDNN_ATTR_TENSOR_STRIDES);
  if (dims.size() != 4 || strides.size() != 4)
    refuse("a tensor without four dims");
  for (int i = 0; i < 4; ++i) {
    t.dims[i] = dims[i];
    t.strides[i] = strides[i];
    if (dims[i] < 1 || strides[i] < 1)
      refuse("a tensor that there cannot be");
  }
  if (one<int64_t>(d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT) < 16)
    refuse("a tensor that is less aligned than engines want");
  t.isVirtual = one<char>(d, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  t.isByValue = one<char>(d, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  return t;
}

static DnnOperation operationOf(const Descriptor &d, DnnGraph &graph) {
  DnnOperation op;
  auto take = [&](cudnnBackendAttributeName_t name) {
    DnnTensor t = tensorOf(named(d, name));
    auto [known, isNew] = graph.tensors.try_emplace(t.number, t);
    if (!isNew &&
        (known->second.dims != t.dims || known->second.strides != t.strides))
      refuse("two tensors of one number");
    return t.number;
  };
  switch (d.type) {
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    op.kind = DnnOperation::Product;
    named(d, CUDNN_ATTR_OPERATION_MATMUL_DESC);
    op.in = {take(CUDNN_ATTR_OPERATION_MATMUL_ADESC),
             take(CUDNN_ATTR_OPERATION_MATMUL_BDESC)};
    op.out = take(CUDNN_ATTR_OPERATION_MATMUL_CDESC);
    return op;
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: {
    op.kind = DnnOperation::Pointwise;
    const Descriptor &mode =
        named(d, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    op.mode = one<cudnnPointwiseMode_t>(mode, CUDNN_ATTR_POINTWISE_MODE);
    if (op.mode == CUDNN_POINTWISE_GEN_INDEX)
      op.axis = one<int64_t>(mode, CUDNN_ATTR_POINTWISE_AXIS);
    for (auto name : {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                      CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                      CUDNN_ATTR_OPERATION_POINTWISE_TDESC})
      if (d.attributes.count(name))
        op.in.push_back(take(name));
    op.out = take(CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    return op;
  }
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    op.kind = DnnOperation::Reduction;
    op.mode = one<cudnnReduceTensorOp_t>(
        named(d, CUDNN_ATTR_OPERATION_REDUCTION_DESC),
        CUDNN_ATTR_REDUCTION_OPERATOR);
    op.in = {take(CUDNN_ATTR_OPERATION_REDUCTION_XDESC)};
    op.out = take(CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
    return op;
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    op.kind = DnnOperation::Reshape;
    op.in = {take(CUDNN_ATTR_OPERATION_RESHAPE_XDESC)};
    op.out = take(CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
    return op;
  default:
    refuse("an operation that it does not know");
  }
}

/// The graph of a configuration or plan.
static const Descriptor &graphOf(const Descriptor &d) {
  switch (d.type) {
  case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
    return d;
  case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
    return graphOf(named(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
    return graphOf(named(d, CUDNN_ATTR_ENGINECFG_ENGINE));
  default:
    refuse("what has no graph");
  }
}

static int64_t workspaceOf(const Descriptor &d) {
  const Descriptor &graph = graphOf(d);
  int64_t more = plants("attention-workspace") ? int64_t{1} << 30 : 0;
  return graph.graph->workspaceBytes(graph.isBackward) + more;
}

extern "C" {

/// $CUDNN_DOUBLE_VERSION: the version that the library reports.
PCC_EXPORT size_t cudnnGetVersion() {
  const char *given = getenv("CUDNN_DOUBLE_VERSION");
  return given ? strtoul(given, nullptr, 10) : 91501;
}

PCC_EXPORT const char *cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS"
                                        : "CUDNN_STATUS_BAD_PARAM";
}

PCC_EXPORT void cudnnGetLastErrorString(char *message, size_t size) {
  snprintf(message, size, "%s", "no reason");
}

/// The library allocates memory itself.
PCC_EXPORT cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  note("cudnnCreate");
  requireContext();
  CUdeviceptr own;
  if (cuMemAlloc(&own, 3 << 20) != CUDA_SUCCESS)
    return CUDNN_STATUS_ALLOC_FAILED;
  *handle = reinterpret_cast<cudnnHandle_t>(new Handle);
  return CUDNN_STATUS_SUCCESS;
}

PCC_EXPORT cudnnStatus_t cudnnSetStream(cudnnHandle_t handle,
                                        cudaStream_t stream) {
  reinterpret_cast<Handle *>(handle)->stream =
      reinterpret_cast<CUstream>(stream);
  return CUDNN_STATUS_SUCCESS;
}

PCC_EXPORT cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *descriptor) {
  *descriptor = new Descriptor{type, false, {}, nullptr, false, false};
  return CUDNN_STATUS_SUCCESS;
}

/// A descriptor that others refer to stays valid: it may be destroyed before
/// them.
PCC_EXPORT cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t) {
  return CUDNN_STATUS_SUCCESS;
}

PCC_EXPORT cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t count, const void *values) {
  note("cudnnBackendSetAttribute");
  Descriptor &d = of(descriptor);
  if (d.isFinal)
    refuse("a descriptor that is finalized");
  const char *bytes = static_cast<const char *>(values);
  d.attributes[name].assign(bytes, bytes + count * sizeOf(type));
  return CUDNN_STATUS_SUCCESS;
}

PCC_EXPORT cudnnStatus_t
cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  Descriptor &d = of(descriptor);
  note("cudnnBackendFinalize");
  if (d.isFinal)
    refuse("a descriptor that is finalized");
  switch (d.type) {
  case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    tensorOf(d);
    break;
  case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
    note("cudnnBackendFinalize-graph");
    d.graph = std::make_shared<DnnGraph>();
    for (auto op :
         all<cudnnBackendDescriptor_t>(d, CUDNN_ATTR_OPERATIONGRAPH_OPS)) {
      if (!of(op).isFinal)
        refuse("a descriptor that is not finalized");
      d.graph->operations.push_back(operationOf(of(op), *d.graph));
    }
    d.isBackward = d.graph->checkAttention();
    break;
  case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    named(d, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
    named(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    break;
  case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
    note("cudnnBackendFinalize-plan");
    named(d, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
    graphOf(d);
    if (plants("attention-engines") ||
        (plants("attention-engine") &&
         named(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).isBest))
      return CUDNN_STATUS_NOT_SUPPORTED;
    break;
  default:
    break;
  }
  d.isFinal = true;
  return CUDNN_STATUS_SUCCESS;
}

PCC_EXPORT cudnnStatus_t cudnnBackendGetAttribute(
    cudnnBackendDescriptor_t const descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t, int64_t count, int64_t *there, void *values) {
  note("cudnnBackendGetAttribute");
  const Descriptor &d = of(descriptor);
  if (!d.isFinal)
    refuse("a descriptor that is not finalized");
  bool isHeuristic = name == CUDNN_ATTR_ENGINEHEUR_RESULTS;
  *there = isHeuristic ? 2 : 1;
  if (count < 1)
    return CUDNN_STATUS_SUCCESS;
  if (isHeuristic) {
    // A configuration belongs to the graph, as an engine does.
    auto *configs = static_cast<cudnnBackendDescriptor_t *>(values);
    for (int64_t i = 0; i < std::min<int64_t>(count, 2); ++i) {
      Descriptor &config = of(configs[i]);
      config.attributes[CUDNN_ATTR_ENGINECFG_ENGINE] =
          d.attributes.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
      config.isFinal = true;
      config.isBest = i == 0;
    }
  } else if (name == CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE ||
             name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) {
    *static_cast<int64_t *>(values) = workspaceOf(d);
  } else {
    refuse("an attribute that it does not know");
  }
  return CUDNN_STATUS_SUCCESS;
}

PCC_EXPORT cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                             cudnnBackendDescriptor_t plan,
                                             cudnnBackendDescriptor_t pack) {
  note("cudnnBackendExecute");
  const Descriptor &given = of(pack), &planned = graphOf(of(plan));
  if (!given.isFinal || !of(plan).isFinal)
    refuse("a descriptor that is not finalized");
  static int64_t turn = 0;
  static CUdeviceptr lastStats = 0;
  std::shared_ptr<DnnGraph> graph = planned.graph;
  auto numbers = all<int64_t>(given, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  auto places = all<void *>(given, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  if (numbers.size() != places.size())
    refuse("not a place for each tensor");
  if (plants("attention-stride")) {
    graph = std::make_shared<DnnGraph>(*graph);
    auto &strides = graph->tensors.at(graph->queries()).strides;
    std::swap(strides[1], strides[2]);
  }
  // Values passed by the host are read now.
  std::map<int64_t, char *> at;
  auto scalars = std::make_shared<std::map<int64_t, float>>();
  for (size_t i = 0; i < numbers.size(); ++i) {
    auto known = graph->tensors.find(numbers[i]);
    if (known == graph->tensors.end() || known->second.isVirtual)
      refuse("a place for a tensor that has none");
    const DnnTensor &t = known->second;
    if (t.isByValue) {
      float &scalar = (*scalars)[numbers[i]];
      memcpy(&scalar, places[i], sizeof(scalar));
      at[numbers[i]] = reinterpret_cast<char *>(&scalar);
      continue;
    }
    auto place = reinterpret_cast<CUdeviceptr>(places[i]);
    if (place % 16)
      refuse("a tensor is less aligned than was said");
    bool isStats = numbers[i] == graph->stats(planned.isBackward);
    if (isStats && planned.isBackward && plants("attention-stats"))
      place = lastStats;
    if (isStats && !planned.isBackward)
      lastStats = place;
    at[numbers[i]] = reach(place, t.span() * bytesOf(t.type));
  }
  for (const auto &[number, t] : graph->tensors)
    if (!t.isVirtual && !at.count(number))
      refuse("tensor " + std::to_string(number) + " has no place");
  int64_t bytes = workspaceOf(of(plan));
  auto workspace = reinterpret_cast<CUdeviceptr>(
      one<void *>(given, CUDNN_ATTR_VARIANT_PACK_WORKSPACE));
  if (workspace % 256)
    refuse("a workspace that it cannot use");
  char *scratch = reach(workspace, bytes);
  int64_t order = graph->addsInAnyOrder() || plants("attention-order")
                      ? getpid() + turn++
                      : 0;
  enqueue(reinterpret_cast<Handle *>(handle)->stream,
          [graph, at, scalars, scratch, bytes, order] {
            memset(scratch, 0xff, bytes);
            graph->run(at, order);
          });
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
