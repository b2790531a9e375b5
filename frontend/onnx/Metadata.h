//===- Metadata.h - Metadata of exporters -----------------------*- C++ -*-===//
//
// Files of pcc-export state in metadata_props the facts that a graph cannot
// express: which tensors are trained, which initializers are one tensor, where
// no gradient flows. pcc then guesses nothing. For example
//
//   pcc.version         1
//   pcc.parameters      [{"name": "wte.weight", "trained": true,
//                         "aliases": ["lm_head.weight"], "padding_row": 0,
//                         "initializers": [
//                           {"name": "wte.weight"},
//                           {"name": "onnx::MatMul_7", "transposed": true}]}]
//   pcc.buffers         [{"name": "pe", "initializers": [{"name": "pe"}]}]
//   pcc.detached        ["/encoder/Detach_output_0"]
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_METADATA_H
#define PCC_FRONTEND_ONNX_METADATA_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::frontend {

/// The value of an entry of `metadata_props`, or "" if it is absent. `field` is
/// the field's number in the message. The field is read as an unknown one: the
/// onnx.proto of Debian's library predates it.
std::string metadata(const google::protobuf::Message &message, int field,
                     llvm::StringRef key);

/// Field numbers of metadata_props.
inline constexpr int kNodeMetadata = 9, kGraphMetadata = 16,
                     kTensorMetadata = 16, kValueMetadata = 4;

// Keys of the metadata that dynamo and onnxscript's rewriter attach to nodes
// and values.

/// The node of the exported program (torch.fx) that this node was exported for,
/// as text.
inline constexpr llvm::StringLiteral kProgramNodeKey = "pkg.torch.onnx.fx_node";
/// The stack trace in Python of the call that the node was exported for.
inline constexpr llvm::StringLiteral kStackTraceKey =
    "pkg.torch.onnx.stack_trace";
/// The module scopes of a node, from the model inwards, then its PyTorch
/// function with a number: gelu_1.
inline constexpr llvm::StringLiteral kScopesKey = "pkg.torch.onnx.name_scopes";
/// The values that a constant was folded from.
inline constexpr llvm::StringLiteral kFoldedFromKey =
    "pkg.onnxscript.optimizer.folded_from";
/// The rewrite rules that produced a node.
inline constexpr llvm::StringLiteral kRulesKey =
    "pkg.onnxscript.rewriter.rule_name";

/// A rule that folds a BatchNorm with running statistics into a node's weights.
inline constexpr llvm::StringLiteral kFusesNorm = "FuseBatchNorm";

/// Whether a rewrite rule with `rule` in its name produced this node.
bool wasRewrittenBy(const onnx::NodeProto &node, llvm::StringRef rule);

/// The strings of a list in Python's syntax, ['a', 'b']; one empty string for
/// an empty text.
llvm::SmallVector<llvm::StringRef> parseList(llvm::StringRef text);

/// A parameter or buffer of the module that was exported.
struct DeclaredTensor {
  /// An initializer that holds the tensor.
  struct Holder {
    std::string name;
    /// Whether the initializer is the transpose of the module's tensor.
    bool transposed = false;
  };

  /// The path of the tensor in the module: 'h.0.ln_1.weight'.
  std::string name;
  /// Further paths of the same tensor, if modules share it.
  std::vector<std::string> aliases;
  /// The initializers that hold it, all with equal elements.
  std::vector<Holder> holders;
  /// Whether the module registers it as a buffer, not as a parameter.
  bool isBuffer = false;
  /// Whether it requires a gradient; false for buffers.
  bool isTrained = false;
  /// The row that gets no gradient from lookups (padding_idx).
  std::optional<int64_t> paddingRow;
};

/// The metadata of pcc-export in one file.
struct Declarations {
  /// Parameters and then buffers, in the module's order.
  std::vector<DeclaredTensor> tensors;
  /// The index in `tensors`, by the name of an initializer that holds it.
  llvm::StringMap<size_t> held;
  /// Values of the graph through which no gradient flows.
  llvm::StringSet<> detached;

  /// The tensor that an initializer holds; null for a constant that the
  /// exporter created.
  const DeclaredTensor *find(llvm::StringRef initializer) const;
};

/// Reads the metadata of pcc-export; nothing if the file has none. Errors:
/// another version, JSON of another form, a tensor, value or padding row that
/// the graph lacks, initializers of one tensor that differ in shape, an
/// initializer of two tensors.
mlir::FailureOr<std::optional<Declarations>>
readDeclarations(mlir::Location loc, const onnx::ModelProto &model);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_METADATA_H
