//===- TableReads.h - What a graph reads by position ------------*- C++ -*-===//
//
// How long a sequence a model takes is nowhere in its file, but its tables are:
// learned positions, rotary angles, causal masks. A graph reads such a table in
// one of two ways, here of 64 rows by 5 positions:
//
//   Slice(mask [1, 1, 64, 64], ends 5)     rows 0 .. 4
//   Gather(wpe [64, 32], [0, 1, 2, 3, 4])  rows 0 .. 4
//
// A table that is added as it is serves as many positions as it has rows and no
// fewer, as does a matrix that mixes positions; the node that reads it does not
// fit any others.
//
// A lookup by distance has indices that vary along two dims (queries and keys),
// and is none of these.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_TABLEREADS_H
#define PCC_FRONTEND_IMPORT_TABLEREADS_H

#include "frontend/binding/Binder.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace pcc::frontend {

/// Rows `first` .. `first + count - 1` of a dim of extent `rows`.
struct TableRead {
  /// The initializer that the table is made of, else the value's own name.
  std::string table;
  int64_t rows, first, count;
};

/// Collects, node by node, which rows of tables a file reads, to tell the
/// longest sequence that it serves.
class TableReads {
public:
  /// Notes what a node reads of its operands, once it is translated.
  void note(int64_t number, const onnx::NodeProto &node, const Binder &b);
  /// Notes what a node that could not be translated would read: all rows of a
  /// table that is added, multiplied or the like to what has as many positions.
  void noteMisfit(int64_t number, const onnx::NodeProto &node, const Binder &b);

  /// All that was noted, by the node's number in the graph and the dim.
  const std::map<std::pair<int64_t, int64_t>, TableRead> &all() const {
    return reads;
  }

private:
  void noteSlice(int64_t number, const Binder &b);
  void noteIndices(int64_t number, const Binder &b, unsigned data, int64_t dim,
                   unsigned indices);
  void add(int64_t number, const Binder &b, unsigned data, int64_t dim,
           int64_t first, int64_t count);

  std::map<std::pair<int64_t, int64_t>, TableRead> reads;
  /// Of values, the initializers that they are made of.
  llvm::StringMap<std::string> roots;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_TABLEREADS_H
