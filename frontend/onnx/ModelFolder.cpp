//===- ModelFolder.cpp - The directory a file was exported from -----------===//

#include "frontend/onnx/ModelFolder.h"
#include "mlir/IR/Builders.h"
#include "runtime/support/FileNames.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
namespace json = llvm::json;

static constexpr llvm::StringLiteral kKey = "pcc.source";

namespace {
/// Reads the metadata of one file.
class FolderReader {
public:
  FolderReader(Location loc, MLIRContext *context)
      : loc(loc), builder(context) {}

  LogicalResult read(StringRef text, ModuleOp module);

private:
  FailureOr<Attribute> typesOf(const json::Value &value);
  FailureOr<TypeAttr> typeOf(const json::Value &value);
  FailureOr<Attribute> namesOf(const json::Object &names);
  FailureOr<Attribute> filesOf(const json::Array &names);
  InFlightDiagnostic malformed(const Twine &why) {
    InFlightDiagnostic diag = emitError(loc)
                              << "its metadata '" << kKey
                              << "' cannot be read: " << why.str();
    diag.attachNote(loc) << "export the model again with pcc-export";
    return diag;
  }

  Location loc;
  Builder builder;
};
} // namespace

FailureOr<TypeAttr> FolderReader::typeOf(const json::Value &value) {
  std::optional<StringRef> name = value.getAsString();
  Type type = llvm::StringSwitch<Type>(name.value_or(""))
                  .Case("float32", builder.getF32Type())
                  .Case("float64", builder.getF64Type())
                  .Case("bfloat16", builder.getBF16Type())
                  .Case("float16", builder.getF16Type())
                  .Default(nullptr);
  if (type)
    return TypeAttr::get(type);
  if (!name)
    return LogicalResult(malformed("a type is not a text"));
  return LogicalResult(malformed("checkpoints cannot have the type '" + *name +
                                 "', only float32, float64, bfloat16 and "
                                 "float16"));
}

FailureOr<Attribute> FolderReader::typesOf(const json::Value &value) {
  const json::Object *byName = value.getAsObject();
  if (!byName) {
    FailureOr<TypeAttr> type = typeOf(value);
    return failed(type) ? FailureOr<Attribute>(failure())
                        : FailureOr<Attribute>(Attribute(*type));
  }
  NamedAttrList types;
  for (const auto &[name, text] : *byName) {
    FailureOr<TypeAttr> type = typeOf(text);
    if (failed(type))
      return failure();
    if (name.str().empty())
      return LogicalResult(malformed("a type has no name"));
    types.append(builder.getStringAttr(name.str()), *type);
  }
  return Attribute(types.getDictionary(builder.getContext()));
}

FailureOr<Attribute> FolderReader::namesOf(const json::Object &names) {
  NamedAttrList saved;
  llvm::StringSet<> known;
  for (const auto &[name, text] : names) {
    std::optional<StringRef> other = text.getAsString();
    if (!other || name.str().empty())
      return LogicalResult(malformed("a name is not a text"));
    if (std::string why = tensorNameError(other->str()); !why.empty())
      return LogicalResult(malformed("a tensor's name " + why));
    if (!known.insert(*other).second)
      return LogicalResult(
          malformed("two tensors are called '" + *other + "'"));
    saved.append(builder.getStringAttr(name.str()),
                 builder.getStringAttr(*other));
  }
  return Attribute(saved.getDictionary(builder.getContext()));
}

/// Why checkpoints cannot have a file of this name; "" if they can.
static std::string fileNameError(StringRef name) {
  SmallVector<StringRef> parts;
  name.split(parts, '/');
  bool leadsOut = llvm::any_of(parts, [](StringRef part) {
    return part.empty() || part == "." || part == "..";
  });
  if (leadsOut || name.contains('\0'))
    return "is no path within a folder";
  if (name.ends_with(".safetensors") ||
      name.ends_with(".safetensors.index.json") ||
      name == "trainer_state.json" || parts.front() == "optimizer")
    return "is a name that checkpoints use themselves";
  return "";
}

FailureOr<Attribute> FolderReader::filesOf(const json::Array &names) {
  SmallVector<Attribute> files;
  for (const json::Value &value : names) {
    std::optional<StringRef> name = value.getAsString();
    if (!name)
      return LogicalResult(malformed("a file is not a name"));
    if (std::string why = fileNameError(*name); !why.empty())
      return LogicalResult(malformed("the file '" + *name + "' " + why));
    files.push_back(builder.getStringAttr(*name));
  }
  return Attribute(builder.getArrayAttr(files));
}

LogicalResult FolderReader::read(StringRef text, ModuleOp module) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return malformed(llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return malformed("it is not a dictionary");
  if (const json::Value *types = object->get("types")) {
    FailureOr<Attribute> attr = typesOf(*types);
    if (failed(attr))
      return failure();
    module->setAttr(nn::kSavedTypesAttr, *attr);
  }
  if (const json::Object *names = object->getObject("names")) {
    FailureOr<Attribute> attr = namesOf(*names);
    if (failed(attr))
      return failure();
    module->setAttr(nn::kSavedNamesAttr, *attr);
  }
  const json::Array *files = object->getArray("files");
  std::optional<StringRef> folder = object->getString("folder");
  if (!files || !folder)
    return malformed("it lacks its folder or its files");
  FailureOr<Attribute> names = filesOf(*files);
  if (failed(names))
    return failure();
  module->setAttr(nn::kModelFolderAttr,
                  builder.getDictionaryAttr(
                      {builder.getNamedAttr(nn::kModelFolderPath,
                                            builder.getStringAttr(*folder)),
                       builder.getNamedAttr(nn::kModelFolderFiles, *names)}));
  return success();
}

LogicalResult pcc::frontend::readModelFolder(Location loc,
                                             const onnx::ModelProto &model,
                                             ModuleOp module) {
  for (const auto &entry : model.metadata_props())
    if (entry.key() == std::string_view(kKey))
      return FolderReader(loc, module.getContext()).read(entry.value(), module);
  return success();
}
