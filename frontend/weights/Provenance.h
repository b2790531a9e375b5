//===- Provenance.h - Classification of initializers ------------*- C++ -*-===//
//
// A graph has initializers; a module has parameters and buffers. An initializer
// is classified by evidence, in this order:
//
//   1. the metadata of pcc-export, with which nothing is guessed
//   2. the metadata of the dynamo exporter: PARAMETER, BUFFER,
//      CONSTANT_TENSOR, or the sources of a folded tensor
//   3. whether a gradient can reach it
//   4. its values: a table computed by a formula was not learned
//   5. its name: modules name their parameters weight or bias
//
// All others are doubtful: they are trained, with a warning.
//
// For example, in a file of the TorchScript exporter in eval mode
//
//   h.0.ln_1.weight     parameter  named as modules name parameters
//   onnx::MatMul_264    parameter  folded weight of a linear layer
//   pe                  constant   sines and cosines of positions
//   onnx::Mul_284       doubtful   computed by the exporter from tensors that
//                                  it does not name
//
// The last may be 1 + w, 2 w or w. Checkpoints store its elements under its
// name in the file: under the module's name they would be read as w. It is
// known to be 1 + w if the added constant is still in the file, or if the user
// says so.
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

/// The classification of an initializer and the evidence for it.
struct Provenance {
  /// The classes of initializers.
  enum class Kind {
    Parameter,
    /// May be a parameter: trained, with a warning.
    Doubtful,
    /// Looks like a buffer by its values, name or use: not trained, with a
    /// warning.
    Presumed,
    Constant,
    /// A parameter that its module does not train.
    Frozen,
  };

  /// Constant unless there is evidence for another kind.
  Kind kind = Kind::Constant;
  /// The evidence, as a phrase for messages.
  std::string evidence;
  /// The parameter's name: the source model's if the elements are the
  /// parameter's, or 1 + it (`isPlusOne`), else the name in the file.
  std::string name;
  /// The parameter's probable name in the source model; "" if `name` is that
  /// name or if nothing tells.
  std::string likelyName;
  /// Whether the elements differ, or may differ, from the source model's
  /// because the exporter computed them. `name` is then the name in the file.
  bool isAltered = false;
  /// Whether the elements are 1 + the parameter `name`.
  bool isPlusOne = false;
  /// Whether the file states `name`. Two such names are two parameters.
  bool isNameProven = false;
  /// Whether the file's tensor is the transpose of the model's.
  bool isTransposed = false;
  std::optional<int64_t> paddingRow;
  /// Whether it is computed from parameters other than by moving elements or
  /// adding a constant. Training it then trains another model.
  bool isComputed = false;
  /// Whether its name in the file is generated: the exporter computed it.
  bool isGenerated = false;
  /// The rank in the source model, which decides weight decay. A folded tensor
  /// was reshaped: [1, 4, 1, 1] was a vector, unless a matmul or convolution
  /// reads it.
  int64_t rank = 0;

  bool isTrained() const {
    return kind == Kind::Parameter || kind == Kind::Doubtful;
  }
  /// Whether it is not a parameter.
  bool isConstant() const {
    return kind == Kind::Constant || kind == Kind::Presumed;
  }
  /// The name to look for in the source model.
  const std::string &moduleName() const {
    return likelyName.empty() ? name : likelyName;
  }
};

/// Classifies the initializers of one model.
class ProvenanceFinder {
public:
  /// All must outlive this. `isNumberOne`: whether an initializer or constant
  /// of the graph is a single element of value 1.
  ProvenanceFinder(const onnx::GraphProto &graph, const NameFinder &names,
                   const TorchExport &module,
                   const std::optional<Declarations> &declared,
                   llvm::function_ref<bool(llvm::StringRef)> isNumberOne);

  /// Classifies a tensor of floats. `range`: its elements, for value patterns;
  /// `storage`: their type.
  Provenance find(const onnx::TensorProto &tensor, const FileRange &range,
                  mlir::Type storage) const;

private:
  Provenance kindOf(const onnx::TensorProto &tensor, const FileRange &range,
                    mlir::Type storage) const;
  int64_t rankOf(const onnx::TensorProto &tensor) const;
  Provenance declaredOf(const onnx::TensorProto &tensor) const;
  /// By the metadata of the dynamo exporter; nothing if the tensor has none.
  std::optional<Provenance> taggedOf(const onnx::TensorProto &tensor) const;
  /// By name and use alone.
  Provenance guessOf(const onnx::TensorProto &tensor) const;
  /// Classifies a Constant node that may be a weight.
  Provenance guessLiteral(const onnx::TensorProto &tensor) const;
  /// Classifies a single number that is otherwise presumed not to be a
  /// parameter.
  Provenance presumedOf(const onnx::TensorProto &tensor, const FileRange &range,
                        mlir::Type storage, Provenance number) const;
  /// Classifies a tensor that the exporter computed.
  Provenance guessComputed(const onnx::TensorProto &tensor) const;
  /// Whether the exporter's last operation on `parameter` was adding the number
  /// 1, judged by the tensor's name and its sources.
  bool addsOne(const onnx::TensorProto &tensor,
               llvm::StringRef parameter) const;
  /// The parameter name that fits the first reader of the tensor.
  std::string readNameOf(const onnx::TensorProto &tensor) const;

  const NameFinder &names;
  const TorchExport &module;
  const std::optional<Declarations> &declared;
  llvm::function_ref<bool(llvm::StringRef)> isNumberOne;
  ComputedFinder computed;
  /// The exporter's tags of initializers.
  llvm::StringMap<std::string> tags;
  /// Names that a gradient reaches, and names that it reaches other than
  /// through Sin and Cos.
  llvm::StringSet<> reached, reachedPlainly;
  /// Weights and biases with folded batch norms.
  llvm::StringSet<> normed;
  /// Initializers that were Constant nodes.
  llvm::StringSet<> literals;
  /// Whether a gradient reaches any float initializer that was not a Constant
  /// node.
  bool hasInitializers = false;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_PROVENANCE_H
