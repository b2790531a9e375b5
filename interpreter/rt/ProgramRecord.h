//===- ProgramRecord.h - Runtime description of an rt module ----*- C++ -*-===//
//
// A compiled program describes the addresses of its parameters and inputs to
// the runtime library by constants of runtime/Program.h. The interpreter uses
// the same library to fill the arenas of its ranks, and creates the same
// description with this class. It derives the description from the IR; with the
// emitter of those constants it shares only analysis/TensorRecords.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RT_PROGRAMRECORD_H
#define PCC_INTERPRETER_RT_PROGRAMRECORD_H

#include "analysis/TensorRecords.h"
#include "dialects/RT/RT.h"
#include "runtime/model/StoredRange.h"
#include "runtime/support/Mesh.h"
#include <deque>
#include <map>

namespace pcc::interp {

/// The description of a module, which must outlive this.
class ProgramRecord {
public:
  /// Fails with a diagnostic if the module has no rt.program, a stage is
  /// missing, or a buffer is invalid: for example without an offset, or of an
  /// unsupported element type.
  static mlir::FailureOr<std::unique_ptr<ProgramRecord>>
  create(mlir::ModuleOp module);

  /// The description; points into this.
  const pcc_program &get() const { return program; }
  rt::ProgramOp getOp() const { return op; }
  llvm::ArrayRef<rt::StageOp> getStages() const { return stages; }
  /// The sharding of a stage's buffer; replicated if it has no layout.
  const pcc_layout &layoutOf(rt::BufferOp buffer) const {
    return layouts.find(buffer)->second;
  }
  /// The elements of a buffer that a rank keeps between entry points, and the
  /// offset of the first one.
  StoredRange runOf(rt::BufferOp buffer, const Coordinates &coordinates) const;
  /// Whether a buffer is sharded between entry points as a member of a sharded
  /// bucket.
  bool isSharded(rt::BufferOp buffer) const { return parts.contains(buffer); }

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
  /// The sharded buckets, and the tensors of their members.
  std::map<mlir::Operation *, pcc_bucket> buckets;
  llvm::DenseMap<mlir::Operation *, pcc_tensor> parts;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_PROGRAMRECORD_H
