//===- Examples.cpp - Example models of every operator --------------------===//
//
// The documentation of operators is generated from these example nodes.
// Operands are written as `T[4,6]`: an element type and a shape; T stands for
// each of the types in turn. `i64[2]=4,6` is a constant, `-` an omitted
// operand, and `cos[2,6,4]` and `sin[..]` are tables of rotary embeddings.
// The extents of a tensor differ, except of square images and kernels, so that
// dims cannot be confused.
//
//===----------------------------------------------------------------------===//

#include "tools/pcc-docs/Examples.h"
#include "analysis/ElementTypes.h"
#include "analysis/Tensor.h"
#include "frontend/binding/OpTable.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/support/DType.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;

namespace {
struct Example {
  StringLiteral op, operands;
  StringLiteral attributes = "";
  /// The number of results that are used.
  int results = 1;
  /// An operator whose node precedes that of `op`. SplitToSequence makes the
  /// sequence of a SequenceAt; the result of another is the `y` of a Gradient.
  StringLiteral producer = "";
  bool isTrained = false;
};
} // namespace

/// Operators that are not listed take operands T[4,6,8], and no attributes.
static constexpr Example examples[] = {
    {"ArgMax", "T[4,6,8]", "axis=1"},
    {"ArgMin", "T[4,6,8]", "axis=1"},
    {"Attention", "T[2,4,6,8] T[2,4,6,8] T[2,4,6,8]"},
    {"AveragePool", "T[2,3,8,8]", "kernel_shape=4,4 strides=4,4"},
    {"BatchNormalization", "T[4,6,8] T[6] T[6] T[6] T[6]"},
    {"Cast", "T[4,6,8]", "to=1"},
    {"Cast", "T[4,6,8]", "to=11"},
    {"CastLike", "T[4,6,8] f64[2]"},
    {"Clip", "T[4,6,8] T[]=-1 T[]=1"},
    {"Clip", "T[4,6,8] T[] T[]"},
    {"Concat", "T[4,6] T[4,8]", "axis=1"},
    {"Constant", "", "value=T"},
    {"ConstantOfShape", "i64[2]=4,6", "value=T"},
    {"Conv", "T[2,3,8,8] T[10,3,4,4] T[10]", "strides=4,4"},
    {"Conv", "T[2,6,9] T[10,3,4] T[10]", "group=2"},
    {"Conv", "T[2,6,9] T[6,1,4]", "group=6"},
    {"ConvTranspose", "T[2,6,9] T[6,10,4] T[10]", "strides=2,"},
    {"CumSum", "T[4,6] i64[]=1"},
    {"DepthToSpace", "T[2,12,4,6]", "blocksize=2"},
    {"Dropout", "T[4,6,8]"},
    {"Dropout", "T[4,6,8] f32[]=0.5 b[]=1", "", 1, "", true},
    {"Einsum", "T[4,6] T[6,8]", "equation=ij,jk->ik"},
    {"Einsum", "T[4] T[6]", "equation=i,j->ij"},
    {"Expand", "T[4,1,8] i64[3]=4,6,8"},
    {"EyeLike", "T[6,8]"},
    {"Flatten", "T[4,6,8]", "axis=2"},
    {"Gather", "T[6,8] i64[4]"},
    {"Gather", "T[4,6,8] i64[]=1", "axis=1"},
    {"GatherElements", "T[4,6] i64[4,6]", "axis=1"},
    {"GatherND", "T[4,6,8] i64[3,2]"},
    {"Gemm", "T[4,6] T[6,8] T[8]"},
    {"InstanceNormalization", "T[4,6,8] T[6] T[6]"},
    {"LayerNormalization", "T[4,6,8] T[8] T[8]"},
    {"MatMul", "T[4,6,8] T[8,10]"},
    {"MatMul", "T[4,6,8] T[4,8,10]"},
    {"Max", "T[4,6,8] T[4,6,8]"},
    {"MaxPool", "T[2,3,8,8]", "kernel_shape=3,3 strides=2,2 pads=1,1,1,1"},
    {"Mean", "T[4,6,8] T[4,6,8]"},
    {"Min", "T[4,6,8] T[4,6,8]"},
    {"Mod", "T[4,6,8] T[4,6,8]", "fmod=1"},
    {"NegativeLogLikelihoodLoss", "T[4,6] i64[4]"},
    {"NonZero", "T[4]=1,0,1,1"},
    {"OneHot", "i64[4,6] i64[]=8 T[2]"},
    {"PRelu", "T[4,6,8] T[8]"},
    {"Pad", "T[4,6] i64[4]=0,1,0,1"},
    {"Pow", "T[4,6,8] T[]=2"},
    {"Pow", "T[4,6,8] T[4,6,8]"},
    {"RMSNormalization", "T[4,6,8] T[8]"},
    {"Range", "T[]=0 T[]=6 T[]=2"},
    {"ReduceL1", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceL2", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceLogSum", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceLogSumExp", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceMax", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceMean", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceMin", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceProd", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceSum", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"ReduceSumSquare", "T[4,6,8] i64[1]=1", "keepdims=0"},
    {"Reshape", "T[4,6,8] i64[2]=4,48"},
    {"Reshape", "T[4,48] i64[3]=4,6,8"},
    {"Resize", "T[2,3,4,6] - f32[4]=1,1,2,2", "mode=linear"},
    {"RotaryEmbedding", "T[2,4,6,8] cos[2,6,4] sin[2,6,4]"},
    {"Scatter", "T[4,6] i64[4,6] T[4,6]", "axis=1"},
    {"ScatterElements", "T[4,6] i64[4,6] T[4,6]", "axis=1"},
    {"ScatterElements", "T[4,6] i64[4,6] T[4,6]", "axis=1 reduction=add"},
    {"ScatterND", "T[6,8] i64[4,1] T[4,8]"},
    {"ScatterND", "T[6,8] i64[4,1] T[4,8]", "reduction=add"},
    {"SequenceAt", "T[4,6,8] i64[]=1", "axis=1", 1, "SplitToSequence"},
    {"SimplifiedLayerNormalization", "T[4,6,8] T[8]"},
    {"Slice", "T[4,6] i64[1]=1 i64[1]=5 i64[1]=1"},
    {"SoftmaxCrossEntropyLoss", "T[4,6] i64[4]"},
    {"SoftmaxCrossEntropyLoss", "T[4,6] i64[4]", "", 1, "", true},
    {"SpaceToDepth", "T[2,3,8,10]", "blocksize=2"},
    {"Split", "T[4,6] i64[2]=2,4", "axis=1", 2},
    {"SplitToSequence", "T[4,6,8] i64[]=1", "axis=1", 1, "SplitToSequence"},
    {"Squeeze", "T[4,1,6] i64[1]=1"},
    {"Sum", "T[4,6,8] T[4,6,8]"},
    {"Tile", "T[4,6] i64[2]=1,2"},
    {"TopK", "T[4,6] i64[1]=2", "axis=1", 2},
    {"Transpose", "T[4,6,8]", "perm=2,0,1"},
    {"Trilu", "T[4,6,8]"},
    {"Unsqueeze", "T[4,6] i64[1]=1"},
    {"Upsample", "T[2,3,4,6] f32[4]=1,1,2,2"},
    {"Where", "b[4,6] T[4,6] T[4,6]"},
    {"ai.onnx.preview.training.Adagrad", "f32[] i64[] T[4,6] T[4,6] T[4,6]", "",
     2},
    {"ai.onnx.preview.training.Adam", "f32[] i64[] T[4,6] T[4,6] T[4,6] T[4,6]",
     "", 3},
    {"ai.onnx.preview.training.Gradient", "T[4,6]", "xs=[in0] y=made", 1,
     "Exp"},
    {"ai.onnx.preview.training.Momentum", "f32[] i64[] T[4,6] T[4,6] T[4,6]",
     "alpha=0.5 beta=0.5 norm_coefficient=0.5 mode=standard", 2},
    {"com.microsoft.BiasGelu", "T[4,6,8] T[8]"},
    {"com.microsoft.FastGelu", "T[4,6,8] T[8]"},
    {"com.microsoft.FusedMatMul", "T[2,4,8,6] T[2,4,8,10]",
     "transA=1 alpha=0.5"},
    {"com.microsoft.RotaryEmbedding",
     "T[2,4,6,8] i64[2,6]=0,1,2,3,4,5,0,1,2,3,4,5 cos[6,4] sin[6,4]"},
    {"com.microsoft.SimplifiedLayerNormalization", "T[4,6,8] T[8]"},
    {"com.microsoft.SkipLayerNormalization", "T[4,6,8] T[4,6,8] T[8] T[8]"},
    {"com.microsoft.SkipSimplifiedLayerNormalization",
     "T[4,6,8] T[4,6,8] T[8]"},
};

