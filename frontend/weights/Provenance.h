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
// The last may be 1 + w, 2 w or w. It keeps its name, under which a checkpoint
// has its elements: under the module's they would be taken for w. That it is
// 1 + w is known where the constant that was added is still in the file, or
// where the user says so.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_PROVENANCE_H
#define PCC_FRONTEND_WEIGHTS_PROVENANCE_H

#include "frontend/onnx/Metadata.h"
#include "frontend/weights/Computed.h"
#include "frontend/weights/Names.h"
#include "frontend/weights/TorchExport.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// What an initializer is, and how the file shows it.
struct Provenance {
  /// What it is taken for.
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

  /// A constant unless something shows more.
  Kind kind = Kind::Constant;
  /// The evidence, in words.
  std::string evidence;
  /// The parameter's name: that of the source model where it has these
  /// elements, else that of the file's tensor.
  std::string name;
  /// What the source model seems to call it; "" where `name` does or nothing
  /// tells.
  std::string likelyName;
  /// Whether the source model's elements are others, as far as the file tells:
  /// the exporter computed these, or may have. Then `name` is the file's.
  bool isAltered = false;
  /// Whether the file's elements are those of the parameter `name` and one.
  bool isPlusOne = false;
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

  /// Whether training updates it.
  bool isTrained() const {
    return kind == Kind::Parameter || kind == Kind::Doubtful;
  }
  /// Whether it is no parameter.
  bool isConstant() const {
    return kind == Kind::Constant || kind == Kind::Presumed;
  }
  /// What to look for in the source model.
  const std::string &moduleName() const {
    return likelyName.empty() ? name : likelyName;
  }
};

/// Judges the initializers of one model.
class ProvenanceFinder {
public:
  /// All must outlive this. `isNumberOne`: whether an initializer or constant
  /// of the graph is one element, the number one.
  ProvenanceFinder(const onnx::GraphProto &graph, const NameFinder &names,
                   const TorchExport &module,
                   const std::optional<Declarations> &declared,
                   llvm::function_ref<bool(llvm::StringRef)> isNumberOne);

  /// What a tensor of floats is. `range`: its elements, for the patterns of
  /// values; `storage`: their type.
  Provenance find(const onnx::TensorProto &tensor, const FileRange &range,
                  mlir::Type storage) const;

private:
  Provenance kindOf(const onnx::TensorProto &tensor, const FileRange &range,
                    mlir::Type storage) const;
  int64_t rankOf(const onnx::TensorProto &tensor) const;
  Provenance declaredOf(const onnx::TensorProto &tensor) const;
  /// By the tags of the dynamo exporter; nothing if it has none.
  std::optional<Provenance> taggedOf(const onnx::TensorProto &tensor) const;
  /// By name and use alone.
  Provenance guessOf(const onnx::TensorProto &tensor) const;
  /// What a Constant node is that may be a weight.
  Provenance guessLiteral(const onnx::TensorProto &tensor) const;
  /// What one number is that would be presumed to be no parameter.
  Provenance presumedOf(const onnx::TensorProto &tensor, const FileRange &range,
                        mlir::Type storage, Provenance number) const;
  /// The same of what the exporter computed.
  Provenance guessComputed(const onnx::TensorProto &tensor) const;
  /// Whether the last of what the exporter did to `parameter` was to add the
  /// number one, as its name and those that it was folded from tell.
  bool addsOne(const onnx::TensorProto &tensor,
               llvm::StringRef parameter) const;
  /// The name of a parameter that its first reader would read.
  std::string readNameOf(const onnx::TensorProto &tensor) const;

  const NameFinder &names;
  const TorchExport &module;
  const std::optional<Declarations> &declared;
  llvm::function_ref<bool(llvm::StringRef)> isNumberOne;
  ComputedFinder computed;
  /// What initializers are tagged as.
  llvm::StringMap<std::string> tags;
  /// Names that a gradient reaches, and of these what it reaches other than
  /// through sines and cosines.
  llvm::StringSet<> reached, reachedPlainly;
  /// Weights and biases that batch norms are folded into.
  llvm::StringSet<> normed;
  /// Initializers that Constant nodes are.
  llvm::StringSet<> literals;
  /// Whether the file has floats as initializers that a gradient reaches.
  bool hasInitializers = false;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_PROVENANCE_H
