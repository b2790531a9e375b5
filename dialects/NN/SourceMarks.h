//===- SourceMarks.h - What exporters did to parameters ---------*- C++ -*-===//
//
// Attributes of `nn.param` beside its source, which says where the elements lie
// in the file. None changes how they are read from there; they say what the
// model has instead, for what is written: checkpoints, and the file itself with
// trained weights.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_SOURCEMARKS_H
#define PCC_DIALECTS_NN_SOURCEMARKS_H

#include "llvm/ADT/StringRef.h"

namespace pcc::nn {

/// The offset of a source whose tensor the file lacks because an exporter
/// removed it: its elements are zeros, and the trained model gets it back.
inline constexpr int64_t kAbsent = -1;

/// An array of SourceAttr: the other tensors of the file that hold the same
/// elements, such as a tied head that an exporter wrote out. They are never
/// read; a trained model that is written back has them all alike.
inline constexpr llvm::StringLiteral kCopiesAttr = "nn.copies";

/// A unit: the source tensor, a matrix, is the transpose of what the model has
/// under the source's name. Folding leaves weights of linear layers so.
inline constexpr llvm::StringLiteral kTransposedAttr = "nn.transposed";

/// A unit: the source tensor's elements are those of the model and one.
/// Exporters fold so what a norm adds to its weight.
inline constexpr llvm::StringLiteral kPlusOneAttr = "nn.plus_one";

/// Pairs of whole numbers, (node of the graph, operand): what reads the source
/// tensor for this parameter, where it is merged with other parameters or
/// absent.
inline constexpr llvm::StringLiteral kUsesAttr = "nn.source_uses";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_SOURCEMARKS_H
