//===- TensorFile.cpp - Reads a safetensors file --------------------------===//

#include "tools/pcc/verify/TensorFile.h"
#include "runtime/support/DType.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace pcc;

/// Reads the header's entry of a tensor; false if it is invalid.
static bool readEntry(const llvm::json::Object &entry, llvm::StringRef data,
                      TensorFile::Tensor &tensor) {
  auto dtype = entry.getString("dtype");
  const llvm::json::Array *shape = entry.getArray("shape");
  const llvm::json::Array *offsets = entry.getArray("data_offsets");
  if (!dtype || !shape || !offsets || offsets->size() != 2)
    return false;
  tensor.dtype = dtypeNamed(std::string_view(*dtype));
  int64_t elements = 1;
  for (const llvm::json::Value &extent : *shape) {
    tensor.shape.push_back(extent.getAsInteger().value_or(-1));
    if (tensor.shape.back() < 0 ||
        __builtin_mul_overflow(elements, tensor.shape.back(), &elements))
      return false;
  }
  int64_t begin = (*offsets)[0].getAsInteger().value_or(-1);
  int64_t end = (*offsets)[1].getAsInteger().value_or(-1);
  if (begin < 0 || end < begin || end > int64_t(data.size()))
    return false;
  tensor.bytes = data.slice(begin, end);
  return tensor.dtype < 0 ||
         int64_t(tensor.bytes.size()) / sizeOf(tensor.dtype) == elements;
}

std::unique_ptr<TensorFile> TensorFile::open(const std::string &path) {
  auto read = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!read)
    return nullptr;
  llvm::StringRef bytes = (*read)->getBuffer();
  if (bytes.size() < 8)
    return nullptr;
  uint64_t length = llvm::support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(8);
  if (length > bytes.size() || !bytes.starts_with("{"))
    return nullptr;
  auto header = llvm::json::parse(bytes.take_front(length));
  if (!header) {
    llvm::consumeError(header.takeError());
    return nullptr;
  }
  const llvm::json::Object *entries = header->getAsObject();
  auto file = std::make_unique<TensorFile>();
  for (const auto &[name, value] : *entries) {
    const llvm::json::Object *entry = value.getAsObject();
    if (!entry)
      return nullptr;
    if (name == "__metadata__") {
      for (const auto &[key, note] : *entry)
        file->notes[key.str()] = note.getAsString().value_or("").str();
      continue;
    }
    if (!readEntry(*entry, bytes.drop_front(length), file->tensors[name.str()]))
      return nullptr;
  }
  file->file = std::move(*read);
  return file;
}
