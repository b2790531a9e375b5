//===- ProgramRecord.h - An rt module as the runtime sees it ----*- C++ -*-===//
//
// A compiled program tells the runtime library by constants of
// runtime/Program.h where parameters and inputs lie. The same library fills the
// arenas of the interpreter's ranks, and is told the same by this. It is made
// from the text alone, and shares nothing with what writes those constants.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RT_PROGRAMRECORD_H
#define PCC_INTERPRETER_RT_PROGRAMRECORD_H

#include "analysis/TensorRecords.h"
#include "dialects/RT/RT.h"
#include "runtime/model/KeptRun.h"
#include "runtime/support/Mesh.h"
#include <deque>
#include <map>

namespace pcc::interp {

/// The record of a module, which must outlive it.
class ProgramRecord {
public:
  /// Fails, with a diagnostic, where the module has no rt.program, lacks the
  /// program of a stage, or a buffer has no place or an element type that the
  /// runtime does not know.
  static mlir::FailureOr<std::unique_ptr<ProgramRecord>>
  create(mlir::ModuleOp module);

  /// The record; points into this.
  const pcc_program &get() const { return program; }
  /// The op that it was made from.
  rt::ProgramOp getOp() const { return op; }
  /// The stages, by number.
  llvm::ArrayRef<rt::StageOp> getStages() const { return stages; }
  /// How a buffer of a stage lies: of a whole tensor if it says nothing.
  const pcc_layout &layoutOf(rt::BufferOp buffer) const {
    return layouts.find(buffer)->second;
  }
  /// Which elements of a buffer that keeps its content a rank has, and where
  /// the first of them lies.
  KeptRun runOf(rt::BufferOp buffer, const Coordinates &coordinates) const;
  /// Whether ranks have parts of a buffer from one entry point to the next, as
  /// of what lies in a bucket that is cut.
  bool isCut(rt::BufferOp buffer) const { return parts.contains(buffer); }

private:
  explicit ProgramRecord(rt::ProgramOp op) : op(op) {}
  mlir::LogicalResult addAxes();
  mlir::LogicalResult addStage(rt::StageOp stage);
  mlir::LogicalResult addLayout(rt::BufferOp buffer);
  void addBucket(rt::BufferOp row, rt::BufferOp part);
  mlir::FailureOr<pcc_tensor> tensorOf(rt::BufferOp buffer);
  mlir::FailureOr<pcc_input> inputOf(rt::BufferOp buffer);

  rt::ProgramOp op;
  pcc_program program = {};
  llvm::SmallVector<rt::StageOp> stages;
  analysis::TensorRecords records;
  std::vector<pcc_axis> axes;
  std::vector<pcc_stage> stageRecords;
  std::deque<std::vector<pcc_tensor>> tensors;
  std::deque<std::vector<pcc_input>> inputs;
  std::deque<std::vector<int32_t>> axisLists;
  llvm::DenseMap<mlir::Operation *, pcc_layout> layouts;
  /// Of rows of which ranks keep parts, and what lies in them.
  std::map<mlir::Operation *, pcc_bucket> buckets;
  llvm::DenseMap<mlir::Operation *, pcc_tensor> parts;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_PROGRAMRECORD_H
