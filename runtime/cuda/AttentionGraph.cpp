//===- AttentionGraph.cpp - Attention as a cuDNN graph --------------------===//

#include "runtime/cuda/AttentionGraph.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <array>

using namespace pcc;
using namespace pcc::cuda;

using Descriptor = DnnBuilder::Descriptor;

int64_t cuda::samplesOf(const pcc_attention_desc &desc) {
  return desc.is_backward ? desc.samples : desc.batch;
}

int64_t cuda::keyHeadsOf(const pcc_attention_desc &desc) {
  return desc.is_backward ? desc.key_head_group : desc.key_heads;
}

int64_t cuda::headsOf(const pcc_attention_desc &desc) {
  return keyHeadsOf(desc) * (desc.heads / desc.key_heads);
}

int64_t cuda::deltaBytes(const pcc_attention_desc &desc) {
  int64_t bytes = samplesOf(desc) * headsOf(desc) * desc.queries *
                  static_cast<int64_t>(sizeof(float));
  return (bytes + kScratchAlignment - 1) / kScratchAlignment *
         kScratchAlignment;
}

int64_t cuda::workspaceNeeded(const pcc_attention_desc &desc, int64_t engine) {
  // The program's workspace is only aligned to PCC_ALIGNMENT.
  return desc.is_backward
             ? engine + deltaBytes(desc) + kScratchAlignment - PCC_ALIGNMENT
             : engine;
}

namespace {

using Four = std::array<int64_t, 4>;

/// A tensor of the graph.
struct Tensor {
  Descriptor descriptor;
  Four dims;
};

/// Adds operations to a graph, in their order.
class Graph {
public:
  Graph(DnnBuilder &b, const pcc_attention_desc &d)
      : b(b), d(d), batch(samplesOf(d)), heads(headsOf(d)),
        keyHeads(keyHeadsOf(d)),
        element(d.dtype == PCC_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF) {}

  void buildForward();
  void buildBackward();
  /// Builds an operation graph of all operations added.
  Descriptor finish();

private:
  enum class Where { Memory, Nowhere, Host };
  Tensor tensor(const Four &dims, const Four &strides, cudnnDataType_t type,
                int64_t number, Where where);
  Tensor scalar(AttentionTensor number);
  /// [batch, count, rows, size] for `count` heads, with the strides of samples,
  /// rows and heads; transposed: rows and columns exchanged.
  Tensor matrix(AttentionTensor number, int64_t count, int64_t rows,
                const int64_t (&strides)[3], bool isTransposed = false);
  /// o or its cotangent, which are contiguous with all heads.
  Tensor dense(AttentionTensor number);
  /// One value per row of scores.
  Tensor rows(AttentionTensor number);
  Tensor rows();
  /// [batch, heads, queries, keys].
  Tensor pairs(cudnnDataType_t type = CUDNN_DATA_FLOAT);

  void add(Descriptor operation);
  void multiply(const Tensor &x, const Tensor &y, const Tensor &product);
  struct Pointwise {
    const Tensor *second = nullptr, *condition = nullptr;
    int64_t axis = -1;
    cudnnDataType_t computes = CUDNN_DATA_FLOAT;
  };
  void pointwise(cudnnPointwiseMode_t mode, const Tensor &x,
                 const Tensor &result, const Pointwise &rest);
  void pointwise(cudnnPointwiseMode_t mode, const Tensor &x,
                 const Tensor &result) {
    pointwise(mode, x, result, Pointwise());
  }
  void pointwise(cudnnPointwiseMode_t mode, const Tensor &x, const Tensor &y,
                 const Tensor &result) {
    Pointwise rest;
    rest.second = &y;
    pointwise(mode, x, result, rest);
  }
  void reduce(cudnnReduceTensorOp_t kind, const Tensor &x,
              const Tensor &result);
  void reshape(const Tensor &x, const Tensor &result);
  /// x; in causal attention -inf for keys after the query.
  Tensor mask(const Tensor &x);
  /// x^T y for x [batch, heads, queries, keys], summed over the heads that
  /// share a key head.
  void gather(const Tensor &x, const Tensor &y, AttentionTensor result,
              const int64_t (&strides)[3]);