static int32_t onnxType(Type type) {
  return infoOf(analysis::dtypeOf(type)).onnx;
}

/// Returns numbers as a tensor of an ONNX file.
static onnx::TensorProto tensorOf(Type type, ArrayRef<int64_t> shape,
                                  ArrayRef<double> values) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnxType(type));
  for (int64_t extent : shape)
    tensor.add_dims(extent);
  std::string *bytes = tensor.mutable_raw_data();
  for (double value : values) {
    APInt bits;
    if (auto format = dyn_cast<FloatType>(type)) {
      APFloat number(value);
      bool loses;
      number.convert(format.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &loses);
      bits = number.bitcastToAPInt();
    } else {
      bits = APInt(64, static_cast<int64_t>(value), /*isSigned=*/true);
    }
    unsigned width = std::max(8u, type.getIntOrFloatBitWidth()) / 8;
    uint64_t word = bits.getZExtValue();
    for (unsigned i = 0; i < width; ++i)
      bytes->push_back(static_cast<char>(word >> (8 * i)));
  }
  return tensor;
}

/// Returns the cosines or sines of a rotary embedding's angles in a table [...,
/// positions, pairs], as models compute them.
static SmallVector<double> angles(StringRef function, ArrayRef<int64_t> shape) {
  SmallVector<double> values;
  int64_t pairs = shape.back(), positions = shape[shape.size() - 2];
  for (int64_t i = 0; i < *countElements(shape); ++i) {
    double angle = i / pairs % positions *
                   std::pow(10000.0, -static_cast<double>(i % pairs) / pairs);
    values.push_back(function == "cos" ? std::cos(angle) : std::sin(angle));
  }
  return values;
}

