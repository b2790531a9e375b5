//===- Metadata.cpp - Metadata of exporters -------------------------------===//

#include "frontend/onnx/Metadata.h"
#include "llvm/Support/JSON.h"
#include <google/protobuf/unknown_field_set.h>

using namespace mlir;
using namespace pcc::frontend;
namespace json = llvm::json;

/// The version of pcc-export's metadata that this compiler reads.
static constexpr llvm::StringLiteral kVersion = "1";

std::string pcc::frontend::metadata(const google::protobuf::Message &message,
                                    int field, StringRef key) {
  const auto &unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField &entry = unknown.field(i);
    if (entry.number() != field ||
        entry.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    onnx::StringStringEntryProto pair;
    if (pair.ParseFromString(entry.length_delimited()) && key == pair.key())
      return pair.value();
  }
  return "";
}

bool pcc::frontend::wasRewrittenBy(const onnx::NodeProto &node,
                                   StringRef rule) {
  return StringRef(metadata(node, kNodeMetadata, kRulesKey)).contains(rule);
}

SmallVector<StringRef> pcc::frontend::parseList(StringRef text) {
  SmallVector<StringRef> parts, strings;
  text.trim("[]").split(parts, ',');
  for (StringRef part : parts)
    strings.push_back(part.trim().trim("'\""));
  return strings;
}

const DeclaredTensor *Declarations::find(StringRef initializer) const {
  auto it = held.find(initializer);
  return it == held.end() ? nullptr : &tensors[it->second];
}

namespace {

/// Reads the metadata of one file.
class DeclarationReader {
public:
  DeclarationReader(Location loc, const onnx::ModelProto &model)
      : loc(loc), model(model) {
    for (const onnx::TensorProto &tensor : model.graph().initializer())
      initializers[tensor.name()] = &tensor;
  }

  FailureOr<std::optional<Declarations>> read();

private:
  LogicalResult readTensors(StringRef key, bool areBuffers);
  LogicalResult readTensor(StringRef key, const json::Value &value,
                           bool isBuffer);
  LogicalResult readHolders(StringRef key, const json::Array &array,
                            DeclaredTensor &tensor);
  LogicalResult readDetached();

  /// The text of a metadata entry; null if it is absent.
  const std::string *find(StringRef key) const {
    for (const auto &pair : model.metadata_props())
      if (key == pair.key())
        return &pair.value();
    return nullptr;
  }
  /// The JSON array of an entry; empty if the entry is absent.
  FailureOr<json::Array> array(StringRef key);
  /// Reports an entry that this version of pcc-export would not write.
  LogicalResult malformed(StringRef key, const Twine &why) {
    InFlightDiagnostic diag = emitError(loc)
                              << "its metadata '" << key
                              << "' cannot be read: " << why.str();
    diag.attachNote(loc) << "export the model again with pcc-export";
    return diag;
  }
  /// Reports a file that was changed after its export.
  LogicalResult changed(StringRef key, const Twine &what) {
    InFlightDiagnostic diag =
        emitError(loc) << "its metadata '" << key << "' names " << what.str()
                       << ": the file was changed after its export";
    diag.attachNote(loc) << "export the model again with pcc-export";
    return diag;
  }

  Location loc;
  const onnx::ModelProto &model;
  llvm::StringMap<const onnx::TensorProto *> initializers;
  Declarations result;
};

} // namespace

FailureOr<json::Array> DeclarationReader::array(StringRef key) {
  const std::string *text = find(key);
  if (!text)
    return json::Array();
  llvm::Expected<json::Value> value = json::parse(*text);
  if (!value) {
    (void)malformed(key, llvm::toString(value.takeError()));
    return failure();
  }
  if (json::Array *array = value->getAsArray())
    return std::move(*array);
  (void)malformed(key, "it is not a list");
  return failure();
}

/// The shape of a tensor, with the two dims of a matrix exchanged if
/// `transposed`.
static SmallVector<int64_t> shapeOf(const onnx::TensorProto &tensor,
                                    bool transposed) {
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  if (transposed && shape.size() == 2)
    std::swap(shape[0], shape[1]);
  return shape;
}

