//===- TaskLowering.h - The lowering of one task, by parts ------*- C++ -*-===//
//
// Every value gets a place when its op is reached: a view of its operand's
// place, the place of an operand that dies there, the state or slot it ends up
// in, or a temporary. Uses are known in advance, so each of these choices is
// checked against everything that still reads the memory it would overwrite.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_TASKLOWERING_H
#define PCC_PASSES_CODEGEN_TASKLOWERING_H

#include "dialects/Dist/Dist.h"
#include "passes/Codegen/Gemm.h"
#include "passes/Codegen/LowerTask.h"
#include "passes/Codegen/TaskUses.h"

namespace pcc {

class TaskLowering {
public:
  TaskLowering(pipe::TaskOp task, rt::StageOp stage, SingleOpKernels &kernels)
      : task(task), stage(stage), kernels(kernels), uses(*task.getBlock()),
        builder(task.getContext()) {}

  mlir::LogicalResult run();

private:
  /// Memory of its own: an argument of the task, a state, or a temporary.
  struct Root {
    enum Kind { Argument, State, Temporary } kind;
    mlir::Value address;
    /// The symbol of a state.
    llvm::StringRef state;
    /// Every value that lies in it, or did.
    llvm::SmallVector<mlir::Value> values;
  };

  /// Where a value lies.
  struct Place {
    Root *root = nullptr;
    mlir::Value address;
  };

  //===--------------------------------------------------------------------===//
  // LowerTask.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerConstant(nn::ConstantOp op);
  mlir::LogicalResult lowerRead(nn::ReadOp op);
  mlir::LogicalResult lowerWrite(nn::WriteOp op);
  mlir::LogicalResult lowerAccumulate(nn::AccumulateOp op);
  mlir::LogicalResult lowerCall(mlir::func::CallOp op);
  mlir::LogicalResult lowerYield(pipe::YieldOp op);
  /// Makes the op a kernel of its own.
  mlir::LogicalResult lowerAsKernel(mlir::Operation *op);
  /// Launches a kernel of the op's operands, and places the op's results.
  void emitLaunch(mlir::func::FuncOp kernel, mlir::Operation *op,
                  mlir::ValueRange operands);
  /// A transposed copy of `from`, seen as a tensor of `shape`, in `to` or a new
  /// temporary.
  mlir::Value emitTranspose(mlir::Value from, llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<int64_t> permutation,
                            mlir::Value to = {});
  /// Adds a value to what a state holds.
  void emitAdd(mlir::Value state, mlir::Value added);

  //===--------------------------------------------------------------------===//
  // LowerContract.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerContract(nn::ContractOp op);
  mlir::LogicalResult lowerReshape(nn::ReshapeOp op);
  /// Gives a select, slice or transpose a view; false where it has none.
  bool lowerAsView(mlir::Operation *op, mlir::Value input);
  /// Emits the product of a contraction into `result`.
  mlir::LogicalResult emitGemm(nn::ContractOp op, mlir::Value result,
                               bool accumulate);
  void emitCalls(const GemmPlan &plan, mlir::Value lhs, mlir::Value rhs,
                 mlir::Value result);

  //===--------------------------------------------------------------------===//
  // LowerCollectives.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerAllReduce(dist::AllReduceOp op);
  mlir::LogicalResult lowerAllGather(dist::AllGatherOp op);
  mlir::LogicalResult lowerReduceScatter(dist::ReduceScatterOp op);
  mlir::LogicalResult lowerAllToAll(dist::AllToAllOp op);
  mlir::LogicalResult lowerShardSlice(dist::ShardSliceOp op);
  mlir::LogicalResult lowerOffset(dist::OffsetOp op);
  /// `input` with the blocks that `ranks` cut it into along `dim` one after
  /// the other.
  mlir::Value splitBlocks(mlir::Value input, int64_t dim, int64_t ranks);
  /// Places `result`, whose parts along `dim` are the blocks of `ranks` that
  /// `receive` puts one after the other into the buffer it is given.
  void joinBlocks(mlir::OpResult result, int64_t dim, int64_t ranks,
                  llvm::function_ref<void(mlir::Value)> receive);

  //===--------------------------------------------------------------------===//
  // Places.cpp
  //===--------------------------------------------------------------------===//

  /// Chooses where a result of the op at the present position lies; `inplace`
  /// are operands whose memory it may take over.
  Place place(mlir::OpResult result, llvm::ArrayRef<unsigned> inplace = {});
  Root *findInplace(mlir::OpResult result, llvm::ArrayRef<unsigned> inplace);
  Root *findState(mlir::OpResult result);
  /// The slot a value is yielded to, also through reshapes; or null.
  Root *findTarget(mlir::Value value);
  /// Whether something still reads what lies in the root after the present op.
  bool isBusy(const Root &root);
  /// Whether one of the values lies in the root.
  bool isAnyIn(mlir::ValueRange values, const Root *root);
  Root *newRoot(Root::Kind kind);
  Root *newTemporary(mlir::MemRefType type);
  Root *stateRoot(llvm::StringRef symbol);
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

  pipe::TaskOp task;
  rt::StageOp stage;
  SingleOpKernels &kernels;
  TaskUses uses;
  mlir::OpBuilder builder;
  rt::FuncOp function;
  llvm::SmallVector<std::unique_ptr<Root>> roots;
  llvm::SmallVector<Root *> targets;
  llvm::StringMap<Root *> states;
  llvm::DenseMap<mlir::Value, Place> places;
  unsigned position = 0;
  int temporaries = 0;
  mlir::Location loc = mlir::UnknownLoc::get(task.getContext());
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_TASKLOWERING_H