static SmallVector<double> numbers(StringRef list) {
  SmallVector<double> values;
  SmallVector<StringRef> parts;
  list.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    double value = 0;
    part.getAsDouble(value);
    values.push_back(value);
  }
  return values;
}

namespace {
class ModelBuilder {
public:
  ModelBuilder(const SupportedOperator &op, int64_t version, Type element)
      : element(element), graph(*model.mutable_graph()) {
    model.set_ir_version(8);
    graph.set_name("example");
    auto [domain, name] = StringRef(op.name).rsplit('.');
    if (name.empty())
      std::swap(domain, name);
    addSet("", domain.empty() ? version : 17);
    if (!domain.empty())
      addSet(domain, version);
    type = name;
    this->domain = domain;
  }

  std::string build(const Example &example);

private:
  void addSet(StringRef domain, int64_t version) {
    auto *set = model.add_opset_import();
    set->set_domain(domain.str());
    set->set_version(version);
  }
  /// Adds an operand and returns its name.
  std::string operand(StringRef text);
  void attribute(onnx::NodeProto &node, StringRef text);

  Type element;
  onnx::ModelProto model;
  onnx::GraphProto &graph;
  StringRef type, domain;
};
} // namespace

std::string ModelBuilder::operand(StringRef text) {
  if (text == "-")
    return "";
  auto [kind, rest] = text.split('[');
  auto [dims, values] = rest.split(']');
  Shape shape;
  for (double extent : numbers(dims))
    shape.push_back(static_cast<int64_t>(extent));
  MLIRContext *context = element.getContext();
  bool isTable = kind == "cos" || kind == "sin";
  Type own = llvm::StringSwitch<Type>(kind)
                 .Case("b", IntegerType::get(context, 1))
                 .Case("i64", IntegerType::get(context, 64))
                 .Case("f32", Float32Type::get(context))
                 .Case("f64", Float64Type::get(context))
                 .Default(element);
  if (values.empty() && !isTable) {
    auto *input = graph.add_input();
    input->set_name("in" + std::to_string(graph.input_size() - 1));
    auto *tensor = input->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnxType(own));
    tensor->mutable_shape();
    for (int64_t extent : shape)
      tensor->mutable_shape()->add_dim()->set_dim_value(extent);
    return input->name();
  }
  onnx::NodeProto *constant = graph.add_node();
  constant->set_op_type("Constant");
  constant->set_name("constant" + std::to_string(graph.node_size()));
  constant->add_output(constant->name());
  auto *value = constant->add_attribute();
  value->set_name("value");
  value->set_type(onnx::AttributeProto::TENSOR);
  *value->mutable_t() = tensorOf(
      own, shape, isTable ? angles(kind, shape) : numbers(values.substr(1)));
  return constant->name();
}

