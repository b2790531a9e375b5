//===- TaskLowering.h - Lowering of one body --------------------*- C++ -*-===//
//
// Each value is assigned a buffer when its op is lowered. This is a view of its
// operand's buffer, the buffer of an operand that dies there, the final
// argument or result buffer of the value, or a temporary. Uses are known in
// advance, so each choice is checked against all later reads of the memory that
// it would overwrite.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_LOWER_TASKLOWERING_H
#define PCC_PASSES_CODEGEN_LOWER_TASKLOWERING_H

#include "dialects/Dist/Layout.h"
#include "passes/Codegen/Kernels/FusedGemm.h"
#include "passes/Codegen/Lower/Gemm.h"
#include "passes/Codegen/Lower/LowerTask.h"
#include "passes/Codegen/Lower/TaskUses.h"

namespace pcc {

/// Lowers one body to an `rt.func` of kernels, GEMMs, copies and collectives.
/// Assigns a buffer to each value, then builds the calls.
class TaskLowering {
public:
  /// Builds the function in `stage`. All bodies share `kernels`, which must
  /// outlive this.
  TaskLowering(pipe::BodyOp body, rt::StageOp stage, SingleOpKernels &kernels)
      : body(body), stage(stage), kernels(kernels), uses(*body.getBlock()),
        builder(body.getContext()) {}

  /// Lowers the body. Fails with a diagnostic if an op has no lowering.
  mlir::LogicalResult run();

private:
  /// An allocation. Constant: read-only memory, such as an argument that no
  /// result replaces. Replaced: an argument that a result replaces, or that is
  /// dead after the call. Given: the buffer of a result. Temporary: a
  /// temporary.
  struct Root {
    enum Kind { Constant, Replaced, Given, Temporary } kind;
    mlir::Value address;
    /// Every value that is or was stored in it.
    llvm::SmallVector<mlir::Value> values;
  };

  /// The buffer of a value.
  struct Storage {
    Root *root = nullptr;
    mlir::Value address;
  };

  /// A buffer and the number of the value that it holds.
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
  /// Lowers an op to a kernel of its own.
  mlir::LogicalResult lowerAsKernel(mlir::Operation *op);
  /// Launches a kernel on `operands`, and assigns buffers to the op's results.
  void emitLaunch(mlir::func::FuncOp kernel, mlir::Operation *op,
                  mlir::ValueRange operands);
  /// Emits a transposed copy of `from`, viewed as a tensor of `shape`.
  Content emitTranspose(Content from, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> permutation);
  void emitTranspose(Content from, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> permutation, Content to);
  /// Adds `added` to the value `before` in a buffer, which then holds `sum`.
  void emitAdd(Content sum, int64_t before, Content added);
  void emitCopy(Content from, mlir::Value to);

  //===--------------------------------------------------------------------===//
  // Numbers of values, for the verifier
  //===--------------------------------------------------------------------===//

  /// Returns the number of a new value with a sharding, if known.
  int64_t newNumber(mlir::Attribute layout = {}) {
    layouts.push_back(layout);
    return numbered++;
  }
  Content contentOf(mlir::Value value) {
    return {addressOf(value), numberOf(value)};
  }
  /// Returns the number of a value.
  int64_t numberOf(mlir::Value value) {
    auto [it, isNew] = numbers.try_emplace(value, numbered);
    if (isNew)
      newNumber(dist::getSharding(value));
    return it->second;
  }
  /// Records that a value is a view of another one from an element on.
  void noteView(mlir::Value value, mlir::Value source, int64_t offset) {
    int64_t number = numberOf(value);
    views.append({number, numberOf(source), offset});
  }
  /// Returns the value number of the part of a value from element `offset` on.
  int64_t numberOfRest(int64_t number, int64_t offset) {
    if (offset == 0)
      return number;
    auto [it, isNew] = rests.try_emplace({number, offset}, numbered);
    if (isNew)
      views.append({newNumber(layouts[number]), number, offset});
    return it->second;
  }
  /// Records the values of an op's accesses in its `rt.values`.
  void note(mlir::Operation *op, llvm::ArrayRef<int64_t> values) {
    op->setAttr(rt::kValuesAttr, builder.getDenseI64ArrayAttr(values));
  }
  /// Records the values of the arguments at the body's begin and end.
  void noteEnds();

  //===--------------------------------------------------------------------===//
  // LowerContract.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerProduct(mlir::Operation *op);
  mlir::LogicalResult lowerGrouped(nn::GroupedContractOp op);
  /// Emits a grouped GEMM into `result`; adds it to the value `before` in that
  /// buffer, if given.
  mlir::LogicalResult emitGrouped(nn::GroupedContractOp op, Content result,
                                  std::optional<int64_t> before = {});
  mlir::LogicalResult lowerReshape(nn::ReshapeOp op);
  /// Lowers a select, slice or transpose to a view; returns false if there is
  /// none.
  bool lowerAsView(mlir::Operation *op, mlir::Value input);
  /// Plans library calls for a GEMM in buffers of these types. Fails if there
  /// are none, or none with the GEMM's epilogue.
  mlir::FailureOr<GemmPlan> plan(const codegen::FusedGemm &product,
                                 const std::array<mlir::MemRefType, 3> &types,
                                 bool accumulate);
  /// Emits a GEMM into `result`; adds it to the value `before` in that buffer,
  /// if given.
  mlir::LogicalResult emitGemm(const codegen::FusedGemm &product,
                               Content result,
                               std::optional<int64_t> before = {});
  void emitCalls(const GemmPlan &plan, Content lhs, Content rhs, Content result,
                 std::optional<int64_t> before);
  /// Emits the single call of a GEMM with an epilogue. `added` is added from a
  /// buffer other than the result.
  void emitFused(const GemmPlan &plan, const codegen::FusedGemm &product,
                 Content result, std::optional<int64_t> before,
                 std::optional<Content> added);

