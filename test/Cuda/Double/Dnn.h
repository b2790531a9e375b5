//===- Dnn.h - Operation graphs of the cuDNN double -------------*- C++ -*-===//

#ifndef PCC_TEST_CUDA_DOUBLE_DNN_H
#define PCC_TEST_CUDA_DOUBLE_DNN_H

#include <array>
#include <cstdint>
#include <cudnn.h>
#include <map>
#include <vector>

namespace fake {

/// A tensor of a graph.
struct DnnTensor {
  int64_t number = 0;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::array<int64_t, 4> dims, strides;
  bool isVirtual = false, isByValue = false;

  int64_t elements() const { return dims[0] * dims[1] * dims[2] * dims[3]; }
  /// The distance from the first element to after the last, in elements.
  int64_t span() const;
};

/// An operation on tensors, which are referred to by their ids.
struct DnnOperation {
  enum Kind { Product, Pointwise, Reduction, Reshape } kind;
  /// The pointwise mode or the reduction operator.
  int mode = 0;
  int64_t axis = -1;
  /// The one to three tensors that it reads.
  std::vector<int64_t> in;
  int64_t out = 0;
};

/// Operations in the order in which they are executed.
struct DnnGraph {
  std::map<int64_t, DnnTensor> tensors;
  std::vector<DnnOperation> operations;

  /// Rejects graphs that the library's attention engine does not support;
  /// returns whether the graph is a backward pass.
  bool checkAttention() const;
  /// The engine's workspace size in bytes.
  int64_t workspaceBytes(bool isBackward) const;
  /// Whether a sum over blocks of keys is accumulated in memory, in any order.
  bool addsInAnyOrder() const;

  /// The id of the queries: an operand of the attention's first GEMM.
  int64_t queries() const;
  /// The id of the stats: the tensor in memory, with one number per row of
  /// scores, that a forward pass writes or a backward pass reads.
  int64_t stats(bool isBackward) const;

  /// Executes all operations. `places` maps the ids of tensors that are not
  /// virtual to their addresses. Unless `turn` is 0, GEMMs start their sums at
  /// another element.
  void run(const std::map<int64_t, char *> &places, int64_t turn) const;
};

/// The size of an element in bytes.
int64_t bytesOf(cudnnDataType_t type);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_DNN_H
