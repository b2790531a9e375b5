//===- TensorRecords.h - Parameters as the runtime knows them ---*- C++ -*-===//
//
// The runtime reads what a parameter is from a pcc_tensor of runtime/Program.h.
// A compiled program holds such structures as constants, the interpreter hands
// them to the same library: both have them from here.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_ANALYSIS_TENSORRECORDS_H
#define PCC_ANALYSIS_TENSORRECORDS_H

#include "dialects/NN/NN.h"
#include "runtime/Program.h"
#include <deque>
#include <string>
#include <vector>

namespace pcc::analysis {

/// What IR says of the elements of a parameter or a state, but their type.
struct TensorMarks {
  /// Where its first values come from if no file has them.
  nn::Init init = nn::Init::Zero;
  /// Whether weight decay applies to it.
  bool decay = false;
  /// Where its elements lie in a file; null if in none, and then the fields
  /// below say nothing.
  nn::SourceAttr source;
  bool isTransposed = false, isPlusOne = false;
  /// The values of kCopiesAttr and kUsesAttr (AttrNames.h).
  llvm::ArrayRef<mlir::Attribute> copies;
  llvm::ArrayRef<int64_t> uses;

  /// What the attributes of a parameter say; points into them.
  static TensorMarks of(nn::ParamOp param);
};

/// Makes records, and keeps all that they point to.
class TensorRecords {
public:
  /// `type`: what the tensor is in the program, of all ranks or one. Left to
  /// the caller: kind, `of`, layout and offset. Tensors of one source share its
  /// record. Fails with what `refuse` returns of an element type that the
  /// runtime has none for.
  mlir::FailureOr<pcc_tensor>
  encode(llvm::StringRef name, mlir::ShapedType type, const TensorMarks &marks,
         llvm::function_ref<mlir::LogicalResult(mlir::Type)> refuse);

  /// Keeps text and numbers that other records point to.
  const char *keep(llvm::StringRef text);
  const int64_t *keep(llvm::ArrayRef<int64_t> numbers);

private:
  pcc_source encode(nn::SourceAttr attr, int32_t dtype);

  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> lists;
  std::deque<pcc_source> sources;
  std::deque<std::vector<pcc_source>> copies;
  std::deque<std::vector<pcc_use>> uses;
  llvm::DenseMap<mlir::Attribute, const pcc_source *> known;
};

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_TENSORRECORDS_H