void ModelBuilder::attribute(onnx::NodeProto &node, StringRef text) {
  auto [name, value] = text.split('=');
  auto *attribute = node.add_attribute();
  attribute->set_name(name.str());
  int64_t whole;
  double number;
  if (value == "T") {
    attribute->set_type(onnx::AttributeProto::TENSOR);
    *attribute->mutable_t() = tensorOf(element, {1}, {1});
  } else if (value.consume_front("[")) {
    attribute->set_type(onnx::AttributeProto::STRINGS);
    attribute->add_strings(value.drop_back().str());
  } else if (!value.getAsInteger(10, whole)) {
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(whole);
  } else if (!value.getAsDouble(number)) {
    attribute->set_type(onnx::AttributeProto::FLOAT);
    attribute->set_f(static_cast<float>(number));
  } else if (llvm::isDigit(value.front())) {
    attribute->set_type(onnx::AttributeProto::INTS);
    for (double entry : numbers(value))
      attribute->add_ints(static_cast<int64_t>(entry));
  } else {
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(value.str());
  }
}

std::string ModelBuilder::build(const Example &example) {
  SmallVector<StringRef> operands, attributes;
  StringRef(example.operands).split(operands, ' ', -1, /*KeepEmpty=*/false);
  StringRef(example.attributes).split(attributes, ' ', -1, /*KeepEmpty=*/false);
  std::vector<std::string> names;
  for (StringRef text : operands)
    names.push_back(operand(text));
  StringRef consumer = type;
  if (!example.producer.empty()) {
    onnx::NodeProto *node = graph.add_node();
    node->set_op_type(example.producer.str());
    node->set_name("made");
    node->add_output("made");
    node->add_input(names[0]);
    if (example.producer == "SplitToSequence") {
      // The split size is also the index of the part that is taken.
      node->add_input(names[1]);
      attribute(*node, attributes[0]);
      attributes.clear();
      names[0] = "made";
      consumer = "SequenceAt";
    }
  }
  onnx::NodeProto *node = graph.add_node();
  node->set_op_type(consumer.str());
  node->set_domain(domain.str());
  node->set_name("node");
  for (const std::string &name : names)
    node->add_input(name);
  for (StringRef text : attributes)
    attribute(*node, text);
  for (int i = 0; i < example.results; ++i) {
    node->add_output("out" + std::to_string(i));
    graph.add_output()->set_name(node->output(i));
  }
  return model.SerializeAsString();
}

std::vector<SupportedOperator> pcc::supportedOperators() {
  std::vector<SupportedOperator> all;
  for (const OpEntry &entry : allEntries())
    if (all.empty() || all.back().name != entry.name)
      all.push_back({entry.name.str(), opsetsOf(entry.name)});
  return all;
}

std::vector<ExampleModel> pcc::exampleModels(const SupportedOperator &op,
                                             Type element) {
  // The newest row, in its opset that is nearest to 20, where all operands that
  // used to be attributes are operands.
  const OpEntry *entry = nullptr;
  for (const OpEntry &row : allEntries())
    if (row.name == op.name)
      entry = &row;
  int64_t version = op.name.find('.') == std::string::npos
                        ? std::clamp<int64_t>(20, entry->since, entry->until)
                        : 1;
  std::vector<ExampleModel> models;
  for (const Example &example : examples)
    if (example.op == op.name)
      models.push_back({ModelBuilder(op, version, element).build(example),
                        example.isTrained});
  if (models.empty()) {
    static constexpr StringLiteral like[] = {"T[4,6,8]", "T[4,6,8]",
                                             "T[4,6,8] T[4,6,8]"};
    Example usual = {"", like[std::min(entry->operands.least, 2u)]};
    models.push_back({ModelBuilder(op, version, element).build(usual), false});
  }
  return models;
}
