//===- Constants.cpp - Constant nodes that may be weights -----------------===//

#include "frontend/onnx/Constants.h"
#include "runtime/support/DType.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

bool pcc::frontend::isOfFloats(const onnx::TensorProto &tensor) {
  int32_t dtype = dtypeOfONNX(tensor.data_type());
  return dtype >= 0 && isFloat(dtype);
}

static bool isConstant(const onnx::NodeProto &node) {
  return node.op_type() == "Constant" && node.domain().empty() &&
         node.output_size() == 1;
}

/// Whether a result has a name that an exporter numbered: onnx::Add_12, val_7,
/// 703.
static bool isNumberedName(StringRef name) {
  bool isQualified = name.contains("::");
  name.consume_front("val_");
  return isQualified || llvm::all_of(name, llvm::isDigit);
}

void pcc::frontend::liftConstants(onnx::GraphProto &graph) {
  for (const onnx::NodeProto &node : graph.node()) {
    const onnx::AttributeProto *value =
        isConstant(node) ? findAttribute(node, "value") : nullptr;
    if (!value || value->t().data_location() != onnx::TensorProto::EXTERNAL)
      continue;
    // A single number is a literal unless a module named it.
    bool isNumber = llvm::all_of(value->t().dims(),
                                 [](int64_t extent) { return extent == 1; });
    StringRef name = node.output(0);
    bool isNamed = !isNumberedName(name) && !name.contains('/');
    if (!isOfFloats(value->t()) || (isNumber && !isNamed))
      continue;
    onnx::TensorProto *tensor = graph.add_initializer();
    *tensor = value->t();
    tensor->set_name(node.output(0));
  }
}

llvm::StringSet<>
pcc::frontend::namesOfConstants(const onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  for (const onnx::NodeProto &node : graph.node())
    if (isConstant(node))
      names.insert(node.output(0));
  return names;
}
