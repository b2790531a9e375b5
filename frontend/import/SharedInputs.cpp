//===- SharedInputs.cpp - Inputs without a batch dim ----------------------===//
//
// An input such as position_ids [seq], a table [n, d] or a bias [1, s, d] is
// the same for all samples; an input such as input_ids [batch, seq] has a row
// per sample. One input, with a dynamic first dim or ids if there are any,
// defines the batch. The first dims of the others decide whether they have a
// row per sample:
//
//   of ["batch", "seq"], the name "batch"   yes
//                        the name "seq"     no
//                        the name "rows"    yes; with a warning if no op
//                                           shows it
//                        the number 8       no, because the batch is dynamic
//   of [4, 16],          the number 10      no
//                        the number 4       undecided: its use decides
//
// An undecided input has a row per sample if an op aligns its rows with those
// of the samples; if an op combines both dims, it has not. If it is still
// undecided, a warning tells the user, who decides.
//
//===----------------------------------------------------------------------===//

#include "frontend/import/SharedInputs.h"
#include "analysis/Axes.h"
#include "dialects/NN/Roles.h"
#include "frontend/import/DimBinding.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

using Dims = onnx::TensorShapeProto;

static const Dims &shapeOf(const onnx::ValueInfoProto &value) {
  return value.type().tensor_type().shape();
}

static bool isIds(const onnx::ValueInfoProto &input) {
  return shapeOf(input).dim_size() == 2 && isSequenceDim(input, 1) &&
         input.name() != "position_ids";
}

/// Whether a name is that of a dim after the first of any input.
static bool isInnerDim(ArrayRef<const onnx::ValueInfoProto *> inputs,
                       StringRef name) {
  return llvm::any_of(inputs, [&](const auto *input) {
    const Dims &shape = shapeOf(*input);
    for (int d = 1; d < shape.dim_size(); ++d)
      if (shape.dim(d).dim_param() == name)
        return true;
    return false;
  });
}

/// Whether some output has the same static first dim as an input.
static bool isKept(const onnx::ValueInfoProto &input,
                   const onnx::GraphProto &graph) {
  return llvm::any_of(graph.output(), [&](const auto &output) {
    return shapeOf(output).dim_size() > 0 &&
           shapeOf(output).dim(0).has_dim_value() &&
           shapeOf(output).dim(0).dim_value() ==
               shapeOf(input).dim(0).dim_value();
  });
}

/// The input whose first dim is the batch, preferably a dynamic one; null if no
/// input has a dim.
static const onnx::ValueInfoProto *
findRows(ArrayRef<const onnx::ValueInfoProto *> inputs,
         const onnx::GraphProto &graph) {
  auto isOpen = [&](const onnx::ValueInfoProto &input) {
    const Dims::Dimension &dim = shapeOf(input).dim(0);
    return !dim.has_dim_value() &&
           (dim.dim_param().empty() || !isInnerDim(inputs, dim.dim_param()));
  };
  const onnx::ValueInfoProto *best = nullptr;
  int most = -1;
  for (const auto *input : inputs) {
    if (shapeOf(*input).dim_size() == 0)
      continue;
    int likely = 4 * isOpen(*input) + 2 * isIds(*input) + isKept(*input, graph);
    if (likely > most) {
      best = input;
      most = likely;
    }
  }
  return best;
}

static LogicalResult
checkChoices(Location loc, const InputChoices &choices,
             ArrayRef<const onnx::ValueInfoProto *> inputs) {
  for (const auto &[flag, names] :
       {std::pair("--shared-input", &choices.shared),
        std::pair("--per-sample", &choices.perSample)})
    for (const std::string &name : *names) {
      const auto *it = llvm::find_if(
          inputs, [&](const auto *input) { return input->name() == name; });
      if (it == inputs.end()) {
        std::string all = llvm::join(
            llvm::map_range(inputs, [](const auto *i) { return i->name(); }),
            ", ");
        InFlightDiagnostic diag = emitError(loc)
                                  << flag << " " << name
                                  << ": the model has no input of this name";
        diag.attachNote(loc) << "its inputs are " << all;
        return diag;
      }
      if (names == &choices.perSample && shapeOf(**it).dim_size() == 0)
        return emitError(loc) << "--per-sample " << name
                              << ": this input is one number, without dims";
      if (names == &choices.perSample &&
          llvm::is_contained(choices.shared, name))
        return emitError(loc) << "input '" << name
                              << "' cannot be both --shared-input and "
                                 "--per-sample";
    }
  return success();
}

