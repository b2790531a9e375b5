//===- TaskLowering.h - The lowering of one body, by parts ------*- C++ -*-===//
//
// Every value gets a place when its op is reached: a view of its operand's
// place, the place of an operand that dies there, that of the argument or
// result it ends up in, or a temporary. Uses are known in advance, so each of
// these choices is checked against everything that still reads the memory it
// would overwrite.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_LOWER_TASKLOWERING_H
#define PCC_PASSES_CODEGEN_LOWER_TASKLOWERING_H

#include "dialects/Dist/Layout.h"
#include "passes/Codegen/Kernels/Product.h"
#include "passes/Codegen/Lower/Gemm.h"
#include "passes/Codegen/Lower/LowerTask.h"
#include "passes/Codegen/Lower/TaskUses.h"

namespace pcc {

/// Lowers one body to an `rt.func` of kernels, GEMMs, copies and collectives:
/// places every value in memory, then builds the calls.
class TaskLowering {
public:
  /// Builds in `stage`; `kernels`, which all bodies share, must outlive this.
  TaskLowering(pipe::BodyOp body, rt::StageOp stage, SingleOpKernels &kernels)
      : body(body), stage(stage), kernels(kernels), uses(*body.getBlock()),
        builder(body.getContext()) {}

  /// Does all of it. Errors: an op that has no lowering.
  mlir::LogicalResult run();

private:
  /// Memory of its own. The caller's: an argument that is only read, one whose
  /// place a result takes or that is given up, and what a result is given to;
  /// or a temporary.
  struct Root {
    enum Kind { Constant, Replaced, Given, Temporary } kind;
    mlir::Value address;
    /// Every value that lies in it, or did.
    llvm::SmallVector<mlir::Value> values;
  };

  /// Where a value lies.
  struct Place {
    Root *root = nullptr;
    mlir::Value address;
  };

  /// A buffer and the number of the value it is meant to hold.
  struct Content {
    mlir::Value buffer;
    int64_t number;
  };

  //===--------------------------------------------------------------------===//
  // LowerTask.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerConstant(nn::ConstantOp op);
  mlir::LogicalResult lowerSum(nn::SumOp op);
  mlir::LogicalResult lowerCall(mlir::func::CallOp op);
  mlir::LogicalResult lowerYield(pipe::YieldOp op);
  /// Makes the op a kernel of its own.
  mlir::LogicalResult lowerAsKernel(mlir::Operation *op);
  /// Launches a kernel of the op's operands, and places the op's results.
  void emitLaunch(mlir::func::FuncOp kernel, mlir::Operation *op,
                  mlir::ValueRange operands);
  /// A transposed copy of `from`, seen as a tensor of `shape`.
  Content emitTranspose(Content from, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> permutation);
  void emitTranspose(Content from, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> permutation, Content to);
  /// Adds a value to the one `before` that a buffer holds, which then holds
  /// `sum`.
  void emitAdd(Content sum, int64_t before, Content added);
  void emitCopy(Content from, mlir::Value to);

  //===--------------------------------------------------------------------===//
  // Values: what ops mean, apart from where it lies
  //===--------------------------------------------------------------------===//

  /// Of a value that lies so, as far as it is known.
  int64_t newNumber(mlir::Attribute layout = {}) {
    layouts.push_back(layout);
    return numbered++;
  }
  Content contentOf(mlir::Value value) {
    return {addressOf(value), numberOf(value)};
  }
  /// The number of a value.
  int64_t numberOf(mlir::Value value) {
    auto [it, isNew] = numbers.try_emplace(value, numbered);
    if (isNew)
      newNumber(dist::getSharding(value));
    return it->second;
  }
  /// A value that is elements of another one, where that lies, from one on.
  void noteView(mlir::Value value, mlir::Value source, int64_t offset) {
    int64_t number = numberOf(value);
    views.append({number, numberOf(source), offset});
  }
  /// The number of the elements of a value from one on.
  int64_t numberOfRest(int64_t number, int64_t offset) {
    if (offset == 0)
      return number;
    auto [it, isNew] = rests.try_emplace({number, offset}, numbered);
    if (isNew)
      views.append({newNumber(layouts[number]), number, offset});
    return it->second;
  }
  /// Says which values an op's accesses mean.
  void note(mlir::Operation *op, llvm::ArrayRef<int64_t> values) {
    op->setAttr(rt::kValuesAttr, builder.getDenseI64ArrayAttr(values));
  }
  /// Says what the body finds and leaves behind.
  void noteEnds();

  //===--------------------------------------------------------------------===//
  // LowerContract.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerProduct(mlir::Operation *op);
  mlir::LogicalResult lowerReshape(nn::ReshapeOp op);
  /// Gives a select, slice or transpose a view; false where it has none.
  bool lowerAsView(mlir::Operation *op, mlir::Value input);
  /// Calls of the library for a product in buffers of these types. Fails where
  /// it has none, or none with the product's epilogue.
  mlir::FailureOr<GemmPlan> plan(const codegen::Product &product,
                                 const std::array<mlir::MemRefType, 3> &types,
                                 bool accumulate);
  /// Emits a product into `result`, which it is added to if that holds a value
  /// `before`.
  mlir::LogicalResult emitGemm(const codegen::Product &product, Content result,
                               std::optional<int64_t> before = {});
  void emitCalls(const GemmPlan &plan, Content lhs, Content rhs, Content result,
                 std::optional<int64_t> before);
  /// Emits the one call of a product with an epilogue; `added`: it is added
  /// from there, not from the result.
  void emitFused(const GemmPlan &plan, const codegen::Product &product,
                 Content result, std::optional<int64_t> before,
                 std::optional<Content> added);

