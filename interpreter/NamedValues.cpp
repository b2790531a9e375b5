//===- NamedValues.cpp - Values given on a command line -------------------===//

#include "interpreter/NamedValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace mlir;
using namespace pcc::interp;

llvm::Error NamedValues::add(ArrayRef<std::string> pairs, StringRef file) {
  for (StringRef pair : pairs) {
    auto [key, value] = pair.split('=');
    if (key.empty() || value.empty())
      return llvm::createStringError("'" + pair.str() +
                                     "' is not of the form key=value");
    text[key] = value.str();
  }
  if (file.empty())
    return llvm::Error::success();
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return llvm::createStringError(file.str() + ": " +
                                   buffer.getError().message());
  auto parsed = llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return llvm::createStringError(file.str() + ": " +
                                   llvm::toString(parsed.takeError()));
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object)
    return llvm::createStringError(file.str() + ": is not a JSON object");
  for (auto &[key, value] : *object)
    json.try_emplace(key.str(), value);
  return llvm::Error::success();
}

llvm::Expected<Tensor> NamedValues::get(StringRef key, RankedTensorType type) {
  used.insert(key);
  auto it = text.find(key);
  auto value = it != text.end() ? readArray(it->second, type)
                                : fromJson(json.find(key)->second, type);
  if (!value)
    return llvm::createStringError(key.str() + ": " +
                                   llvm::toString(value.takeError()));
  return value;
}

std::vector<std::string> NamedValues::keys() const {
  std::set<std::string> all;
  for (StringRef key : text.keys())
    all.insert(key.str());
  for (StringRef key : json.keys())
    all.insert(key.str());
  return std::vector<std::string>(all.begin(), all.end());
}

std::string NamedValues::unused() const {
  for (const std::string &key : keys())
    if (!used.contains(key))
      return key;
  return "";
}