  //===--------------------------------------------------------------------===//
  // LowerAttention.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerAttention(nn::AttentionOp op);
  mlir::LogicalResult lowerAttentionGrad(nn::AttentionGradOp op);
  /// Assigns a buffer to a result of the library, perhaps as a part of a stack.
  mlir::Value placePart(mlir::OpResult part);
  /// Returns the buffer of an lse in the layout of the library's stats.
  mlir::Value statsIn(mlir::Value lse);

  //===--------------------------------------------------------------------===//
  // LowerCollectives.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerAllReduce(dist::AllReduceOp op);
  mlir::LogicalResult lowerAllGather(dist::AllGatherOp op);
  mlir::LogicalResult lowerReduceScatter(dist::ReduceScatterOp op);
  /// Adds to the value `before` in the result's buffer, if given.
  void emitReduceScatter(dist::ReduceScatterOp op, Content result,
                         std::optional<int64_t> before = {});
  mlir::LogicalResult lowerAllToAll(dist::AllToAllOp op);
  mlir::LogicalResult lowerShardSlice(dist::ShardSliceOp op);
  mlir::LogicalResult lowerOffset(dist::OffsetOp op);
  /// Emits an op that reads one buffer and writes another.
  template <typename Op>
  void emitGathering(Content from, Content to, mlir::ArrayAttr axes) {
    note(Op::create(builder, loc, from.buffer, to.buffer, axes),
         {from.number, to.number});
  }
  /// Returns `input` split along `dim` into a block for each rank, one
  /// contiguous block after the other.
  Content splitBlocks(mlir::Value input, int64_t dim, int64_t ranks);
  /// Assigns a buffer to `result`. `receive` fills a buffer with one contiguous
  /// block per rank, which are then concatenated along `dim`.
  void concatBlocks(mlir::OpResult result, int64_t dim, int64_t ranks,
                    llvm::function_ref<void(Content)> receive);

  //===--------------------------------------------------------------------===//
  // BufferAssignment.cpp
  //===--------------------------------------------------------------------===//

  /// Returns the result of a kernel that may overwrite an operand; null if
  /// there is none.
  mlir::OpResult resultInPlaceOf(mlir::OpOperand &operand);
  /// Assigns a buffer to a result of the current op; `inplace` are operands
  /// whose memory it may reuse.
  Storage place(mlir::OpResult result, llvm::ArrayRef<unsigned> inplace = {});
  Root *findInplace(mlir::OpResult result, llvm::ArrayRef<unsigned> inplace);
  /// Finds the buffers that a value ends up in, also after it is accumulated
  /// into.
  void findEnds(mlir::Value value, llvm::SmallVectorImpl<Root *> &ends);
  /// Returns the argument that a value replaces, if it is not read any more; or
  /// null.
  Root *findReplaced(mlir::OpResult result);
  /// Whether a kernel reads a value, or any alias of it, by this operand only,
  /// and no later op reads it.
  bool isLastOf(mlir::OpOperand &operand);
  /// Returns the result buffer that a value ends up in, also through reshapes
  /// and in-place kernels; or null.
  Root *findTarget(mlir::Value value);
  /// Whether a later op reads a value in the allocation.
  bool isReadLater(const Root &root);
  /// Whether one of the values is in the allocation.
  bool isAnyIn(mlir::ValueRange values, const Root *root);
  Root *newRoot(Root::Kind kind);
  Root *newTemporary(mlir::MemRefType type);
  void bind(mlir::Value value, Storage place) {
    place.root->values.push_back(value);
    places[value] = place;
  }
  mlir::Value addressOf(mlir::Value value) {
    return places.lookup(value).address;
  }
  static mlir::MemRefType typeOf(mlir::Value address) {
    return llvm::cast<mlir::MemRefType>(address.getType());
  }
  /// Returns the address as a contiguous buffer of a shape.
  mlir::Value reshaped(mlir::Value address, llvm::ArrayRef<int64_t> shape);

  pipe::BodyOp body;
  rt::StageOp stage;
  SingleOpKernels &kernels;
  TaskUses uses;
  mlir::OpBuilder builder;
  rt::FuncOp function;
  llvm::SmallVector<std::unique_ptr<Root>> roots;
  /// By result of the body, its final allocation.
  llvm::SmallVector<Root *> targets;
  llvm::DenseMap<mlir::Value, Storage> places;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
  /// By value and first element, the number of the rest.
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> rests;
  int64_t numbered = 0;
  /// By number, the sharding of the value; null if unknown.
  llvm::SmallVector<mlir::Attribute> layouts;
  /// The contents of kViewsAttr.
  llvm::SmallVector<int64_t> views;
  unsigned position = 0;
  mlir::Location loc = mlir::UnknownLoc::get(body.getContext());
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_TASKLOWERING_H
