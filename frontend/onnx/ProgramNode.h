//===- ProgramNode.h - A node of the program that dynamo exported -*- C++ -*-=//
//
// The dynamo exporter writes beside each ONNX node the node of the exported
// program that it was made for, as torch.fx prints it:
//
//   %embedding : [num_users=1] = call_function[target=
//     torch.ops.aten.embedding.default](args = (%p_w, %ids, 0), kwargs = {})
//
// So a file tells what ONNX has no attribute for, such as the padding row 0.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_PROGRAMNODE_H
#define PCC_FRONTEND_ONNX_PROGRAMNODE_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/SmallVector.h"

namespace pcc::frontend {

/// A call of the exported program.
class ProgramNode {
public:
  /// The one that `node` was made for; nothing if the file does not tell.
  static std::optional<ProgramNode> of(const onnx::NodeProto &node);

  /// The name of its result: embedding.
  llvm::StringRef getName() const { return name; }
  /// The overload that is called: aten.embedding.default.
  llvm::StringRef getTarget() const { return target; }
  /// The text of a positional argument, or of the same one by keyword; "" if
  /// it is not given.
  llvm::StringRef argument(unsigned i, llvm::StringRef keyword = "") const;
  /// The whole number that an argument is; `otherwise` if it is none.
  int64_t intArgument(unsigned i, llvm::StringRef keyword,
                      int64_t otherwise) const;
  /// The names of results and inputs that it reads, in order.
  llvm::ArrayRef<std::string> getReads() const { return reads; }

private:
  std::string name, target;
  llvm::SmallVector<std::string> arguments, reads;
  llvm::StringMap<std::string> keywords;
};

/// What a lookup in a table says of the table's gradient.
struct LookupGradient {
  /// Lookups of this row give it none: padding_idx.
  std::optional<int64_t> paddingRow;
  /// A row's is divided by how often it is looked up: scale_grad_by_freq.
  bool isScaled = false;
};
/// That of the Gather that an embedding became; nothing is known of others.
LookupGradient lookupGradientOf(const onnx::NodeProto &node);

/// Which elements get the gradient of a maximum or minimum that several of them
/// are.
enum class Ties {
  First,   ///< the first alone, as max(dim) does and max pooling
  Shared,  ///< all of them the same, as amax does and max of a whole tensor
  Unknown, ///< the file does not tell
};
/// That of the ReduceMax or ReduceMin `node`.
Ties tiesOf(const onnx::NodeProto &node);

/// How a node clamps, if the file tells: at a bound that is a number no
/// gradient passes, at one that is a tensor both get a half.
enum class Clamps { ByNumbers, ByTensors, Unknown };
/// How `node`, a Clip, Max or Min, clamps.
Clamps clampsOf(const onnx::NodeProto &node);

/// Whether the node is the root of a variance that std() takes: of no variance
/// it is flat.
bool isDeviation(const onnx::NodeProto &node);

/// Whether the node is what is left of detach().
bool isDetach(const onnx::NodeProto &node);

/// The names behind percent signs in the text of a program's node.
llvm::SmallVector<llvm::StringRef> namesInProgram(llvm::StringRef text);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_PROGRAMNODE_H
