//===- TensorRecords.h - The runtime's parameter records --------*- C++ -*-===//
//
// The runtime describes a parameter by a pcc_tensor of runtime/Program.h. A
// compiled program contains such records as constants; the interpreter passes
// them to the same runtime library. Both encode them with this file.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_ANALYSIS_TENSORRECORDS_H
#define PCC_ANALYSIS_TENSORRECORDS_H

#include "dialects/NN/NN.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program.h"
#include <deque>
#include <string>
#include <vector>

namespace pcc::analysis {

/// Encodes records and owns the memory that they point to.
class TensorRecords {
public:
  /// Without a module, checkpoints have the names and types of the model's
  /// file.
  TensorRecords() = default;
  /// With the names and types in checkpoints that `module` states
  /// (kSavedNamesAttr, kSavedTypesAttr).
  explicit TensorRecords(mlir::ModuleOp module);

  /// Encodes a tensor of `type`, which may be global or local; `record` may be
  /// null. The caller sets kind, `of`, layout, offset and bucket. Tensors with
  /// the same source share its record. If the runtime does not support an
  /// element type, calls `refuse`, which must fail, and fails.
  mlir::FailureOr<pcc_tensor>
  encode(llvm::StringRef name, mlir::ShapedType type, nn::RecordAttr record,
         llvm::function_ref<mlir::LogicalResult(mlir::Type)> refuse);

  /// Copies text or numbers that records point to; returns a pointer to the
  /// copy.
  const char *keep(llvm::StringRef text);
  const int64_t *keep(llvm::ArrayRef<int64_t> numbers);

private:
  pcc_source encode(nn::SourceAttr attr, int32_t dtype);
  /// The type in checkpoints of a source tensor.
  int32_t savedTypeOf(nn::SourceAttr source, int32_t dtype) const;

  /// The values of kSavedTypesAttr and kSavedNamesAttr, or null.
  mlir::Attribute savedTypes;
  mlir::DictionaryAttr savedNames;
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> lists;
  std::deque<pcc_source> sources;
  std::deque<std::vector<pcc_source>> copies;
  std::deque<std::vector<pcc_use>> uses;
  llvm::DenseMap<mlir::Attribute, const pcc_source *> known;
};

/// Returns `order_ranks` and `order_dims` of a pcc_input; `order` may be null.
std::pair<int32_t, int32_t> encodeOrder(nn::HeadTailAttr order);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_TENSORRECORDS_H
