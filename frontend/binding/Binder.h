//===- Binder.h - A node as an import function sees it ----------*- C++ -*-===//
//
// The import table has small functions, one or two per operator and range of
// opsets. Each accesses its node through a Binder, which provides operands as
// constants or values and attributes with defaults, and takes the results.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_BINDER_H
#define PCC_FRONTEND_BINDING_BINDER_H

#include "analysis/Tensor.h"
#include "dialects/NN/NN.h"
#include "frontend/binding/Attributes.h"
#include "frontend/weights/Weights.h"

namespace pcc::frontend {

/// The meaning of a name in the graph: one of the four members, none if the
/// name is undefined. An operand that reads a weight has `weight` and `value`.
struct Item {
  /// Whether it is a list of tensors.
  bool isSequence() const { return !sequence.empty(); }
  /// Whether the name is defined yet.
  bool isKnown() const { return tensor || value || weight || isSequence(); }

  /// The elements of a folded constant.
  std::optional<analysis::Tensor> tensor;
  /// The SSA value of a run-time computation.
  mlir::Value value;
  /// A weight. In an operand of a node other than Identity, `value` is its
  /// read.
  Weight *weight = nullptr;
  /// A list of tensors, of an exporter that writes sequences.
  std::vector<Item> sequence;
};

/// The functions of the translation as a whole that import functions use.
class Translation {
public:
  virtual ~Translation() = default;
  /// Whether a Dropout node drops elements. `isTraining`: its mode in the file;
  /// absent before opset 12, where nodes have no mode.
  virtual bool drops(const onnx::NodeProto &node,
                     std::optional<bool> isTraining) = 0;
  /// Whether the outputs are results, not a loss to train by.
  virtual bool isForward() const = 0;
  /// Whether PyTorch's exporters wrote the file.
  virtual bool isOfTorch() const = 0;
  /// Loads the elements of a tensor of the file.
  virtual mlir::FailureOr<analysis::Tensor>
  load(mlir::Location loc, const onnx::TensorProto &tensor) = 0;
  /// A cached value for a large constant; null on first use.
  virtual mlir::Value &constantFor(const analysis::Tensor &tensor) = 0;
  /// The argument of @forward with this role, added on first use.
  virtual mlir::Value argument(nn::InputRole role) = 0;
  /// A number for a random op, ascending in program order.
  virtual int64_t nextRandomId() = 0;
  /// Whether a batch norm uses the batch's statistics instead of running ones.
  /// `isTraining`: its mode in the file.
  virtual bool normalizesByBatch(const onnx::NodeProto &node,
                                 bool isTraining) = 0;
  /// The value of a name of the graph so far; null if it is undefined.
  virtual mlir::Value valueNamed(llvm::StringRef name) = 0;
  /// Whether a node, also in a branch, or an output of the graph reads a name.
  virtual bool isRead(llvm::StringRef name) const = 0;
};

/// The view of a node for an import function: it reads operands and attributes,
/// builds ops and sets results. Operands have the file's numbers; an absent
/// operand has a number, too.
class Binder {
public:
  /// Binds a node of a file with opset `opset`. All arguments must outlive
  /// this.
  Binder(Translation &translation, mlir::OpBuilder &builder, mlir::Location loc,
         const onnx::NodeProto &node, int64_t opset,
         llvm::ArrayRef<Item> inputs)
      : translation(translation), builder(builder), loc(loc), node(node),
        opset(opset), inputs(inputs), results(node.output_size()) {}

  /// The translation that the node is part of.
  Translation &translation;
  /// Appends to the ops that exist so far.
  mlir::OpBuilder &builder;
  /// The location of new ops: the node.
  mlir::Location loc;
  /// The node in the file.
  const onnx::NodeProto &node;
  /// The version of ONNX's own operator set in the file, also for nodes of
  /// other domains. It determines the meaning of attributes.
  int64_t opset;

  /// Starts an error that names this node.
  mlir::InFlightDiagnostic error() const;
  /// Reports a shape that a constant cannot have: a negative dim, or more than
  /// 2^28 elements.
  mlir::LogicalResult checkConstant(llvm::ArrayRef<int64_t> shape) const;

  /// The numbers of operands and results, absent ones included.
  unsigned numInputs() const { return inputs.size(); }
  unsigned numOutputs() const { return results.size(); }
  /// Whether operand `i` is present.
  bool has(unsigned i) const;
  /// Whether operand `i` is folded; values that tensor() can evaluate are not.
  bool isConstant(unsigned i) const { return inputs[i].tensor.has_value(); }
  /// The element type of operand `i`, which must be present.
  mlir::Type element(unsigned i) const;
  /// The shape of operand `i`, which must be present.
  analysis::Shape shape(unsigned i) const;
  /// The rank of operand `i`.
  int64_t rank(unsigned i) const { return shape(i).size(); }
  /// The elements of an operand that is constant or can be evaluated now, such
  /// as a mask buffer.
  std::optional<analysis::Tensor> tensor(unsigned i) const;
  /// The operand as an SSA value.
  mlir::Value value(unsigned i);
  /// The value of all elements of a uniform constant, as a float.
  std::optional<double> uniform(unsigned i) const;
  const Item &item(unsigned i) const { return inputs[i]; }

  /// An integer attribute; `otherwise` if it is absent.
  int64_t intAttr(llvm::StringRef name, int64_t otherwise) const;
  /// A float attribute; `otherwise` if it is absent.
  double floatAttr(llvm::StringRef name, double otherwise) const;
  /// A string attribute; `otherwise` if it is absent.
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise) const;
  /// An attribute that is a list of integers; nothing if it is absent.
  std::optional<llvm::SmallVector<int64_t>> ints(llvm::StringRef name) const;
  /// Integers that are an attribute in old opsets and operand `i` in new ones;
  /// nothing if neither is given. Errors: they are not constant.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
  ints(unsigned i, llvm::StringRef name) const;

