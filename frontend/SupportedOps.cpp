//===- SupportedOps.cpp - The import table as a document ------------------===//
//
// Opsets come from the table, derivatives from the interfaces of the nn ops
// that an operator becomes. Element types and those nn ops are said here.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/NN.h"
#include "frontend/OpTable.h"
#include "frontend/Support.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

namespace {
struct Description {
  StringLiteral name, types;
  /// The nn ops that the value flows through; none where the operator is only
  /// ever computed by the compiler.
  StringLiteral ops;
};
} // namespace

static constexpr Description descriptions[] = {
    {"Abs", "numbers", "max scale"},
    {"Add", "numbers", "sum"},
    {"And", "bool", "where"},
    {"ArgMax", "numbers", "compare reduce_min"},
    {"ArgMin", "numbers", "compare reduce_min"},
    {"Cast", "all", "cast"},
    {"Attention", "floats", "attention"},
    {"CastLike", "all", "cast"},
    {"Ceil", "floats", "floor"},
    {"Celu", "floats", "where exp"},
    {"Clip", "numbers", "max min"},
    {"Concat", "all", "concat"},
    {"Constant", "all", ""},
    {"Conv", "f32, f64", "contract reshape transpose"},
    {"ConstantOfShape", "all", ""},
    {"Cos", "floats", "cos"},
    {"Cosh", "floats", "exp sum"},
    {"CumSum", "numbers", "where reduce"},
    {"Div", "numbers", "div"},
    {"Dropout", "floats", "dropout"},
    {"Einsum", "f32, f64", "contract reduce transpose"},
    {"Elu", "floats", "where exp"},
    {"Equal", "all", "compare"},
    {"EyeLike", "all", ""},
    {"Erf", "floats", "erf"},
    {"Exp", "floats", "exp"},
    {"Expand", "all", "broadcast"},
    {"Flatten", "all", "reshape"},
    {"Floor", "floats", "floor"},
    {"Gather", "all", "embedding select"},
    {"GatherElements", "all", "embedding"},
    {"GatherND", "all", "embedding"},
    {"Gelu", "floats", "gelu"},
    {"Gemm", "f32, f64", "contract sum"},
    {"Greater", "numbers", "compare"},
    {"GreaterOrEqual", "numbers", "compare"},
    {"HardSigmoid", "floats", "max min"},
    {"HardSwish", "floats", "mul max min"},
    {"Hardmax", "numbers", "compare reduce_min"},
    {"Identity", "all", "reshape"},
    {"IsInf", "floats", "compare"},
    {"IsNaN", "floats", "compare"},
    {"LayerNormalization", "floats", "layer_norm"},
    {"LeakyRelu", "floats", "where"},
    {"Less", "numbers", "compare"},
    {"LessOrEqual", "numbers", "compare"},
    {"Log", "floats", "log"},
    {"LogSoftmax", "floats", "sub exp log reduce reduce_max"},
    {"MatMul", "f32, f64", "contract"},
    {"Max", "numbers", "max"},
    {"Mean", "floats", "sum"},
    {"Min", "numbers", "min"},
    {"Mod", "numbers", "rem"},
    {"Mul", "numbers", "mul"},
    {"Neg", "numbers", "scale"},
    {"NegativeLogLikelihoodLoss", "floats", "embedding reduce"},
    {"NonZero", "all", ""},
    {"Not", "bool", "compare"},
    {"OneHot", "all", "where"},
    {"Or", "bool", "where"},
    {"PRelu", "floats", "where"},
    {"Pad", "all", "concat"},
    {"Pow", "numbers", "mul pow"},
    {"Range", "numbers", ""},
    {"Reciprocal", "floats", "div"},
    {"ReduceL1", "floats", "reduce max"},
    {"ReduceL2", "floats", "reduce sqrt"},
    {"ReduceLogSum", "floats", "reduce log"},
    {"ReduceLogSumExp", "floats", "reduce exp log reduce_max"},
    {"ReduceMax", "numbers", "reduce_max"},
    {"ReduceMean", "floats", "reduce"},
    {"ReduceMin", "numbers", "reduce_min"},
    {"ReduceProd", "numbers", "reduce_prod"},
    {"ReduceSum", "floats", "reduce"},
    {"ReduceSumSquare", "floats", "reduce mul"},
    {"Relu", "floats", "relu"},
    {"Reshape", "all", "reshape"},
    {"Round", "floats", "round"},
    {"Scatter", "floats", "embedding_grad where"},
    {"ScatterElements", "floats", "embedding_grad where"},
    {"ScatterND", "floats", "embedding_grad where"},
    {"Selu", "floats", "where exp"},
    {"SequenceAt", "all", "slice"},
    {"Shape", "all", ""},
    {"Shrink", "floats", "where"},
    {"Sigmoid", "floats", "sigmoid"},
    {"Sign", "numbers", "compare"},
    {"Sin", "floats", "sin"},
    {"Sinh", "floats", "exp sub"},
    {"Size", "all", ""},
    {"Slice", "all", "slice"},
    {"Softmax", "floats", "softmax"},
    {"SoftmaxCrossEntropyLoss", "floats", "cross_entropy"},
    {"Softplus", "floats", "max exp log"},
    {"Softsign", "floats", "div"},
    {"Split", "all", "slice"},
    {"SplitToSequence", "all", "slice"},
    {"Sqrt", "floats", "sqrt"},
    {"Squeeze", "all", "reshape"},
    {"Sub", "numbers", "sub"},
    {"Sum", "numbers", "sum"},
    {"Tan", "floats", "sin cos div"},
    {"Tanh", "floats", "tanh"},
    {"ThresholdedRelu", "floats", "where"},
    {"Tile", "all", "broadcast reshape"},
    {"Transpose", "all", "transpose"},
    {"Trilu", "all", "where"},
    {"Unsqueeze", "all", "reshape"},
    {"Where", "all", "where"},
    {"Xor", "bool", "where"},
    {"RMSNormalization", "floats", "rms_norm"},
    {"RotaryEmbedding", "floats", "rope"},
    {"SimplifiedLayerNormalization", "floats", "rms_norm"},
    {"Swish", "floats", "silu"},
    {"com.microsoft.BiasGelu", "floats", "sum gelu"},
    {"com.microsoft.FastGelu", "floats", "sum gelu"},
    {"com.microsoft.Gelu", "floats", "gelu"},
    {"com.microsoft.QuickGelu", "floats", "silu"},
    {"com.microsoft.RotaryEmbedding", "floats", "rope"},
    {"com.microsoft.SimplifiedLayerNormalization", "floats", "rms_norm"},
    {"com.microsoft.SkipLayerNormalization", "floats", "sum layer_norm"},
    {"com.microsoft.SkipSimplifiedLayerNormalization", "floats",
     "sum rms_norm"},
    {"ai.onnx.preview.training.Adagrad", "floats", "div"},
    {"ai.onnx.preview.training.Adam", "floats", "div"},
    {"ai.onnx.preview.training.Gradient", "floats", ""},
    {"ai.onnx.preview.training.Momentum", "floats", "sum"},
};

