//===- DnnGraph.cpp - Executes cuDNN graphs per operation -----------------===//
//
// Each operation is executed by its definition on f32 tensors; virtual tensors
// of bf16 or fp16 are rounded. Only checkAttention() knows attention: the
// graphs that the library has an engine for.
//
//===----------------------------------------------------------------------===//

#include "test/Cuda/Double/Dnn.h"
#include "test/Cuda/Double/Double.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace fake;

using Values = std::vector<float>;

int64_t fake::bytesOf(cudnnDataType_t type) {
  switch (type) {
  case CUDNN_DATA_FLOAT:
  case CUDNN_DATA_INT32:
    return 4;
  case CUDNN_DATA_HALF:
  case CUDNN_DATA_BFLOAT16:
    return 2;
  case CUDNN_DATA_BOOLEAN:
    return 1;
  default:
    refuse("a type that it does not know");
  }
}

int64_t DnnTensor::span() const {
  int64_t last = 0;
  for (int i = 0; i < 4; ++i)
    last += (dims[i] - 1) * strides[i];
  return last + 1;
}

static float read(const char *at, cudnnDataType_t type) {
  if (type == CUDNN_DATA_HALF) {
    _Float16 value;
    memcpy(&value, at, 2);
    return static_cast<float>(value);
  }
  float value;
  if (type == CUDNN_DATA_BFLOAT16) {
    uint16_t half;
    memcpy(&half, at, 2);
    uint32_t bits = uint32_t{half} << 16;
    memcpy(&value, &bits, 4);
  } else {
    memcpy(&value, at, 4);
  }
  return value;
}

static void write(char *at, cudnnDataType_t type, float value) {
  if (type == CUDNN_DATA_HALF) {
    auto half = static_cast<_Float16>(value);
    memcpy(at, &half, 2);
  } else if (type == CUDNN_DATA_BFLOAT16) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint16_t half =
        value != value ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    memcpy(at, &half, 2);
  } else {
    memcpy(at, &value, 4);
  }
}

/// Calls visit(index, coordinates) for all elements, row major.
template <typename Visit>
static void forEach(const std::array<int64_t, 4> &dims, Visit visit) {
  std::array<int64_t, 4> at;
  int64_t index = 0;
  for (at[0] = 0; at[0] < dims[0]; ++at[0])
    for (at[1] = 0; at[1] < dims[1]; ++at[1])
      for (at[2] = 0; at[2] < dims[2]; ++at[2])
        for (at[3] = 0; at[3] < dims[3]; ++at[3])
          visit(index++, at);
}

/// The index of a tensor's element at coordinates of a larger one: a dim of 1
/// is broadcast, and a head is shared by a group of heads.
static int64_t indexIn(const DnnTensor &t, const std::array<int64_t, 4> &at,
                       const std::array<int64_t, 4> &dims) {
  int64_t index = 0;
  for (int i = 0; i < 4; ++i)
    index = index * t.dims[i] + at[i] / (dims[i] / t.dims[i]);
  return index;
}

static int64_t offsetIn(const DnnTensor &t, const std::array<int64_t, 4> &at) {
  int64_t offset = 0;
  for (int i = 0; i < 4; ++i)
    offset += at[i] * t.strides[i];
  return offset;
}

static void multiply(const DnnTensor &a, const Values &x, const DnnTensor &b,
                     const Values &y, const DnnTensor &c, Values &z,
                     int64_t first) {
  int64_t depth = a.dims[3];
  if (b.dims[2] != depth || c.dims[2] != a.dims[2] || c.dims[3] != b.dims[3] ||
      a.dims[0] != c.dims[0] || b.dims[0] != c.dims[0] ||
      a.dims[1] != c.dims[1] || c.dims[1] % b.dims[1])
    refuse("the extents do not fit");
  forEach(c.dims, [&](int64_t index, const std::array<int64_t, 4> &at) {
    int64_t head = at[1] / (c.dims[1] / b.dims[1]);
    const float *row =
        &x[((at[0] * a.dims[1] + at[1]) * a.dims[2] + at[2]) * depth];
    const float *other =
        &y[(at[0] * b.dims[1] + head) * depth * b.dims[3] + at[3]];
    float sum = 0;
    for (int64_t i = 0; i < depth; ++i) {
      int64_t k = (i + first) % depth;
      sum += row[k] * other[k * b.dims[3]];
    }
    z[index] = sum;
  });
}

