//===- Metadata.h - What exporters write beside a graph ---------*- C++ -*-===//
//
// Files of pcc-export say in metadata_props what no graph can: which tensors
// are trained, which of them are one, where no gradient flows. Of such a file
// nothing is guessed. For example
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

/// The value of an entry of `metadata_props`, which Debian's protocol buffers
/// do not know; "" if it is absent. `field` is its number in the message.
std::string metadata(const google::protobuf::Message &message, int field,
                     llvm::StringRef key);

/// Field numbers of metadata_props.
inline constexpr int kNodeMetadata = 9, kGraphMetadata = 16,
                     kTensorMetadata = 16, kValueMetadata = 4;

// Keys of what dynamo, and what rewrites its graphs, say of a node or value.

/// The node of the exported program that a node was made for, as text.
inline constexpr llvm::StringLiteral kProgramNodeKey = "pkg.torch.onnx.fx_node";
/// The lines of Python that it comes from, where forward() is called.
inline constexpr llvm::StringLiteral kStackTraceKey =
    "pkg.torch.onnx.stack_trace";
/// The scopes that a node lies in, from the model inwards, then its function.
inline constexpr llvm::StringLiteral kScopesKey = "pkg.torch.onnx.name_scopes";
/// What a constant was folded from.
inline constexpr llvm::StringLiteral kFoldedFromKey =
    "pkg.onnxscript.optimizer.folded_from";
/// The rewritings that a node went through.
inline constexpr llvm::StringLiteral kRulesKey =
    "pkg.onnxscript.rewriter.rule_name";

/// One of them: a norm by statistics of the file is part of the node's weights.
inline constexpr llvm::StringLiteral kFusesNorm = "FuseBatchNorm";

/// Whether a rewriting with `rule` in its name made this node.
bool wasRewrittenBy(const onnx::NodeProto &node, llvm::StringRef rule);

/// The strings of a list as Python prints it, ['a', 'b']; one that is empty of
/// an empty text.
llvm::SmallVector<llvm::StringRef> parseList(llvm::StringRef text);

/// A parameter or buffer of the module that was exported.
struct DeclaredTensor {
  /// An initializer that holds it; `transposed`: as the transpose of what the
  /// module has.
  struct Holder {
    /// The initializer's name in the graph.
    std::string name;
    /// Whether the initializer has the two dims in exchange.
    bool transposed = false;
  };

  /// The path of the tensor in the module: 'h.0.ln_1.weight'.
  std::string name;
  /// Other paths of the same tensor, where modules share it.
  std::vector<std::string> aliases;
  /// The initializers that hold it, at least one, of equal elements.
  std::vector<Holder> holders;
  /// Whether the module has it as a buffer, not as a parameter.
  bool isBuffer = false;
  /// Whether it requires a gradient; no buffer does.
  bool isTrained = false;
  /// Lookups of this row give it no gradient.
  std::optional<int64_t> paddingRow;
};

/// What pcc-export says of a file.
struct Declarations {
  /// Parameters and then buffers, in the module's order.
  std::vector<DeclaredTensor> tensors;
  /// The number in `tensors` of what an initializer holds.
  llvm::StringMap<size_t> held;
  /// Values of the graph that no gradient flows through.
  llvm::StringSet<> detached;

  /// The tensor that an initializer holds; null for a constant that the
  /// exporter made.
  const DeclaredTensor *find(llvm::StringRef initializer) const;
};

/// What the file's metadata says; nothing if pcc-export did not write it.
/// Errors: another version, no JSON of this form, a tensor or value that the
/// graph lacks, holders of one tensor that differ in shape.
mlir::FailureOr<std::optional<Declarations>>
readDeclarations(mlir::Location loc, const onnx::ModelProto &model);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_METADATA_H