LogicalResult DeclarationReader::readHolders(StringRef key,
                                             const json::Array &array,
                                             DeclaredTensor &tensor) {
  std::optional<SmallVector<int64_t>> shape;
  for (const json::Value &value : array) {
    const json::Object *object = value.getAsObject();
    auto name = object ? object->getString("name") : std::nullopt;
    if (!name)
      return malformed(key, "an initializer of '" + Twine(tensor.name) +
                                "' has no name");
    bool transposed = object->getBoolean("transposed").value_or(false);
    auto found = initializers.find(*name);
    if (found == initializers.end())
      return changed(key, "the initializer '" + name->str() +
                              "', which the graph lacks");
    SmallVector<int64_t> own = shapeOf(*found->second, transposed);
    if ((transposed && own.size() != 2) || (shape && *shape != own))
      return changed(key, "'" + name->str() + "' as a tensor of '" +
                              tensor.name + "', which has another shape");
    if (!result.held.try_emplace(*name, result.tensors.size()).second)
      return malformed(key, "'" + name->str() + "' belongs to two tensors");
    shape = own;
    tensor.holders.push_back({name->str(), transposed});
  }
  if (tensor.paddingRow &&
      (*tensor.paddingRow < 0 ||
       (shape && (shape->empty() || *tensor.paddingRow >= shape->front()))))
    return changed(key, "row " + Twine(*tensor.paddingRow) + " of '" +
                            tensor.name + "', which it does not have");
  return success();
}

LogicalResult DeclarationReader::readTensor(StringRef key,
                                            const json::Value &value,
                                            bool isBuffer) {
  const json::Object *object = value.getAsObject();
  auto name = object ? object->getString("name") : std::nullopt;
  const json::Array *holders =
      object ? object->getArray("initializers") : nullptr;
  if (!name || !holders)
    return malformed(key, "an entry lacks its name or its initializers");
  DeclaredTensor tensor;
  tensor.name = name->str();
  tensor.isBuffer = isBuffer;
  if (!isBuffer) {
    auto trained = object->getBoolean("trained");
    if (!trained)
      return malformed(key, "'" + tensor.name +
                                "' does not say whether it is trained");
    tensor.isTrained = *trained;
    tensor.paddingRow = object->getInteger("padding_row");
    if (const json::Array *aliases = object->getArray("aliases"))
      for (const json::Value &alias : *aliases)
        if (auto text = alias.getAsString())
          tensor.aliases.push_back(text->str());
  }
  if (failed(readHolders(key, *holders, tensor)))
    return failure();
  result.tensors.push_back(std::move(tensor));
  return success();
}

LogicalResult DeclarationReader::readTensors(StringRef key, bool areBuffers) {
  FailureOr<json::Array> entries = array(key);
  if (failed(entries))
    return failure();
  for (const json::Value &value : *entries)
    if (failed(readTensor(key, value, areBuffers)))
      return failure();
  return success();
}

LogicalResult DeclarationReader::readDetached() {
  constexpr StringRef key = "pcc.detached";
  FailureOr<json::Array> entries = array(key);
  if (failed(entries))
    return failure();
  llvm::StringSet<> values;
  for (const onnx::NodeProto &node : model.graph().node())
    for (const std::string &output : node.output())
      values.insert(output);
  for (const json::Value &value : *entries) {
    auto name = value.getAsString();
    if (!name)
      return malformed(key, "an entry is not a name");
    if (!values.contains(*name))
      return changed(key, "'" + name->str() + "', which no node computes");
    result.detached.insert(*name);
  }
  return success();
}

FailureOr<std::optional<Declarations>> DeclarationReader::read() {
  const std::string *version = find("pcc.version");
  if (!version)
    return std::optional<Declarations>();
  if (*version != kVersion) {
    InFlightDiagnostic diag = emitError(loc)
                              << "its metadata is version " << *version
                              << " of pcc-export's, this pcc reads version "
                              << kVersion;
    diag.attachNote(loc) << "export the model again with the pcc-export that "
                            "belongs to this pcc";
    return failure();
  }
  if (failed(readTensors("pcc.parameters", /*areBuffers=*/false)) ||
      failed(readTensors("pcc.buffers", /*areBuffers=*/true)) ||
      failed(readDetached()))
    return failure();
  return std::optional<Declarations>(std::move(result));
}

FailureOr<std::optional<Declarations>>
pcc::frontend::readDeclarations(Location loc, const onnx::ModelProto &model) {
  return DeclarationReader(loc, model).read();
}