static float compute(int mode, float x, float y, float condition) {
  switch (mode) {
  case CUDNN_POINTWISE_ADD:
    return x + y;
  case CUDNN_POINTWISE_SUB:
    return x - y;
  case CUDNN_POINTWISE_MUL:
    return x * y;
  case CUDNN_POINTWISE_DIV:
    return x / y;
  case CUDNN_POINTWISE_EXP:
    return std::exp(x);
  case CUDNN_POINTWISE_LOG:
    return std::log(x);
  case CUDNN_POINTWISE_IDENTITY:
    return x;
  case CUDNN_POINTWISE_CMP_GE:
    return x >= y;
  case CUDNN_POINTWISE_BINARY_SELECT:
    return condition != 0 ? x : y;
  default:
    refuse("a pointwise mode that it does not know");
  }
}

void DnnGraph::run(const std::map<int64_t, char *> &places,
                   int64_t turn) const {
  std::map<int64_t, Values> values;
  for (const auto &[number, t] : tensors)
    if (auto place = places.find(number); place != places.end()) {
      Values &loaded = values[number];
      loaded.resize(t.elements());
      forEach(t.dims, [&, &t = t](int64_t index, const auto &at) {
        loaded[index] =
            read(place->second + offsetIn(t, at) * bytesOf(t.type), t.type);
      });
    }
  for (const DnnOperation &op : operations) {
    const DnnTensor &out = tensors.at(op.out), &in = tensors.at(op.in[0]);
    Values made(out.elements());
    const Values &x = values[op.in[0]];
    auto operand = [&](size_t i, const std::array<int64_t, 4> &at) {
      if (i >= op.in.size())
        return 0.0f;
      return values[op.in[i]][indexIn(tensors.at(op.in[i]), at, out.dims)];
    };
    if (op.kind == DnnOperation::Product) {
      multiply(in, x, tensors.at(op.in[1]), values[op.in[1]], out, made, turn);
    } else if (op.kind == DnnOperation::Reduction) {
      bool isMax = op.mode == CUDNN_REDUCE_TENSOR_MAX;
      std::fill(made.begin(), made.end(), isMax ? -INFINITY : 0.0f);
      forEach(in.dims, [&](int64_t index, const auto &at) {
        float &to = made[indexIn(out, at, in.dims)];
        to = isMax ? std::max(to, x[index]) : to + x[index];
      });
    } else if (op.kind == DnnOperation::Reshape) {
      Values memory(in.span());
      forEach(in.dims, [&](int64_t index, const auto &at) {
        memory[offsetIn(in, at)] = x[index];
      });
      forEach(out.dims, [&](int64_t index, const auto &at) {
        made[index] = memory[offsetIn(out, at)];
      });
    } else if (op.mode == CUDNN_POINTWISE_GEN_INDEX) {
      forEach(out.dims, [&](int64_t index, const auto &at) {
        made[index] = static_cast<float>(at[op.axis]);
      });
    } else {
      forEach(out.dims, [&](int64_t index, const auto &at) {
        made[index] =
            compute(op.mode, operand(0, at), operand(1, at), operand(2, at));
      });
    }
    if (bytesOf(out.type) == 2)
      for (float &value : made) {
        char half[2];
        write(half, out.type, value);
        value = read(half, out.type);
      }
    if (auto place = places.find(op.out); place != places.end())
      forEach(out.dims, [&](int64_t index, const auto &at) {
        write(place->second + offsetIn(out, at) * bytesOf(out.type), out.type,
              made[index]);
      });
    values[op.out] = std::move(made);
  }
}

bool DnnGraph::addsInAnyOrder() const {
  return std::any_of(operations.begin(), operations.end(),
                     [&](const DnnOperation &op) {
                       const DnnTensor &out = tensors.at(op.out);
                       return op.kind == DnnOperation::Product &&
                              !out.isVirtual && out.type == CUDNN_DATA_FLOAT;
                     });
}

int64_t DnnGraph::queries() const {
  for (const DnnOperation &op : operations)
    if (op.kind == DnnOperation::Product)
      return op.in[0];
  refuse("an attention without products");
}

