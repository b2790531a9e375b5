//===- TableReads.h - Rows that a graph reads of its tables -----*- C++ -*-===//
//
// A file does not state its longest sequence, but its tables do: learned
// positions, rotary angles, causal masks. A graph reads such a table in one of
// two ways, here with 64 rows and 5 positions:
//
//   Slice(mask [1, 1, 64, 64], ends 5)     rows 0 .. 4
//   Gather(wpe [64, 32], [0, 1, 2, 3, 4])  rows 0 .. 4
//
// A table that is added as a whole, or a matrix that mixes positions, serves
// exactly as many positions as it has rows. With any other number, the shapes
// of its reader do not match.
//
// A lookup by distance has indices that vary along two dims (queries and keys).
// It is not recorded.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_TABLEREADS_H
#define PCC_FRONTEND_IMPORT_TABLEREADS_H

#include "frontend/binding/Binder.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace pcc::frontend {

/// A read of rows `first` .. `first + count - 1` of a dim of extent `rows`.
struct TableRead {
  /// The initializer that the table is derived from, else the value's name.
  std::string table;
  int64_t rows, first, count;
};

/// Records, node by node, the rows of tables that a file reads, which bound its
/// longest sequence.
class TableReads {
public:
  /// Records the rows that a translated node reads.
  void note(int64_t number, const onnx::NodeProto &node, const Binder &b);
  /// Records the rows that a node would read whose translation failed. If an
  /// Add, a MatMul or the like has a table and another operand of different
  /// extents, it would read one row for each index of the other operand.
  void noteMismatch(int64_t number, const onnx::NodeProto &node,
                    const Binder &b);

  /// All records, by the node's number in the graph and the dim.
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
  /// The initializer that each value is derived from.
  llvm::StringMap<std::string> roots;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_TABLEREADS_H