  //===--------------------------------------------------------------------===//
  // LowerAttention.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerAttention(nn::AttentionOp op);
  mlir::LogicalResult lowerAttentionGrad(nn::AttentionGradOp op);
  /// Places what the library makes, perhaps as a part of a stack.
  mlir::Value placePart(mlir::OpResult part);
  /// The memory of an lse, as it lies in stats.
  mlir::Value statsIn(mlir::Value lse);

  //===--------------------------------------------------------------------===//
  // LowerCollectives.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerAllReduce(dist::AllReduceOp op);
  mlir::LogicalResult lowerAllGather(dist::AllGatherOp op);
  mlir::LogicalResult lowerReduceScatter(dist::ReduceScatterOp op);
  /// Adds to a value `before` that the result's buffer holds, if there is one.
  void emitReduceScatter(dist::ReduceScatterOp op, Content result,
                         std::optional<int64_t> before = {});
  mlir::LogicalResult lowerAllToAll(dist::AllToAllOp op);
  mlir::LogicalResult lowerShardSlice(dist::ShardSliceOp op);
  mlir::LogicalResult lowerOffset(dist::OffsetOp op);
  /// Emits an op that takes one buffer and gives another.
  template <typename Op>
  void emitGathering(Content from, Content to, mlir::ArrayAttr axes) {
    note(Op::create(builder, loc, from.buffer, to.buffer, axes),
         {from.number, to.number});
  }
  /// `input` with the blocks that `ranks` cut it into along `dim` one after
  /// the other.
  Content splitBlocks(mlir::Value input, int64_t dim, int64_t ranks);
  /// Places `result`, whose parts along `dim` are the blocks of `ranks` that
  /// `receive` puts one after the other into the buffer it is given.
  void joinBlocks(mlir::OpResult result, int64_t dim, int64_t ranks,
                  llvm::function_ref<void(Content)> receive);

  //===--------------------------------------------------------------------===//
  // BufferAssignment.cpp
  //===--------------------------------------------------------------------===//

  /// The result of a kernel that may lie where an operand does; null: none.
  mlir::OpResult resultInPlaceOf(mlir::OpOperand &operand);
  /// Chooses where a result of the op at the present position lies; `inplace`
  /// are operands whose memory it may take over.
  Place place(mlir::OpResult result, llvm::ArrayRef<unsigned> inplace = {});
  Root *findInplace(mlir::OpResult result, llvm::ArrayRef<unsigned> inplace);
  /// Where a value lies in the end, also when it has been added to in place.
  void findEnds(mlir::Value value, llvm::SmallVectorImpl<Root *> &ends);
  /// The argument whose place a value takes, if nothing needs it by now; or
  /// null.
  Root *findReplaced(mlir::OpResult result);
  /// Whether a kernel reads a value, and what it is a view of, by this operand
  /// alone, and nothing does after it.
  bool isLastOf(mlir::OpOperand &operand);
  /// The memory that a value is given to, also through reshapes and kernels in
  /// place; or null.
  Root *findTarget(mlir::Value value);
  /// Whether something still reads what lies in the root after the present op.
  bool isBusy(const Root &root);
  /// Whether one of the values lies in the root.
  bool isAnyIn(mlir::ValueRange values, const Root *root);
  Root *newRoot(Root::Kind kind);
  Root *newTemporary(mlir::MemRefType type);
  void bind(mlir::Value value, Place place) {
    place.root->values.push_back(value);
    places[value] = place;
  }
  mlir::Value addressOf(mlir::Value value) {
    return places.lookup(value).address;
  }
  static mlir::MemRefType typeOf(mlir::Value address) {
    return llvm::cast<mlir::MemRefType>(address.getType());
  }
  /// The address as a contiguous buffer of a shape.
  mlir::Value reshaped(mlir::Value address, llvm::ArrayRef<int64_t> shape);

  pipe::BodyOp body;
  rt::StageOp stage;
  SingleOpKernels &kernels;
  TaskUses uses;
  mlir::OpBuilder builder;
  rt::FuncOp function;
  llvm::SmallVector<std::unique_ptr<Root>> roots;
  /// By result of the body.
  llvm::SmallVector<Root *> targets;
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
  /// By value and the first of its elements.
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> rests;
  int64_t numbered = 0;
  /// By number, how the value lies; null where it is not known.
  llvm::SmallVector<mlir::Attribute> layouts;
  /// Numbers and elements of kViewsAttr.
  llvm::SmallVector<int64_t> views;
  unsigned position = 0;
  mlir::Location loc = mlir::UnknownLoc::get(body.getContext());
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_TASKLOWERING_H
