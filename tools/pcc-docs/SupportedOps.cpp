//===- SupportedOps.cpp - The import table as a document ------------------===//
//
// Generates the document by experiment: each operator's examples are imported
// and compiled once per element type, and the results are inspected.
//
//===----------------------------------------------------------------------===//

#include "tools/pcc-docs/SupportedOps.h"
#include "dialects/NN/Names.h"
#include "frontend/binding/Differentiate.h"
#include "frontend/binding/OpTable.h"
#include "frontend/import/Import.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Pipelines.h"
#include "tools/pcc-docs/Examples.h"
#include "tools/pcc-docs/Loops.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;

namespace {
/// The properties that an operator's examples show.
struct Shown {
  SmallVector<StringRef> types;
  llvm::SetVector<StringRef> ops;
  llvm::SetVector<StringRef> derivatives;
  SmallVector<std::string> shardings;
};
} // namespace

/// Imports a model; returns null if that fails.
static OwningOpRef<ModuleOp> import(MLIRContext &context,
                                    const ExampleModel &example) {
  SmallString<64> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("pcc-example", "onnx", descriptor,
                                         path))
    return nullptr;
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << example.file;
  auto file = readONNX(context, path);
  if (failed(file))
    return nullptr;
  ImportOptions options;
  options.forward = !example.isTrained;
  auto module = importONNX(context, *file, options);
  return succeeded(module) ? std::move(*module) : nullptr;
}

/// Runs the phases after `first` up to `last`.
static LogicalResult runPhases(ModuleOp module, StringRef first,
                               StringRef last) {
  Options options;
  options.forward = true;
  options.microBatch = options.globalBatch = options.microbatches = 1;
  PassManager manager(module->getName());
  for (int i = findPhase(first) + 1; i <= findPhase(last); ++i)
    getPhases()[i].addPasses(manager, options);
  return manager.run(module);
}

static bool isFloat(Value value) {
  return isa<FloatType>(nn::tensorType(value).getElementType());
}

/// Whether a gradient passes from the results to the arguments.
static StringRef derivativeOf(func::FuncOp function) {
  SmallVector<Value> inputs;
  for (Value argument : function.getArguments())
    if (isFloat(argument))
      inputs.push_back(argument);
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  StringRef found = "none";
  for (Value result : SmallVector<Value>(terminator->getOperands())) {
    if (!isFloat(result) || inputs.empty())
      continue;
    auto cotangents =
        frontend::differentiate(builder, function.getLoc(), result, inputs);
    if (failed(cotangents))
      return "no";
    if (llvm::any_of(*cotangents, [](Value d) { return d; }))
      found = "yes";
    else if (found == "none")
      found = "zero";
  }
  return found;
}

/// Records the properties of an example at phase nn, with operands of one type.
static void look(ModuleOp module, Shown &shown) {
  auto function = module.lookupSymbol<func::FuncOp>(nn::kForward);
  bool computes = false;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isa<nn::ConstantOp>(op))
      continue;
    computes = true;
    shown.ops.insert(op.getName().stripDialect());
  }
  if (!computes)
    return;
  std::string sharding = Loops(function).text();
  if (!llvm::is_contained(shown.shardings, sharding))
    shown.shardings.push_back(sharding);
  shown.derivatives.insert(derivativeOf(function));
}

static Shown show(MLIRContext &context, const SupportedOperator &op) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  Builder b(&context);
  const std::pair<StringRef, Type> types[] = {
      {"f32", b.getF32Type()},       {"f64", b.getF64Type()},
      {"f16", b.getF16Type()},       {"bf16", b.getBF16Type()},
      {"i64", b.getIntegerType(64)}, {"i32", b.getIntegerType(32)},
      {"i16", b.getIntegerType(16)}, {"i8", b.getIntegerType(8)},
      {"bool", b.getI1Type()},
  };
  Shown shown;
  // Properties are taken from f32, or from the first type that works.
  bool seen = false;
  for (auto [name, type] : types) {
    bool works = false, isShown = !seen;
    for (const ExampleModel &example : exampleModels(op, type)) {
      OwningOpRef<ModuleOp> module = import(context, example);
      if (!module || failed(runPhases(*module, "import", "nn")))
        continue;
      seen |= isShown;
      if (isShown) {
        OwningOpRef<ModuleOp> copy = module->clone();
        look(*copy, shown);
      }
      if (!example.isTrained)
        works |= succeeded(runPhases(*module, "nn", "llvm"));
    }
    if (works)
      shown.types.push_back(name);
  }
  return shown;
}

