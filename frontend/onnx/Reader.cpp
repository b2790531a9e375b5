//===- Reader.cpp - ONNX files --------------------------------------------===//

#include "frontend/onnx/Reader.h"
#include "analysis/Tensor.h"
#include "runtime/model/EncodedTensor.h"
#include "runtime/model/FileDigest.h"
#include "runtime/support/DType.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <google/protobuf/stubs/logging.h>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace pcc::frontend;
namespace path = llvm::sys::path;

/// The most elements of a tensor that is decoded from typed fields. It bounds
/// the allocation for a shape that a damaged file states.
static constexpr int64_t kMostDecoded = int64_t(1) << 30;

void pcc::frontend::releasePages(const char *begin, const char *end) {
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto from = reinterpret_cast<uintptr_t>(begin) / page * page;
  auto to = reinterpret_cast<uintptr_t>(end);
  madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED);
}

const ModelFile::File *ModelFile::map(StringRef file) {
  auto it = files.find(file);
  if (it != files.end())
    return &it->second;
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return nullptr;
  bool isMapped =
      (*buffer)->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
  uint64_t digest =
      fileDigest((*buffer)->getBufferStart(), (*buffer)->getBufferSize(),
                 isMapped ? releasePages : nullptr);
  return &files.try_emplace(file, File{std::move(*buffer), digest})
              .first->second;
}

FailureOr<std::shared_ptr<ModelFile>> ModelFile::read(Location loc,
                                                      StringRef file) {
  auto model = std::make_shared<ModelFile>();
  model->path = file.str();
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(file, status))
    return emitError(loc) << "cannot read '" << file
                          << "': " << error.message();
  if (llvm::sys::fs::is_directory(status))
    return emitError(loc) << "cannot read '" << file << "': is a directory";
  // Opening a pipe would block until a writer opens it, and training reads the
  // file again.
  if (!llvm::sys::fs::is_regular_file(status)) {
    InFlightDiagnostic diag = emitError(loc) << "cannot read '" << file
                                             << "': is not a regular file";
    diag.attachNote(loc) << "give an ONNX model by its path: its weights are "
                            "read from there when training starts";
    return diag;
  }
  const File *mapped = model->map(file);
  if (!mapped)
    return emitError(loc) << "cannot read '" << file << "'";

  StringRef bytes = mapped->buffer->getBuffer();
  auto damaged = [&](bool truncated) -> LogicalResult {
    if (truncated) {
      InFlightDiagnostic diag =
          emitError(loc) << "is truncated: it ends after " << bytes.size()
                         << " bytes, within a field that goes on";
      diag.attachNote(loc) << "copy or export the file again";
      return diag;
    }
    InFlightDiagnostic diag = emitError(loc) << "is not an ONNX file";
    diag.attachNote(loc) << (bytes.empty()
                                 ? "it is empty"
                                 : "expected a ModelProto as torch.onnx.export "
                                   "writes it");
    return diag;
  };
  bool truncated;
  FailureOr<std::string> stripped = stripWeights(bytes, truncated);
  if (failed(stripped))
    return damaged(truncated);
  // Silences protobuf's own messages, which would precede ours.
  google::protobuf::SetLogHandler(nullptr);
  if (!model->proto.ParseFromString(*stripped))
    return damaged(false);
  if (model->proto.ir_version() < 1)
    return damaged(false);
  // A file that is cut between two fields may parse.
  if (!model->proto.has_graph() || model->proto.opset_import().empty())
    return damaged(true);
  return model;
}

/// The value of an external_data entry; "" if it is absent.
static StringRef entry(const onnx::TensorProto &tensor, StringRef key) {
  for (const auto &pair : tensor.external_data())
    if (key == pair.key())
      return pair.value();
  return "";
}

const onnx::TensorProto *Model::addZeros(StringRef name, int32_t dataType,
                                         int64_t size) {
  onnx::TensorProto *tensor = proto.mutable_graph()->add_initializer();
  tensor->set_name(name.str());
  tensor->set_data_type(dataType);
  tensor->add_dims(size);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  int32_t dtype = dtypeOfONNX(dataType);
  zeros[name].assign(dtype < 0 ? 0 : size * sizeOf(dtype), '\0');
  return tensor;
}

FailureOr<FileRange> Model::find(Location loc, const onnx::TensorProto &tensor,
                                 bool optional) {
  auto added = zeros.find(tensor.name());
  return added != zeros.end() ? file->absent(added->second)
                              : file->find(loc, tensor, optional);
}

FileRange ModelFile::absent(StringRef bytes) {
  const File *self = map(path);
  FileRange range;
  range.file = path;
  range.offset = pcc::nn::kAbsent;
  range.length = bytes.size();
  range.fileSize = self->buffer->getBufferSize();
  range.digest = self->digest;
  range.bytes = bytes.data();
  return range;
}