/// Which dims a mesh axis may shard.
static StringRef shardingOf(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("contract", "any dim; those summed over leave partial sums")
      .Case("reduce", "any dim; those summed over leave partial sums")
      .Cases({"reduce_max", "reduce_min", "reduce_prod"}, "dims that stay")
      .Cases({"softmax", "layer_norm", "rms_norm"},
             "all dims but those of a row")
      .Case("cross_entropy", "any dim; classes by two small reductions")
      .Case("attention", "batch, heads")
      .Case("rope", "all dims but those of a head")
      .Case("reshape", "the major one of merged dims")
      .Cases({"slice", "concat", "select"}, "dims that keep their extent")
      .Cases({"embedding", "embedding_grad"},
             "indices' dims, columns; rows leave partial sums")
      .Default("any dim");
}

/// "18 and later", "11 to 15, 16 and later".
static std::string opsetsOf(ArrayRef<const OpEntry *> rows) {
  std::string text;
  for (const OpEntry *row : rows) {
    text += (text.empty() ? "" : ", ") + std::to_string(row->since);
    text += row->until == kAnyOpset ? " and later"
                                    : " to " + std::to_string(row->until);
  }
  return text;
}

static std::string derivativeOf(MLIRContext &context, ArrayRef<StringRef> ops) {
  if (ops.empty())
    return "constant";
  for (StringRef op : ops) {
    auto info = RegisteredOperationName::lookup(("nn." + op).str(), &context);
    assert(info && "a description names no nn op");
    if (!info->hasInterface<nn::DifferentiableInterface>())
      return "no";
  }
  return "yes";
}

void pcc::printSupportedOps(MLIRContext &context, llvm::raw_ostream &os) {
  os << "# Supported operators\n\n"
        "Generated by scripts/generate-docs from the import table. Opsets are "
        "versions of the\noperator's set. Types are those a program computes "
        "with; `floats` are f16, bf16, f32 and\nf64, `numbers` also i8 to "
        "i64, `all` also bool; unsigned integers and strings are not\n"
        "supported. What the compiler computes itself, such as shapes, has no "
        "nn ops. The last\ncolumns say whether an operator can be trained "
        "through and which dims of its operands\na mesh axis may shard.\n\n"
        "| operator | opsets | types | nn ops | derivative | sharding |\n"
        "|---|---|---|---|---|---|\n";
  ArrayRef<OpEntry> entries = allEntries();
  while (!entries.empty()) {
    StringRef name = entries.front().name;
    SmallVector<const OpEntry *> rows;
    while (!entries.empty() && entries.front().name == name) {
      rows.push_back(&entries.front());
      entries = entries.drop_front();
    }
    const Description *found = llvm::find_if(
        descriptions, [&](const Description &d) { return d.name == name; });
    os << "| " << name << " | " << opsetsOf(rows) << " | ";
    if (found == std::end(descriptions)) {
      os << "undescribed | | | |\n";
      continue;
    }
    SmallVector<StringRef> ops;
    found->ops.split(ops, ' ', -1, /*KeepEmpty=*/false);
    llvm::SmallSetVector<StringRef, 4> shardings;
    for (StringRef op : ops)
      shardings.insert(shardingOf(op));
    if (shardings.size() > 1)
      shardings.remove("any dim");
    os << found->types << " | " << llvm::join(ops, ", ") << " | "
       << derivativeOf(context, ops) << " | " << llvm::join(shardings, "; ")
       << " |\n";
  }
}