/// Abbreviates common sets of types.
static std::string typesText(ArrayRef<StringRef> types) {
  switch (types.size()) {
  case 0:
    return "undescribed";
  case 9:
    return "all";
  case 8:
    if (!llvm::is_contained(types, "bool"))
      return "numbers";
    break;
  case 4:
    if (types.back() == "bf16")
      return "floats";
    break;
  }
  return llvm::join(types, ", ");
}

/// "7 and later", "1 to 6".
static std::string versionsText(int64_t since, int64_t until) {
  std::string text = std::to_string(since);
  return text + (until == frontend::kAnyOpset ? " and later"
                                              : " to " + std::to_string(until));
}

/// The attributes of an operator by its rows of the import table, each with its
/// values, unless all are supported, and its versions, unless they are the
/// operator's.
static std::string attributesText(StringRef op) {
  SmallVector<const frontend::OpEntry *> rows;
  for (const frontend::OpEntry &row : frontend::allEntries())
    if (row.name == op)
      rows.push_back(&row);
  // An attribute in several rows is listed once.
  llvm::MapVector<StringRef, frontend::KnownAttribute> attributes;
  for (const frontend::OpEntry *row : rows)
    for (frontend::KnownAttribute attribute : row->attributes) {
      attribute.first = std::max(attribute.first, row->since);
      attribute.last = std::min(attribute.last, row->until);
      auto [it, isNew] = attributes.try_emplace(attribute.name, attribute);
      if (!isNew)
        it->second.last = attribute.last;
    }
  std::vector<std::string> texts;
  for (auto &[name, attribute] : attributes) {
    std::string text = "`" + name.str() + "`";
    SmallVector<StringRef> values = attribute.supportedValues();
    if (!values.empty())
      text += " = " + llvm::join(values, " or ");
    if (attribute.first != rows.front()->since ||
        attribute.last != rows.back()->until)
      text += " (" + versionsText(attribute.first, attribute.last) + ")";
    texts.push_back(text);
  }
  return llvm::join(texts, ", ");
}

/// Says `{0}` for the newest opset.
static constexpr StringLiteral header =
    R"(# Supported operators

Generated by scripts/generate-docs: the results of compiling every operator of
the import table with operands of each type.

- *opsets*: the supported versions of the operator's set. ONNX's own set is
  known up to opset {0}; a file of a newer one is refused.
- *attributes*: the supported attributes, with their supported values unless all
  are, and in parentheses their opsets unless all have them. An error names any
  other attribute or value.
- *types*: the element types that CPU programs compute with. `floats` are f32,
  f64, f16 and bf16; `numbers` also i64, i32, i16 and i8; `all` also bool.
  Unsigned integers and strings are not supported. The types that ONNX allows
  for an operator are not checked.
- *nn ops*: the ops that the operator becomes if the shapes are known and
  patterns are recognized. None if the compiler folds the operator, as it folds
  everything that depends only on constants.
- *derivative*: `yes`; `zero` where the function is flat; `none` where no
  gradient flows, because the operands or the result are not floats; `no` where
  training through the operator is refused.
- *sharding*: the dims of operands and results. Dims with the same letter are
  one factor, which may be split over a mesh axis. If the result lacks a factor,
  it is partial over its axis. Dims `-` are never split (or have extent 1); `1`
  is a scalar. Semicolons separate several examples.

`If` is supported where the file's shapes determine the branch, which replaces
it.

| operator | opsets | attributes | types | nn ops | derivative | sharding |
|---|---|---|---|---|---|---|
)";

void pcc::printSupportedOps(MLIRContext &context, llvm::raw_ostream &os) {
  os << llvm::formatv(header.data(), frontend::kNewestOpset);
  auto code = [](StringRef text) { return ("`" + text + "`").str(); };
  for (const SupportedOperator &op : supportedOperators()) {
    Shown shown = show(context, op);
    os << "| " << op.name << " | " << op.opsets << " | "
       << attributesText(op.name) << " | " << typesText(shown.types) << " | "
       << llvm::join(shown.ops, ", ") << " | "
       << llvm::join(shown.derivatives, ", ") << " | "
       << llvm::join(llvm::map_range(shown.shardings, code), "; ") << " |\n";
  }
}