  /// Sets result `i`. With a tensor or a value it does nothing if the node has
  /// fewer results; with an item the node must have the result.
  void set(unsigned i, analysis::Tensor tensor);
  void set(unsigned i, mlir::Value value);
  void set(unsigned i, Item item) { results[i] = std::move(item); }
  /// The results that were set, by index.
  llvm::ArrayRef<Item> getResults() const { return results; }

  /// A tensor type of this shape.
  mlir::RankedTensorType typeOf(llvm::ArrayRef<int64_t> shape,
                                mlir::Type element) const;
  /// A constant as a value: one op if it is uniform; otherwise an op without
  /// the dims along which it does not vary, and a broadcast along those dims.
  mlir::Value constant(const analysis::Tensor &tensor);
  /// The same elements in another shape, in row-major order.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Transposes: dim i of the result is dim permutation[i].
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Broadcasts as numpy does.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// The value, of floats, times a number; the value itself for 1.
  mlir::Value scale(mlir::Value value, double factor);
  /// The sum of one or more values of one type.
  mlir::Value sum(mlir::ValueRange values);
  /// A tensor contraction in einsum's notation: "bij,bjk->bik". It sums over
  /// the labels that the output lacks. `shape`: the result's.
  mlir::Value contract(const llvm::Twine &spec, mlir::Value lhs,
                       mlir::Value rhs, llvm::ArrayRef<int64_t> shape);
  /// Slices `size` elements of dim `dim`, from `start` on.
  mlir::Value slice(mlir::Value value, int64_t dim, int64_t start,
                    int64_t size);
  /// Concatenates values along a dim; the other dims are equal.
  mlir::Value concat(mlir::ValueRange values, int64_t dim);
  /// An op of two operands whose result has their type.
  template <typename Op>
  mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  /// An op of one operand whose result has its type.
  template <typename Op>
  mlir::Value unary(mlir::Value input) {
    return Op::create(builder, loc, input.getType(), input);
  }

private:
  llvm::ArrayRef<Item> inputs;
  llvm::SmallVector<Item> results;
};

/// A function of the import table that folds a node or builds its ops.
using ImportFn = mlir::LogicalResult (*)(Binder &);

/// The number of operands of a node; a plain number is exact. The first `least`
/// are mandatory, others may be absent.
struct OperandCount {
  /// Exactly `count` operands.
  constexpr OperandCount(unsigned count) : least(count), most(count) {}
  /// From `least` to `most` operands.
  constexpr OperandCount(unsigned least, unsigned most)
      : least(least), most(most) {}
  unsigned least, most;
};

/// From `least` to `most` operands.
constexpr OperandCount between(unsigned least, unsigned most) {
  return {least, most};
}

/// At least `least` operands, without an upper bound.
constexpr OperandCount atLeast(unsigned least) { return {least, ~0u}; }

/// An entry of the import table: operator `name` for opsets since .. until.
struct OpEntry {
  /// The operator's name, with its domain as prefix unless it is ONNX's own.
  llvm::StringRef name;
  /// The first and the last version of the operator set for this entry.
  int64_t since, until;
  OperandCount operands;
  /// Computes the results from constant operands; null if not possible.
  ImportFn fold;
  /// Builds nn ops; null if the operator can only be folded.
  ImportFn build;
  /// The attributes that a node may have; others are an error.
  std::vector<KnownAttribute> attributes = {};
  /// Whether to fold even if operands are weights: for operators without a
  /// gradient, such as predicates.
  bool foldsWeights = false;
};

/// The entries by subject.
llvm::ArrayRef<OpEntry> activationOps();
llvm::ArrayRef<OpEntry> attentionOps();
llvm::ArrayRef<OpEntry> batchNormOps();
llvm::ArrayRef<OpEntry> constantOps();
llvm::ArrayRef<OpEntry> contractionOps();
llvm::ArrayRef<OpEntry> convolutionOps();
llvm::ArrayRef<OpEntry> einsumOps();
llvm::ArrayRef<OpEntry> fusedOps();
llvm::ArrayRef<OpEntry> gatherOps();
llvm::ArrayRef<OpEntry> logicOps();
llvm::ArrayRef<OpEntry> imageOps();
llvm::ArrayRef<OpEntry> lossOps();
llvm::ArrayRef<OpEntry> maskOps();
llvm::ArrayRef<OpEntry> mathOps();
llvm::ArrayRef<OpEntry> networkOps();
llvm::ArrayRef<OpEntry> padOps();
llvm::ArrayRef<OpEntry> poolOps();
llvm::ArrayRef<OpEntry> reductionOps();
llvm::ArrayRef<OpEntry> resampleOps();
llvm::ArrayRef<OpEntry> scatterOps();
llvm::ArrayRef<OpEntry> shapeOps();
llvm::ArrayRef<OpEntry> sliceOps();
llvm::ArrayRef<OpEntry> softmaxOps();
llvm::ArrayRef<OpEntry> sortOps();
llvm::ArrayRef<OpEntry> trainingOps();
llvm::ArrayRef<OpEntry> trigonometryOps();

/// Absolute value and rounding up: built in Activation.cpp from other ops,
/// listed in mathOps().
mlir::LogicalResult buildAbs(Binder &b);
mlir::LogicalResult buildCeil(Binder &b);

/// Resolves an axis that may count from the end; nothing if out of range.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_BINDER_H
