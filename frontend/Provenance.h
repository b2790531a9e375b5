//===- Provenance.h - What the initializers of a file are -------*- C++ -*-===//
//
// A graph has initializers; a module has parameters and buffers. Which is which
// follows from evidence, in this order:
//
//   1. what pcc-export wrote: nothing is guessed then
//   2. what the dynamo exporter wrote: PARAMETER, BUFFER, CONSTANT_TENSOR, or
//      for what it folded, the names that it was folded from
//   3. whether any gradient can reach it
//   4. its values: a table that a formula gives was not learned
//   5. its name: modules call what they learn weight or bias
//
// What is left is doubtful: it is trained, and the user is told.
//
// For example, of a file of the TorchScript exporter in eval mode
//
//   h.0.ln_1.weight     parameter  named as modules name parameters
//   onnx::MatMul_264    parameter  folded weight of a linear layer
//   pe                  constant   sines and cosines of positions
//   onnx::Mul_284       doubtful   computed by the exporter from what it does
//                                  not name
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_PROVENANCE_H
#define PCC_FRONTEND_PROVENANCE_H

#include "frontend/Computed.h"
#include "frontend/Metadata.h"
#include "frontend/Names.h"
#include "frontend/TorchExport.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// What an initializer is, and how the file shows it.
struct Provenance {
  enum class Kind {
    Parameter,
    /// May be a parameter: trained, with a warning.
    Doubtful,
    /// Looks like a buffer by its values or name: not trained, with a warning.
    Presumed,
    /// Known not to be trained.
    Constant,
    /// A parameter that its module does not train.
    Frozen,
  };

  Kind kind = Kind::Constant;
  /// The evidence, in words.
  std::string evidence;
  /// The parameter's name in the source model, as far as it is known.
  std::string name;
  /// Whether the file says that name: two of them are two parameters.
  bool isNameProven = false;
  /// Whether the file's tensor is the transpose of what the model has.
  bool isTransposed = false;
  std::optional<int64_t> paddingRow;
  /// Whether it follows from parameters otherwise than by moving elements or
  /// adding a constant, so that training it trains another model.
  bool isComputed = false;
  /// Whether the exporter computed it, by its name in the file.
  bool isMadeUp = false;
  /// The rank in the source model, which decides about weight decay. What was
  /// folded is reshaped: [1, 4, 1, 1] was a vector, unless a product reads it.
  int64_t rank = 0;

  bool isTrained() const {
    return kind == Kind::Parameter || kind == Kind::Doubtful;
  }
  bool isConstant() const {
    return kind == Kind::Constant || kind == Kind::Presumed;
  }
};

/// Judges the initializers of one model.
class ProvenanceFinder {
public:
  /// All must outlive this.
  ProvenanceFinder(const onnx::GraphProto &graph, const NameFinder &names,
                   const TorchExport &module,
                   const std::optional<Declarations> &declared);

  /// What a tensor of floats is. `extent`: its elements, for the patterns of
  /// values; `storage`: their type.
  Provenance find(const onnx::TensorProto &tensor, const Extent &extent,
                  mlir::Type storage) const;

private:
  Provenance kindOf(const onnx::TensorProto &tensor, const Extent &extent,
                    mlir::Type storage) const;
  int64_t rankOf(const onnx::TensorProto &tensor) const;
  Provenance declaredOf(const onnx::TensorProto &tensor) const;
  /// By the tags of the dynamo exporter; nothing if it has none.
  std::optional<Provenance> taggedOf(const onnx::TensorProto &tensor) const;
  /// By name and use alone.
  Provenance guessOf(const onnx::TensorProto &tensor) const;
  /// The same of what the exporter computed.
  Provenance guessComputed(const onnx::TensorProto &tensor) const;

  const NameFinder &names;
  const TorchExport &module;
  const std::optional<Declarations> &declared;
  ComputedFinder computed;
  /// What initializers are tagged as.
  llvm::StringMap<std::string> tags;
  /// Names that a gradient reaches, and of these what it reaches other than
  /// through sines and cosines.
  llvm::StringSet<> reached, reachedPlainly;
  /// Weights and biases that batch norms are folded into.
  llvm::StringSet<> normed;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_PROVENANCE_H
