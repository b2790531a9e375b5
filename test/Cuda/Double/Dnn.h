//===- Dnn.h - Graphs as the double of cuDNN has them -----------*- C++ -*-===//

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
  /// From its first element to behind its last, in elements.
  int64_t span() const;
};

/// An operation between tensors, named by their numbers.
struct DnnOperation {
  enum Kind { Product, Pointwise, Reduction, Reshape } kind;
  /// A mode of pointwise or an operator of reduction.
  int mode = 0;
  int64_t axis = -1;
  /// What it reads: one to three.
  std::vector<int64_t> in;
  int64_t out = 0;
};

/// Operations in the order in which they are done.
struct DnnGraph {
  std::map<int64_t, DnnTensor> tensors;
  std::vector<DnnOperation> operations;

  /// Refuses what is no attention as the library's engine for it knows them;
  /// answers whether it is a backward pass.
  bool checkAttention() const;
  /// Bytes that the engine takes for it.
  int64_t workspaceBytes(bool isBackward) const;
  /// Whether a sum over blocks of keys is added up in memory, in any order.
  bool addsInAnyOrder() const;

  /// The number of an attention's queries: what its first product is of.
  int64_t queries() const;
  /// That of its stats: of the tensors in memory with a number for each row of
  /// scores the one that a forward pass makes, or a backward pass only takes.
  int64_t stats(bool isBackward) const;

  /// Does all operations. `places` has those of the tensors that are not
  /// virtual; `turn` is 0, or has products begin their sums elsewhere.
  void run(const std::map<int64_t, char *> &places, int64_t turn) const;
};

/// Bytes of an element.
int64_t bytesOf(cudnnDataType_t type);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_DNN_H