int64_t DnnGraph::stats(bool isBackward) const {
  for (const auto &[number, t] : tensors) {
    bool isMade = std::any_of(operations.begin(), operations.end(),
                              [&, number = number](const DnnOperation &op) {
                                return op.out == number;
                              });
    if (!t.isVirtual && !t.isByValue && t.dims[3] == 1 && isMade != isBackward)
      return number;
  }
  refuse("an attention without stats");
}

int64_t DnnGraph::workspaceBytes(bool isBackward) const {
  if (!isBackward)
    return 256;
  int64_t bytes = 256;
  auto up = [](int64_t n, int64_t tile) {
    return (n + tile - 1) / tile * tile;
  };
  for (const DnnOperation &op : operations) {
    const DnnTensor &out = tensors.at(op.out), &in = tensors.at(op.in[0]);
    // dS, and the separate gradients of heads that share keys.
    if (op.kind == DnnOperation::Product && !out.isVirtual &&
        bytesOf(out.type) == 2 && bytesOf(in.type) == 2 && in.isVirtual &&
        in.strides[3] == 1)
      bytes += in.dims[0] * in.dims[1] * up(in.dims[2], 64) *
               up(in.dims[3], 128) * 2;
    if (op.kind == DnnOperation::Reduction && bytesOf(in.type) == 2)
      bytes += in.elements() * 2;
  }
  return bytes;
}

bool DnnGraph::checkAttention() const {
  // The counts of operations by kind and mode identify the graph.
  std::map<std::pair<int, int>, int> counts;
  std::map<int64_t, int> made;
  for (const DnnOperation &op : operations) {
    ++counts[{op.kind, op.kind == DnnOperation::Product ||
                               op.kind == DnnOperation::Reshape
                           ? 0
                           : op.mode}];
    for (int64_t number : op.in)
      if (tensors.at(number).isVirtual && !made[number])
        refuse("an operation ahead of one that it needs");
    if (made[op.out]++)
      refuse("a tensor that two operations make");
  }
  auto count = [&](int kind, int mode) { return counts[{kind, mode}]; };
  int products = count(DnnOperation::Product, 0);
  bool isCausal = count(DnnOperation::Pointwise, CUDNN_POINTWISE_GEN_INDEX);
  bool isBackward = products == 5;
  int masks = isCausal ? 1 : 0;
  bool fits =
      count(DnnOperation::Pointwise, CUDNN_POINTWISE_GEN_INDEX) == 2 * masks &&
      count(DnnOperation::Pointwise, CUDNN_POINTWISE_CMP_GE) == masks &&
      count(DnnOperation::Pointwise, CUDNN_POINTWISE_BINARY_SELECT) == masks &&
      count(DnnOperation::Pointwise, CUDNN_POINTWISE_EXP) == 1;
  if (isBackward)
    fits = fits && count(DnnOperation::Reshape, 0) == 3 &&
           count(DnnOperation::Pointwise, CUDNN_POINTWISE_SUB) == 2 &&
           count(DnnOperation::Pointwise, CUDNN_POINTWISE_MUL) == 5;
  else
    fits = fits && products == 2 &&
           count(DnnOperation::Reduction, CUDNN_REDUCE_TENSOR_MAX) == 1 &&
           count(DnnOperation::Reduction, CUDNN_REDUCE_TENSOR_ADD) == 1 &&
           count(DnnOperation::Pointwise, CUDNN_POINTWISE_LOG) == 1 &&
           count(DnnOperation::Pointwise, CUDNN_POINTWISE_DIV) == 1;
  if (!fits)
    refuse("a graph that it has no engine for");
  for (const auto &[number, t] : tensors) {
    bool isHead = !t.isVirtual && bytesOf(t.type) == 2;
    bool isTurned = t.strides[2] == 1;
    int64_t size = t.dims[isTurned ? 2 : 3];
    if (isHead && (size % 8 || size > 128))
      refuse("heads of a size that it has no engine for");
    if (isHead && t.strides[isTurned ? 2 : 3] != 1)
      refuse("rows whose elements are apart");
    bool isRow = !t.isVirtual && !t.isByValue && t.dims[3] == 1;
    if (isRow &&
        (t.type != CUDNN_DATA_FLOAT || t.strides[2] != 1 ||
         t.strides[1] != t.dims[2] || t.strides[0] != t.dims[1] * t.dims[2]))
      refuse("stats that do not lie by heads");
  }
  return isBackward;
}