  DnnBuilder &b;
  const pcc_attention_desc &d;
  /// The samples, heads and key heads of one execution.
  int64_t batch, heads, keyHeads;
  cudnnDataType_t element;
  int64_t next = static_cast<int64_t>(AttentionTensor::End);
  std::vector<Descriptor> operations;
};

} // namespace

Tensor Graph::tensor(const Four &dims, const Four &strides,
                     cudnnDataType_t type, int64_t number, Where where) {
  Descriptor t = b.create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  b.set(t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, number);
  b.set(t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
  b.set(t, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims.data());
  b.set(t, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides.data());
  b.set(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, int64_t{16});
  b.set(t, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN,
        where == Where::Nowhere);
  b.set(t, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN,
        where == Where::Host);
  b.finalize(t);
  return {t, dims};
}

Tensor Graph::scalar(AttentionTensor number) {
  return tensor({1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT,
                static_cast<int64_t>(number), Where::Host);
}

Tensor Graph::matrix(AttentionTensor number, int64_t count, int64_t rows,
                     const int64_t (&strides)[3], bool isTransposed) {
  Four dims = {batch, count, rows, d.size},
       steps = {strides[0], strides[2], strides[1], 1};
  if (isTransposed) {
    std::swap(dims[2], dims[3]);
    std::swap(steps[2], steps[3]);
  }
  return tensor(dims, steps, element, static_cast<int64_t>(number),
                Where::Memory);
}

Tensor Graph::dense(AttentionTensor number) {
  return matrix(number, heads, d.queries,
                {d.queries * d.heads * d.size, d.heads * d.size, d.size});
}

Tensor Graph::rows(AttentionTensor number) {
  return tensor({batch, heads, d.queries, 1},
                {heads * d.queries, d.queries, 1, 1}, CUDNN_DATA_FLOAT,
                static_cast<int64_t>(number), Where::Memory);
}

Tensor Graph::rows() {
  return tensor({batch, heads, d.queries, 1},
                {heads * d.queries, d.queries, 1, 1}, CUDNN_DATA_FLOAT, next++,
                Where::Nowhere);
}

Tensor Graph::pairs(cudnnDataType_t type) {
  int64_t all = d.queries * d.keys;
  return tensor({batch, heads, d.queries, d.keys},
                {heads * all, all, d.keys, 1}, type, next++, Where::Nowhere);
}

void Graph::add(Descriptor operation) {
  b.finalize(operation);
  operations.push_back(operation);
}

void Graph::multiply(const Tensor &x, const Tensor &y, const Tensor &product) {
  Descriptor kind = b.create(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  b.set(kind, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
        CUDNN_DATA_FLOAT);
  b.finalize(kind);
  Descriptor op = b.create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  b.set(op, CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        x.descriptor);
  b.set(op, CUDNN_ATTR_OPERATION_MATMUL_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        y.descriptor);
  b.set(op, CUDNN_ATTR_OPERATION_MATMUL_CDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        product.descriptor);
  b.set(op, CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        kind);
  add(op);
}

void Graph::pointwise(cudnnPointwiseMode_t mode, const Tensor &x,
                      const Tensor &result, const Pointwise &rest) {
  Descriptor kind = b.create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  b.set(kind, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
  b.set(kind, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE,
        rest.computes);
  if (rest.axis >= 0)
    b.set(kind, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, rest.axis);
  b.finalize(kind);
  Descriptor op = b.create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  auto set = [&](cudnnBackendAttributeName_t name, Descriptor value) {
    b.set(op, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value);
  };
  set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kind);
  set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x.descriptor);
  if (rest.second)
    set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, rest.second->descriptor);
  if (rest.condition)
    set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, rest.condition->descriptor);
  set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, result.descriptor);
  add(op);
}

