//===- Binder.h - What a table entry sees of a node -------------*- C++ -*-===//
//
// The import table has small functions, one or two per operator and range of
// opsets. Each sees its node through a Binder: operands as constants or as
// values, attributes with defaults, results to be set.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_BINDER_H
#define PCC_FRONTEND_BINDING_BINDER_H

#include "analysis/Tensor.h"
#include "dialects/NN/NN.h"
#include "frontend/binding/Attributes.h"
#include "frontend/weights/Weights.h"

namespace pcc::frontend {

/// What a name of the graph stands for; exactly one of these.
struct Item {
  /// Whether it is a list of tensors.
  bool isSequence() const { return !sequence.empty(); }
  /// Whether the name stands for anything yet.
  bool isKnown() const { return tensor || value || weight || isSequence(); }

  /// The elements of what was folded.
  std::optional<analysis::Tensor> tensor;
  /// The SSA value of what is computed at run time.
  mlir::Value value;
  /// A weight that nothing has read yet.
  Weight *weight = nullptr;
  /// Several tensors, of an exporter that writes lists as it finds them.
  std::vector<Item> sequence;
};

/// What the functions of the table may ask of the translation as a whole.
class Translation {
public:
  virtual ~Translation() = default;
  /// Whether a Dropout node drops elements. `isTraining`: what the file says;
  /// nothing before opset 12, which has no word for it.
  virtual bool drops(const onnx::NodeProto &node,
                     std::optional<bool> isTraining) = 0;
  /// Whether the outputs are wanted as they are, not a loss to train by.
  virtual bool isForward() const = 0;
  /// Whether PyTorch's exporters wrote the file.
  virtual bool isOfTorch() const = 0;
  /// The elements of a tensor of the file.
  virtual mlir::FailureOr<analysis::Tensor>
  load(mlir::Location loc, const onnx::TensorProto &tensor) = 0;
  /// A place to keep what was made of a constant.
  virtual mlir::Value &constantFor(const analysis::Tensor &tensor) = 0;
  /// The argument of @forward with this role, added on first use.
  virtual mlir::Value argument(nn::InputRole role) = 0;
  /// A number for a random op, ascending in program order.
  virtual int64_t nextRandomId() = 0;
  /// Whether a batch norm is one by the batch's statistics, not by running
  /// ones. `isTraining`: the file says so.
  virtual bool normalizesByBatch(const onnx::NodeProto &node,
                                 bool isTraining) = 0;
  /// What a name of the graph stands for so far; null for nothing.
  virtual mlir::Value valueNamed(llvm::StringRef name) = 0;
  /// Whether a node, one of a branch included, or an output of the graph reads
  /// a name.
  virtual bool isRead(llvm::StringRef name) const = 0;
};

/// What the functions of the import table see of a node: operands and
/// attributes to read, ops to build, results to set. Operands are numbered as
/// in the file; one that the node leaves out counts.
class Binder {
public:
  /// A node of the opset `opset`. All must outlive this, `inputs` too.
  Binder(Translation &translation, mlir::OpBuilder &builder, mlir::Location loc,
         const onnx::NodeProto &node, int64_t opset,
         llvm::ArrayRef<Item> inputs)
      : translation(translation), builder(builder), loc(loc), node(node),
        opset(opset), inputs(inputs), results(node.output_size()) {}

  /// The import that the node is part of.
  Translation &translation;
  /// Builds behind the ops that exist so far.
  mlir::OpBuilder &builder;
  /// Where ops that are built come from: the node.
  mlir::Location loc;
  /// The node as the file has it.
  const onnx::NodeProto &node;
  /// The version of its operator set, which decides what attributes mean.
  int64_t opset;

  /// An error about this node, named in the text.
  mlir::InFlightDiagnostic error() const;
  /// An error unless a tensor of this shape can be held: no dim is negative,
  /// and constants have at most 2^28 elements.
  mlir::LogicalResult checkConstant(llvm::ArrayRef<int64_t> shape) const;

