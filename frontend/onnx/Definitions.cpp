//===- Definitions.cpp - Each name of a file is defined once --------------===//

#include "frontend/onnx/Definitions.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::frontend;

namespace {
/// The values of one graph, each with a description of its definition.
class Definitions {
public:
  explicit Definitions(Location file) : file(file) {}

  LogicalResult add(const std::string &value, const Twine &definition) {
    auto [it, isNew] = known.try_emplace(value, definition.str());
    if (isNew || value.empty())
      return success();
    InFlightDiagnostic diag =
        emitError(file) << definition << " defines '" << value << "', which "
                        << "is already defined by " << it->second;
    diag.attachNote(file) << "an ONNX graph defines each name once: "
                             "export the model again";
    return diag;
  }

private:
  Location file;
  llvm::StringMap<std::string> known;
};
} // namespace

LogicalResult pcc::frontend::checkDefinitions(Location file,
                                              const onnx::GraphProto &graph) {
  Definitions definitions(file);
  llvm::StringSet<> tensors;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    tensors.insert(tensor.name());
    if (failed(definitions.add(tensor.name(), "a tensor of the file")))
      return failure();
  }
  // An input with a tensor of its name has that as its default.
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!tensors.contains(input.name()) &&
        failed(definitions.add(input.name(), "an input")))
      return failure();
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &output : node.output())
      if (failed(definitions.add(output, node.op_type() + " '" +
                                             StringRef(node.name()) + "'")))
        return failure();
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g() && failed(checkDefinitions(file, attribute.g())))
        return failure();
  }
  return success();
}

static void collectReads(const onnx::GraphProto &graph,
                         llvm::StringSet<> &reads) {
  for (const onnx::ValueInfoProto &output : graph.output())
    reads.insert(output.name());
  for (const onnx::NodeProto &node : graph.node()) {
    reads.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto &attribute : node.attribute())
      collectReads(attribute.g(), reads);
  }
}

void pcc::frontend::removeUnreadStrings(onnx::GraphProto &graph) {
  llvm::StringSet<> reads;
  collectReads(graph, reads);
  auto &tensors = *graph.mutable_initializer();
  for (int i = tensors.size() - 1; i >= 0; --i)
    if (tensors[i].data_type() == onnx::TensorProto::STRING &&
        !reads.contains(tensors[i].name()))
      tensors.DeleteSubrange(i, 1);
}