FailureOr<FileRange> ModelFile::decode(Location loc,
                                       const onnx::TensorProto &tensor,
                                       FileRange range) {
  auto [it, isNew] = decoded.try_emplace(range.offset);
  int32_t dtype = dtypeOfONNX(tensor.data_type());
  std::optional<int64_t> count = analysis::countElements(
      analysis::Shape(tensor.dims().begin(), tensor.dims().end()));
  if (dtype < 0 || !count || *count > kMostDecoded)
    return emitError(loc) << "tensor '" << tensor.name()
                          << "' has a type or shape that cannot be read from "
                             "typed fields";
  if (isNew && !encoded::decode(range.bytes, range.bytes + range.length, dtype,
                                *count, it->second)) {
    decoded.erase(it);
    return emitError(loc) << "tensor '" << tensor.name()
                          << "' does not hold the elements of its shape";
  }
  range.offset = encoded::offsetOf(range.offset);
  range.bytes = it->second.data();
  range.length = it->second.size();
  range.isMapped = false;
  return range;
}

FailureOr<FileRange>
ModelFile::find(Location loc, const onnx::TensorProto &tensor, bool optional) {
  FileRange range;
  StringRef location = entry(tensor, "location"), name = tensor.name();
  auto number = [&](StringRef key, int64_t &value) {
    StringRef text = entry(tensor, key);
    return text.empty() || (!text.getAsInteger(10, value) && value >= 0);
  };
  int64_t length = -1;
  if (!number("offset", range.offset) || !number("length", length))
    return emitError(loc) << "external data of '" << name
                          << "' has an offset or length that is not a number";
  if (location.empty()) {
    const File *self = map(path);
    StringRef bytes = self->buffer->getBuffer();
    int64_t size = bytes.size();
    if (range.offset > size || length < 0 || length > size - range.offset)
      return emitError(loc)
             << "external data of '" << name << "' has no location";
    range.file = path;
    range.length = length;
    range.fileSize = size;
    range.digest = self->digest;
    range.bytes = bytes.data() + range.offset;
    range.isMapped = self->isMapped();
    if (!entry(tensor, kEncodedKey).empty())
      return decode(loc, tensor, range);
    return range;
  }

  auto refuse = [&](const Twine &why) -> LogicalResult {
    InFlightDiagnostic diag = emitError(loc)
                              << "external data of '" << name << "' " << why;
    diag.attachNote(loc) << "external data must be in the model's folder";
    return diag;
  };
  if (path::is_absolute(location))
    return refuse("has the absolute path '" + location + "'");
  for (auto it = path::begin(location), e = path::end(location); it != e; ++it)
    if (*it == "..")
      return refuse("is at '" + location + "', outside the model's folder");
  llvm::SmallString<128> file(path::parent_path(path)), folder, real;
  path::append(file, location);
  range.file = file.str().str();

  if (!llvm::sys::fs::exists(file)) {
    if (optional)
      return FileRange{"", 0, length};
    InFlightDiagnostic diag =
        emitError(loc) << "external data of '" << name
                       << "' is missing: there is no file '" << file << "'";
    diag.attachNote(loc) << "copy it next to the model, or train from random "
                            "values with --init random";
    return diag;
  }
  StringRef parent = path::parent_path(path);
  if (llvm::sys::fs::real_path(parent.empty() ? "." : parent, folder) ||
      llvm::sys::fs::real_path(file, real))
    return refuse("cannot be found at '" + location + "'");
  if (folder != "/")
    folder += "/";
  if (!real.str().starts_with(folder))
    return refuse("is at '" + location + "', a link to '" + real +
                  "' outside the model's folder");
  // Opening a pipe would block until a writer opens it.
  if (!llvm::sys::fs::is_regular_file(file))
    return refuse("is at '" + location + "', which is not a regular file");
  const File *mapped = map(file);
  if (!mapped)
    return refuse("cannot be read from '" + file + "'");
  StringRef bytes = mapped->buffer->getBuffer();
  range.fileSize = bytes.size();
  if (length < 0)
    length = range.fileSize - range.offset;
  range.length = length;
  if (range.offset > range.fileSize ||
      range.length > range.fileSize - range.offset) {
    InFlightDiagnostic diag =
        emitError(loc) << "external data of '" << name
                       << "' is too short: it needs " << length
                       << " bytes from byte " << range.offset << " on of '"
                       << file << "', which has " << range.fileSize;
    diag.attachNote(loc) << "copy or export '" << file << "' again";
    return diag;
  }
  range.digest = mapped->digest;
  range.bytes = bytes.data() + range.offset;
  range.isMapped = mapped->isMapped();
  return range;
}

static void collectExternal(const onnx::TensorProto &tensor,
                            std::set<std::string> &locations) {
  if (StringRef location = entry(tensor, "location"); !location.empty())
    locations.insert(location.str());
}

static void collectExternal(const onnx::GraphProto &graph,
                            std::set<std::string> &locations) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    collectExternal(tensor, locations);
  for (const onnx::NodeProto &node : graph.node())
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      collectExternal(attribute.t(), locations);
      collectExternal(attribute.g(), locations);
    }
}

std::vector<std::string> ModelFile::externalFiles() const {
  std::set<std::string> locations;
  collectExternal(proto.graph(), locations);
  std::vector<std::string> files;
  for (const std::string &location : locations) {
    llvm::SmallString<128> file(path::parent_path(path));
    path::append(file, location);
    files.push_back(path::is_absolute(location) ? location : file.str().str());
  }
  return files;
}

const onnx::AttributeProto *
pcc::frontend::findAttribute(const onnx::NodeProto &node, StringRef name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (name == attribute.name())
      return &attribute;
  return nullptr;
}