  /// How many operands and results the node names, absent ones included.
  unsigned numInputs() const { return inputs.size(); }
  unsigned numOutputs() const { return results.size(); }
  /// Whether operand `i` is given.
  bool has(unsigned i) const;
  /// Whether operand `i` was folded; what tensor() computes does not count.
  bool isConstant(unsigned i) const { return inputs[i].tensor.has_value(); }
  /// The element type of operand `i`, which must be there.
  mlir::Type element(unsigned i) const;
  /// The extents of operand `i`, which must be there.
  analysis::Shape shape(unsigned i) const;
  /// The number of its dims.
  int64_t rank(unsigned i) const { return shape(i).size(); }
  /// A constant operand, or one that can be computed now (a mask buffer).
  std::optional<analysis::Tensor> tensor(unsigned i) const;
  /// The operand as an SSA value.
  mlir::Value value(unsigned i);
  /// The constant of an operand all of whose elements are equal, as a float.
  std::optional<double> uniform(unsigned i) const;
  /// Operand `i` in whichever form it is.
  const Item &item(unsigned i) const { return inputs[i]; }

  /// An integer attribute of this name; `otherwise` where the node has none.
  int64_t intAttr(llvm::StringRef name, int64_t otherwise) const;
  /// The same of a float.
  double floatAttr(llvm::StringRef name, double otherwise) const;
  /// The same of a text.
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise) const;
  /// An attribute that is a list of integers; nothing where the node has none.
  std::optional<llvm::SmallVector<int64_t>> ints(llvm::StringRef name) const;
  /// Integers that are an attribute in old opsets and operand `i` in new
  /// ones; absent if neither is given, an error if not constant.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
  ints(unsigned i, llvm::StringRef name) const;

  /// Sets result `i`; does nothing where the node names fewer.
  void set(unsigned i, analysis::Tensor tensor);
  void set(unsigned i, mlir::Value value);
  void set(unsigned i, Item item) { results[i] = std::move(item); }
  /// What was set, by the number of the result.
  llvm::ArrayRef<Item> getResults() const { return results; }

  // Building.
  /// A tensor type of this shape.
  mlir::RankedTensorType typeOf(llvm::ArrayRef<int64_t> shape,
                                mlir::Type element) const;
  /// A constant as a value: an op without the dims along which nothing varies,
  /// and a broadcast along these.
  mlir::Value constant(const analysis::Tensor &tensor);
  /// The same elements, row major, in another shape.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Dim i of the result is dim permutation[i].
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Numpy's broadcasting.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// The value, of floats, times a number; itself where that is 1.
  mlir::Value scale(mlir::Value value, double factor);
  /// The sum of one or more values of one type.
  mlir::Value sum(mlir::ValueRange values);
  /// A product of tensors that sums over letters that `spec` lacks behind its
  /// arrow, as einsum writes it: "bij,bjk->bik". `shape`: the result's.
  mlir::Value contract(const llvm::Twine &spec, mlir::Value lhs,
                       mlir::Value rhs, llvm::ArrayRef<int64_t> shape);
  /// `size` elements of dim `dim` from `start` on.
  mlir::Value slice(mlir::Value value, int64_t dim, int64_t start,
                    int64_t size);
  /// Values one behind the other along a dim; the other dims are equal.
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

/// Translates a node in one of the two ways below.
using ImportFn = mlir::LogicalResult (*)(Binder &);

/// How many operands a node may have; a plain number allows exactly as many.
/// Those up to `least` must be there, any beyond may be left out.
struct OperandCount {
  /// Exactly `count` operands.
  constexpr OperandCount(unsigned count) : least(count), most(count) {}
  /// From `least` to `most` operands.
  constexpr OperandCount(unsigned least, unsigned most)
      : least(least), most(most) {}
  /// How many operands must be there, and how many may be.
  unsigned least, most;
};

/// A count from `least` to `most`.
constexpr OperandCount between(unsigned least, unsigned most) {
  return {least, most};
}

/// A count without an upper bound.
constexpr OperandCount atLeast(unsigned least) { return {least, ~0u}; }

/// One row of the import table: operator `name` for opsets since .. until.
struct OpEntry {
  /// The operator as files name it, behind its domain unless that is ONNX's
  /// own.
  llvm::StringRef name;
  /// The first and the last version of the operator set that the row is for.
  int64_t since, until;
  /// How many operands it takes.
  OperandCount operands;
  /// Computes the results from constant operands; null if it cannot.
  ImportFn fold;
  /// Builds nn ops; null for what can only be folded.
  ImportFn build;
  /// The attributes that a node may have; any other is refused.
  std::vector<KnownAttribute> attributes = {};
  /// Also fold where operands are weights: for predicates, through which
  /// nothing is trained.
  bool foldsWeights = false;
};

/// The rows by subject.
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

/// Absolute value and rounding up, which rows of several tables share.
mlir::LogicalResult buildAbs(Binder &b);
mlir::LogicalResult buildCeil(Binder &b);

/// The value of a dim index that may count from the end; absent if outside.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_BINDER_H
