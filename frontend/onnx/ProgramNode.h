//===- ProgramNode.h - A node of the program that dynamo exported -*- C++ -*-=//
//
// The dynamo exporter attaches to each ONNX node the node of the exported
// program that it implements, as torch.fx prints it:
//
//   %embedding : [num_users=1] = call_function[target=
//     torch.ops.aten.embedding.default](args = (%p_w, %ids, 0), kwargs = {})
//
// It holds facts without an ONNX attribute, such as the padding row 0 here.
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
  /// The program's node that `node` was exported for; nothing if the file does
  /// not tell.
  static std::optional<ProgramNode> of(const onnx::NodeProto &node);

  /// The name of the call's result: embedding.
  llvm::StringRef getName() const { return name; }
  /// The overload that the call names: aten.embedding.default.
  llvm::StringRef getTarget() const { return target; }
  /// The text of a positional argument, or of the same argument by keyword; ""
  /// if neither is given.
  llvm::StringRef argument(unsigned i, llvm::StringRef keyword = "") const;
  /// An argument as a whole number; `otherwise` if it is not one.
  int64_t intArgument(unsigned i, llvm::StringRef keyword,
                      int64_t otherwise) const;
  /// The names of results and inputs that the call reads, in order.
  llvm::ArrayRef<std::string> getReads() const { return reads; }

private:
  std::string name, target;
  llvm::SmallVector<std::string> arguments, reads;
  llvm::StringMap<std::string> keywords;
};

/// How the gradient of a looked-up table is computed.
struct LookupGradient {
  /// The row that gets no gradient from lookups: padding_idx.
  std::optional<int64_t> paddingRow;
  /// Whether a row's gradient is divided by its number of lookups:
  /// scale_grad_by_freq.
  bool isScaled = false;
};
/// The facts about the Gather of an nn.Embedding; the defaults for other nodes.
LookupGradient lookupGradientOf(const onnx::NodeProto &node);

/// Which of several equal maxima (or minima) get the gradient.
enum class TieGradient {
  First,   ///< the first alone, as max(dim) does and max pooling
  Shared,  ///< all of them the same, as amax does and max of a whole tensor
  Unknown, ///< the file does not tell
};
/// How the ReduceMax or ReduceMin `node` distributes its gradient among ties.
TieGradient tieGradientOf(const onnx::NodeProto &node);

/// How a node clamps. At a bound that is a number no gradient passes; at a
/// bound that is a tensor, operand and bound each get half.
enum class Clamps { ByNumbers, ByTensors, Unknown };
/// How `node`, a Clip, Max or Min, clamps.
Clamps clampsOf(const onnx::NodeProto &node);

/// Whether the node is the square root in std(), whose gradient is 0 where the
/// variance is 0.
bool isDeviation(const onnx::NodeProto &node);

/// Whether the node is an exported detach().
bool isDetach(const onnx::NodeProto &node);

/// The names after percent signs in the text of a program's node.
llvm::SmallVector<llvm::StringRef> namesInProgram(llvm::StringRef text);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_PROGRAMNODE_H
