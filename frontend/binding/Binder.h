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
#include "frontend/onnx/Reader.h"
#include "frontend/weights/Weights.h"

namespace pcc::frontend {

/// What a name of the graph stands for; exactly one of these.
struct Item {
  bool isSequence() const { return !sequence.empty(); }
  bool isKnown() const { return tensor || value || weight || isSequence(); }

  /// Folded.
  std::optional<analysis::Tensor> tensor;
  /// Computed at run time.
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
  virtual bool wantsDropout() const = 0;
  /// Whether the outputs are wanted as they are, not a loss to train by.
  virtual bool isForward() const = 0;
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
};

class Binder {
public:
  Binder(Translation &translation, mlir::OpBuilder &builder, mlir::Location loc,
         const onnx::NodeProto &node, int64_t opset,
         llvm::ArrayRef<Item> inputs)
      : translation(translation), builder(builder), loc(loc), node(node),
        opset(opset), inputs(inputs), results(node.output_size()) {}

  Translation &translation;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const onnx::NodeProto &node;
  int64_t opset;

  /// An error about this node, named in the text.
  mlir::InFlightDiagnostic error() const;
  /// An error unless a tensor of this shape can be held: no dim is negative,
  /// and constants have at most 2^28 elements.
  mlir::LogicalResult checkConstant(llvm::ArrayRef<int64_t> shape) const;

  unsigned numInputs() const { return inputs.size(); }
  unsigned numOutputs() const { return results.size(); }
  bool has(unsigned i) const;
  bool isConstant(unsigned i) const { return inputs[i].tensor.has_value(); }
  mlir::Type element(unsigned i) const;
  analysis::Shape shape(unsigned i) const;
  int64_t rank(unsigned i) const { return shape(i).size(); }
  /// A constant operand, or one that can be computed now (a mask buffer).
  std::optional<analysis::Tensor> tensor(unsigned i) const;
  /// The operand as an SSA value.
  mlir::Value value(unsigned i);
  /// The constant of an operand all of whose elements are equal, as a float.
  std::optional<double> uniform(unsigned i) const;
  const Item &item(unsigned i) const { return inputs[i]; }

  int64_t intAttr(llvm::StringRef name, int64_t otherwise) const;
  double floatAttr(llvm::StringRef name, double otherwise) const;
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise) const;
  std::optional<llvm::SmallVector<int64_t>> ints(llvm::StringRef name) const;
  /// Integers that are an attribute in old opsets and operand `i` in new
  /// ones; absent if neither is given, an error if not constant.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
  ints(unsigned i, llvm::StringRef name) const;

  void set(unsigned i, analysis::Tensor tensor);
  void set(unsigned i, mlir::Value value);
  void set(unsigned i, Item item) { results[i] = std::move(item); }
  llvm::ArrayRef<Item> getResults() const { return results; }

  // Building.
  mlir::RankedTensorType typeOf(llvm::ArrayRef<int64_t> shape,
                                mlir::Type element) const;
  mlir::Value constant(const analysis::Tensor &tensor);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Numpy's broadcasting.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value scale(mlir::Value value, double factor);
  mlir::Value sum(mlir::ValueRange values);
  mlir::Value contract(const llvm::Twine &spec, mlir::Value lhs,
                       mlir::Value rhs, llvm::ArrayRef<int64_t> shape);
  /// `size` elements of dim `dim` from `start` on.
  mlir::Value slice(mlir::Value value, int64_t dim, int64_t start,
                    int64_t size);
  mlir::Value concat(mlir::ValueRange values, int64_t dim);
  template <typename Op>
  mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  template <typename Op>
  mlir::Value unary(mlir::Value input) {
    return Op::create(builder, loc, input.getType(), input);
  }

private:
  llvm::ArrayRef<Item> inputs;
  llvm::SmallVector<Item> results;
};

using ImportFn = mlir::LogicalResult (*)(Binder &);

/// One row of the import table: operator `name` for opsets since .. until.
struct OpEntry {
  llvm::StringRef name;
  int64_t since, until;
  /// How many operands must be there.
  unsigned operands;
  /// Computes the results from constant operands; null if it cannot.
  ImportFn fold;
  /// Builds nn ops; null for what can only be folded.
  ImportFn build;
  /// Also fold where operands are weights: for predicates, through which
  /// nothing is trained.
  bool foldsWeights = false;
};

inline constexpr int64_t kAnyOpset = 1000;

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

// What rows of several tables share.
mlir::LogicalResult buildAbs(Binder &b);
mlir::LogicalResult buildCeil(Binder &b);

/// The value of a dim index that may count from the end; absent if outside.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_BINDER_H