void Graph::reduce(cudnnReduceTensorOp_t kind, const Tensor &x,
                   const Tensor &result) {
  Descriptor reduction = b.create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  b.set(reduction, CUDNN_ATTR_REDUCTION_OPERATOR,
        CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, kind);
  b.set(reduction, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
        CUDNN_DATA_FLOAT);
  b.finalize(reduction);
  Descriptor op = b.create(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  b.set(op, CUDNN_ATTR_OPERATION_REDUCTION_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        reduction);
  b.set(op, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        x.descriptor);
  b.set(op, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        result.descriptor);
  add(op);
}

void Graph::reshape(const Tensor &x, const Tensor &result) {
  Descriptor op = b.create(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  b.set(op, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        x.descriptor);
  b.set(op, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        result.descriptor);
  add(op);
}

Tensor Graph::mask(const Tensor &x) {
  if (!d.is_causal)
    return x;
  auto number = [&](int64_t axis) {
    Tensor numbers = pairs(CUDNN_DATA_INT32);
    Pointwise rest;
    rest.axis = axis;
    rest.computes = CUDNN_DATA_INT32;
    pointwise(CUDNN_POINTWISE_GEN_INDEX, x, numbers, rest);
    return numbers;
  };
  Tensor query = number(2), key = number(3), isSeen = pairs(CUDNN_DATA_BOOLEAN),
         masked = pairs();
  Pointwise compare;
  compare.second = &key;
  compare.computes = CUDNN_DATA_BOOLEAN;
  pointwise(CUDNN_POINTWISE_CMP_GE, query, isSeen, compare);
  Tensor nothing = scalar(AttentionTensor::Masked);
  Pointwise select;
  select.second = &nothing;
  select.condition = &isSeen;
  pointwise(CUDNN_POINTWISE_BINARY_SELECT, x, masked, select);
  return masked;
}

void Graph::buildForward() {
  Tensor q = matrix(AttentionTensor::Q, heads, d.queries, d.q_strides),
         k = matrix(AttentionTensor::K, keyHeads, d.keys, d.k_strides,
                    /*isTransposed=*/true),
         v = matrix(AttentionTensor::V, keyHeads, d.keys, d.v_strides),
         o = dense(AttentionTensor::O), stats = rows(AttentionTensor::Stats),
         scale = scalar(AttentionTensor::Scale);
  Tensor products = pairs(), scores = pairs();
  multiply(q, k, products);
  pointwise(CUDNN_POINTWISE_MUL, products, scale, scores);
  Tensor seen = mask(scores);
  Tensor most = rows(), below = pairs(), weights = pairs(), sum = rows(),
         logarithm = rows(), probabilities = pairs(element);
  reduce(CUDNN_REDUCE_TENSOR_MAX, seen, most);
  pointwise(CUDNN_POINTWISE_SUB, seen, most, below);
  pointwise(CUDNN_POINTWISE_EXP, below, weights);
  reduce(CUDNN_REDUCE_TENSOR_ADD, weights, sum);
  pointwise(CUDNN_POINTWISE_LOG, sum, logarithm);
  pointwise(CUDNN_POINTWISE_ADD, most, logarithm, stats);
  pointwise(CUDNN_POINTWISE_DIV, weights, sum, probabilities);
  multiply(probabilities, v, o);
}

void Graph::gather(const Tensor &x, const Tensor &y, AttentionTensor number,
                   const int64_t (&strides)[3]) {
  int64_t all = d.queries * d.keys;
  Tensor turned =
      tensor({batch, heads, d.keys, d.queries}, {heads * all, all, 1, d.keys},
             element, next++, Where::Nowhere);
  reshape(x, turned);
  Tensor result = matrix(number, keyHeads, d.keys, strides);
  if (heads == keyHeads)
    return multiply(turned, y, result);
  int64_t head = d.keys * d.size;
  Tensor apart =
      tensor({batch, heads, d.keys, d.size}, {heads * head, head, d.size, 1},
             element, next++, Where::Nowhere);
  multiply(turned, y, apart);
  reduce(CUDNN_REDUCE_TENSOR_ADD, apart, result);
}

void Graph::buildBackward() {
  Tensor q = matrix(AttentionTensor::Q, heads, d.queries, d.q_strides),
         k = matrix(AttentionTensor::K, keyHeads, d.keys, d.k_strides,
                    /*isTransposed=*/true),
         v = matrix(AttentionTensor::V, keyHeads, d.keys, d.v_strides,
                    /*isTransposed=*/true),
         o = dense(AttentionTensor::O), dO = dense(AttentionTensor::DO),
         dQ = matrix(AttentionTensor::DQ, heads, d.queries, d.dq_strides),
         stats = rows(AttentionTensor::Stats),
         delta = rows(AttentionTensor::Delta),
         scale = scalar(AttentionTensor::Scale),
         one = scalar(AttentionTensor::One);
  int64_t head = d.queries * d.size;
  Tensor both =
      tensor({batch, heads, d.queries, d.size}, {heads * head, head, d.size, 1},
             CUDNN_DATA_FLOAT, next++, Where::Nowhere);
  // The engine matches graphs with a factor here, that of dropout.
  Tensor sums = rows();
  pointwise(CUDNN_POINTWISE_MUL, dO, o, both);
  reduce(CUDNN_REDUCE_TENSOR_ADD, both, sums);
  pointwise(CUDNN_POINTWISE_MUL, sums, one, delta);

  Tensor products = pairs(), scores = pairs(), below = pairs();
  multiply(q, k, products);
  pointwise(CUDNN_POINTWISE_MUL, products, scale, scores);
  pointwise(CUDNN_POINTWISE_SUB, scores, stats, below);
  Tensor seen = mask(below), probabilities = pairs();
  pointwise(CUDNN_POINTWISE_EXP, seen, probabilities);
  gather(probabilities, dO, AttentionTensor::DV, d.dv_strides);

  Tensor dP = pairs(), apart = pairs(), weighted = pairs(), dS = pairs(element);
  multiply(dO, v, dP);
  pointwise(CUDNN_POINTWISE_SUB, dP, delta, apart);
  pointwise(CUDNN_POINTWISE_MUL, apart, probabilities, weighted);
  pointwise(CUDNN_POINTWISE_MUL, weighted, scale, dS);
  gather(dS, q, AttentionTensor::DK, d.dk_strides);

  Tensor straight = tensor({batch, keyHeads, d.keys, d.size},
                           {d.k_strides[0], d.k_strides[2], d.k_strides[1], 1},
                           element, next++, Where::Nowhere);
  reshape(k, straight);
  multiply(dS, straight, dQ);
}

Descriptor Graph::finish() {
  Descriptor graph = b.create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  b.set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        static_cast<int64_t>(operations.size()), operations.data());
  b.finalize(graph);
  return graph;
}

std::vector<AttentionEngine>
cuda::findAttentionEngines(DnnBuilder &b, const pcc_attention_desc &desc,
                           cudnnBackendDescriptor_t device) {
  Graph graph(b, desc);
  if (desc.is_backward)
    graph.buildBackward();
  else
    graph.buildForward();
  Descriptor all = graph.finish();
  Descriptor heuristic = b.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  b.set(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, all);
  b.set(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE,
        CUDNN_HEUR_MODE_A);
  b.set(heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, device);
  b.finalize(heuristic);
  auto results = [&](int64_t count, Descriptor *configs) {
    return b.get(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                 CUDNN_TYPE_BACKEND_DESCRIPTOR, count, configs);
  };
  // Fewer engines may be returned than announced.
  std::vector<Descriptor> configs(results(0, nullptr));
  for (Descriptor &config : configs)
    config = b.create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  configs.resize(std::min<size_t>(
      configs.size(),
      results(static_cast<int64_t>(configs.size()), configs.data())));
  if (configs.empty())
    b.fail("it has no engine for this");
  std::vector<AttentionEngine> engines;
  for (Descriptor config : configs) {
    AttentionEngine engine = {config, 0};
    b.get(config, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
          &engine.workspace);
    engines.push_back(engine);
  }
  return engines;
}