FailureOr<BatchDims> BatchDims::read(Location loc,
                                     const onnx::GraphProto &graph,
                                     const ImportOptions &options) {
  BatchDims result;
  auto inputs = fedInputs(graph);
  const InputChoices &choices = options.inputs;
  if (failed(checkChoices(loc, choices, inputs)))
    return failure();
  SmallVector<const onnx::ValueInfoProto *> candidates, chosen;
  for (const auto *input : inputs) {
    if (llvm::is_contained(choices.perSample, input->name()))
      chosen.push_back(input);
    if (!llvm::is_contained(choices.shared, input->name()))
      candidates.push_back(input);
  }
  const onnx::ValueInfoProto *rows =
      findRows(chosen.empty() ? candidates : chosen, graph);
  const Dims::Dimension *batch = rows ? &shapeOf(*rows).dim(0) : nullptr;
  if (batch && batch->has_dim_value()) {
    result.fixedBatch = batch->dim_value();
    if (chosen.empty() && !isIds(*rows))
      result.assumed = rows->name();
  }
  if (batch)
    result.batchName = batch->dim_param();
  for (const auto *input : inputs) {
    StringRef name = input->name();
    const Dims &shape = shapeOf(*input);
    if (llvm::is_contained(choices.perSample, name) || input == rows)
      continue;
    if (shape.dim_size() == 0 || llvm::is_contained(choices.shared, name)) {
      result.shared.insert(name);
      continue;
    }
    const Dims::Dimension &dim = shape.dim(0);
    if (dim.has_dim_value()) {
      bool isOpen = result.fixedBatch == dim.dim_value();
      (isOpen ? result.open : result.shared).insert(name);
      continue;
    }
    const std::string &symbol = dim.dim_param();
    if (symbol.empty() || (batch && symbol == batch->dim_param()))
      continue;
    auto given = options.dims.find(symbol);
    if (isInnerDim(inputs, symbol) ||
        (given != options.dims.end() &&
         given->second != options.batch.value_or(1)))
      result.shared.insert(name);
    else if (!result.batchName.empty() && chosen.empty())
      result.renamed[name] = symbol;
  }
  return result;
}

void pcc::frontend::resolveOpenInputs(func::FuncOp forward,
                                      const BatchDims &dims) {
  auto nameOf = [&](BlockArgument argument) {
    return inputName(forward, argument.getArgNumber());
  };
  SmallVector<BlockArgument> rows, open;
  for (BlockArgument argument : forward.getArguments()) {
    std::optional<InputRole> role = roleOf(argument);
    if (!role || !isModelData(*role))
      continue;
    (dims.isOpen(nameOf(argument)) ? open : rows).push_back(argument);
  }
  // Prefer another undecided input whose rows reach an output.
  const auto *assumed = llvm::find_if(rows, [&](BlockArgument argument) {
    return !dims.assumed.empty() && nameOf(argument) == dims.assumed;
  });
  auto isKept = [&](BlockArgument argument) {
    Operation *end = forward.getBody().front().getTerminator();
    return llvm::any_of(end->getOperands(), [&](Value output) {
      return reachesRows(argument, output);
    });
  };
  if (assumed != rows.end() && !open.empty() && !isKept(*assumed))
    if (auto *better = llvm::find_if(open, isKept); better != open.end())
      std::swap(rows[assumed - rows.begin()], *better);
  // An input that was found to have rows may decide others.
  for (bool again = true; again;) {
    again = false;
    for (BlockArgument argument : SmallVector<BlockArgument>(open)) {
      std::optional<bool> isBySample = isUsedByRow(argument, rows);
      // Only the user knows the dynamic dim of a shared input.
      if (dims.isRenamed(nameOf(argument)) && isBySample == false)
        isBySample.reset();
      if (!isBySample)
        continue;
      again = true;
      llvm::erase(open, argument);
      if (*isBySample)
        rows.push_back(argument);
      else
        setRole(forward, argument.getArgNumber(), InputRole::Shared);
    }
  }
  for (BlockArgument argument : open) {
    StringRef name = nameOf(argument);
    if (dims.isRenamed(name) && !argument.use_empty()) {
      std::string dim = dims.dimName(name);
      InFlightDiagnostic diag =
          forward.emitWarning()
          << "input '" << name
          << "' is assumed to have a row per sample, though its first dim is '"
          << dim << "' and the batch is '" << dims.batchName << "'";
      diag.attachNote() << "--per-sample " << name
                        << " confirms this; --shared-input " << name
                        << " --dim " << dim
                        << "=N if it is the same for all samples";
      continue;
    }
    // With one sample, the data files decide: they have one row or many.
    if (argument.use_empty() || tensorType(argument).getDimSize(0) == 1)
      continue;
    InFlightDiagnostic diag =
        forward.emitWarning()
        << "input '" << nameOf(argument)
        << "' is assumed to have a row per sample, because its "
           "first dim is "
        << tensorType(argument).getDimSize(0) << ", the batch size";
    diag.attachNote() << "--per-sample " << nameOf(argument)
                      << " confirms this; --shared-input " << nameOf(argument)
                      << " if it is the same for all samples";
  }
}
