//===- ContextLength.cpp - The longest sequence of a model ----------------===//
//
// The graph is translated for two short sequences, and the rows that it reads
// of its tables are compared. For OPT's position table, whose positions begin
// at row 2:
//
//   5 positions  rows 2 .. 6 of 66
//   7 positions  rows 2 .. 8 of 66
//
// Two more positions read two more rows, so the table serves 66 - 2 = 64
// positions. A table that is read by as many rows both times (a class token),
// or by twice as many more (distances from -n to n), is not indexed by
// position.
//
//===----------------------------------------------------------------------===//

#include "frontend/import/ContextLength.h"
#include "frontend/import/DimBinding.h"
#include "frontend/import/ModelConfig.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

/// The metadata key that pcc-export writes.
static constexpr llvm::StringLiteral kContextLengthKey = "pcc.context_length";

static constexpr int64_t kShort = 5, kLonger = 7;

/// The unbound dims of a model's inputs other than the batch, by name; "" for
/// dims without a name.
static llvm::SetVector<StringRef> openDims(const onnx::GraphProto &graph,
                                           const ImportOptions &options,
                                           const BatchDims &batchDims) {
  llvm::SetVector<StringRef> open;
  llvm::StringSet<> batches;
  for (const onnx::ValueInfoProto *input : fedInputs(graph)) {
    const auto &type = input->type().tensor_type();
    for (int d = 0; d < type.shape().dim_size(); ++d) {
      const auto &dim = type.shape().dim(d);
      if (dim.has_dim_value() || options.dims.count(dim.dim_param()))
        continue;
      if (d == 0 && !batchDims.isShared(input->name()))
        batches.insert(dim.dim_param());
      else if (!isSequenceDim(*input, d) || !options.seq)
        open.insert(dim.dim_param());
    }
  }
  open.remove_if(
      [&](StringRef name) { return !name.empty() && batches.contains(name); });
  return open;
}

/// The names of the dims of sequences of ids.
static llvm::StringSet<> sequenceDims(const onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  for (const onnx::ValueInfoProto *input : fedInputs(graph)) {
    const auto &shape = input->type().tensor_type().shape();
    for (int d = 0; d < shape.dim_size(); ++d)
      if (isSequenceDim(*input, d))
        names.insert(shape.dim(d).dim_param());
  }
  return names;
}

/// The context length in the file's metadata; nothing if it has none.
static FailureOr<std::optional<int64_t>>
statedLength(Location loc, const onnx::ModelProto &proto) {
  for (const auto &entry : proto.metadata_props()) {
    if (entry.key() != kContextLengthKey)
      continue;
    int64_t length;
    if (StringRef(entry.value()).getAsInteger(10, length) || length < 1)
      return emitError(loc)
             << "its metadata " << kContextLengthKey << " is '" << entry.value()
             << "', which is not a positive integer";
    return std::optional(length);
  }
  return std::optional<int64_t>();
}

FailureOr<std::vector<ContextLength>>
pcc::findContextLengths(MLIRContext &context, const ONNXFile &file,
                        const ImportOptions &options) {
  Location loc = FileLineColLoc::get(&context, file->getPath(), 0, 0);
  const onnx::ModelProto &model = file->getProto();
  auto batchDims = BatchDims::read(loc, model.graph(), options);
  if (failed(batchDims))
    return failure();
  llvm::SetVector<StringRef> open =
      openDims(model.graph(), options, *batchDims);
  std::vector<ContextLength> lengths;
  if (open.empty())
    return lengths;
  auto stated = statedLength(loc, model);
  if (failed(stated))
    return failure();

  // Reads the tables with the dim `longer`, if any, longer than the others.
  auto probe = [&](std::optional<StringRef> longer) {
    ImportOptions probed = options;
    for (StringRef name : open) {
      int64_t length = name == longer ? kLonger : kShort;
      if (name.empty())
        probed.seq = length;
      else
        probed.dims[name.str()] = length;
    }
    return readTables(context, file, probed);
  };
  TableReads before = probe(std::nullopt);
  llvm::StringSet<> sequences = sequenceDims(model.graph());
  for (StringRef name : open) {
    std::optional<ContextLength> least;
    if (*stated)
      least = {name.str(), **stated,
               ("metadata '" + kContextLengthKey + "'").str()};
    TableReads after = probe(name);
    for (const auto &[place, read] : after.all()) {
      auto it = before.all().find(place);
      if (it == before.all().end())
        continue;
      const TableRead &less = it->second;
      if (less.rows != read.rows || less.first != read.first ||
          read.count - less.count != kLonger - kShort)
        continue;
      int64_t length = read.rows - read.first - (read.count - kLonger);
      if (!least || length < least->length)
        least = {name.str(), length, "table '" + read.table + "'"};
    }
    // config.json may be of another file, so the file's own facts come first.
    if (!least && sequences.contains(name))
      if (auto stated = configuredLength(file->getPath()))
        least = {name.str(), stated->length, "config.json's " + stated->key};
    if (least)
      lengths.push_back(*least);
  }
  return lengths;
}
