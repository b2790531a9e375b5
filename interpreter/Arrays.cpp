//===- Arrays.cpp - Arrays in files and in text ---------------------------===//

#include "interpreter/Arrays.h"
#include "mlir/Support/LLVM.h"
#include "runtime/data/Elements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;
using llvm::createStringError;
using llvm::Expected;

static std::string typeString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Fills to[i..] from dims d and later; returns false if the nesting differs or
/// an element is no number.
static bool fillFrom(const llvm::json::Value &value, int64_t d, Tensor &to,
                     int64_t &i) {
  if (d == to.rank()) {
    if (auto integer = value.getAsInteger(); integer && !to.isFloat())
      to.integer[i++] = *integer;
    else if (auto number = value.getAsNumber())
      to.set(i++, *number);
    else if (auto flag = value.getAsBoolean())
      to.set(i++, *flag);
    else if (auto name = value.getAsString();
             name && to.isFloat() &&
             (*name == "nan" || *name == "inf" || *name == "-inf"))
      to.set(i++, std::strtod(name->str().c_str(), nullptr));
    else
      return false;
    return true;
  }
  const llvm::json::Array *list = value.getAsArray();
  if (!list || static_cast<int64_t>(list->size()) != to.dim(d))
    return false;
  return llvm::all_of(*list, [&](const llvm::json::Value &element) {
    return fillFrom(element, d + 1, to, i);
  });
}

Expected<Tensor> pcc::interp::fromJson(const llvm::json::Value &value,
                                       RankedTensorType type) {
  Tensor tensor(type);
  int64_t i = 0;
  if (!fillFrom(value, 0, tensor, i))
    return createStringError("the given numbers do not form a " +
                             typeString(type));
  return tensor;
}

/// Returns the value of a key in a .npy header, without its quotes or brackets.
static StringRef npyField(StringRef header, StringRef key) {
  StringRef rest = header.split(("'" + key + "':").str()).second.ltrim();
  if (rest.consume_front("'"))
    return rest.split('\'').first;
  if (rest.consume_front("("))
    return rest.split(')').first;
  return rest.split(',').first;
}

static Expected<Tensor> parseNpy(StringRef data, RankedTensorType type) {
  if (data.size() < 10 || !data.starts_with("\x93NUMPY"))
    return createStringError("is not a .npy file");
  bool isLong = data[6] >= 2;
  size_t at = isLong ? 12 : 10;
  if (data.size() < at)
    return createStringError("ends within its header");
  size_t length = isLong ? llvm::support::endian::read32le(data.data() + 8)
                         : llvm::support::endian::read16le(data.data() + 8);
  StringRef header = data.substr(at, length);
  data = data.drop_front(std::min(data.size(), at + length));
  if (npyField(header, "fortran_order") != "False")
    return createStringError("is not in C order");
  SmallVector<StringRef> extents;
  npyField(header, "shape").split(extents, ',', -1, /*KeepEmpty=*/false);
  SmallVector<int64_t> shape;
  for (StringRef extent : extents)
    if (extent.trim().getAsInteger(10, shape.emplace_back()))
      return createStringError("has a shape that cannot be read");
  if (ArrayRef<int64_t>(shape) != type.getShape())
    return createStringError("holds an array of shape (" +
                             npyField(header, "shape").str() + "), expected " +
                             typeString(type));
  StringRef descr = npyField(header, "descr");
  const ElementInfo *known = findElement(&ElementInfo::descr, descr);
  if (!known)
    return createStringError("has elements of type " + descr.str() +
                             ", which is not supported");
  Elements elements = {known->type, data.data(), type.getNumElements()};
  if (data.size() != static_cast<size_t>(known->bytes * elements.count))
    return createStringError("does not have the size that its header states");
  Tensor tensor(type);
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (tensor.isFloat())
      tensor.real[i] = elements.real(i);
    else
      tensor.integer[i] = known->isFloat
                              ? static_cast<int64_t>(elements.real(i))
                              : elements.integer(i);
  return tensor;
}

Expected<Tensor> pcc::interp::readArray(StringRef text, RankedTensorType type) {
  auto parse = [&](StringRef json) -> Expected<Tensor> {
    Expected<llvm::json::Value> value = llvm::json::parse(json);
    return value ? fromJson(*value, type) : value.takeError();
  };
  if (!text.empty() &&
      (text[0] == '[' || text[0] == '-' || llvm::isDigit(text[0])))
    return parse(text);
  auto file = llvm::MemoryBuffer::getFile(text, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(text.str() + ": " + file.getError().message());
  StringRef data = (*file)->getBuffer();
  Expected<Tensor> tensor =
      text.ends_with(".npy") ? parseNpy(data, type) : parse(data);
  if (!tensor)
    return createStringError(text.str() + ": " +
                             llvm::toString(tensor.takeError()));
  return tensor;
}

llvm::Error pcc::interp::writeNpy(StringRef path, const Tensor &tensor) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return createStringError(path.str() + ": " + error.message());
  std::string header = std::string("{'descr': '<") +
                       (tensor.isFloat() ? "f8" : "i8") +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape())
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data begins at a multiple of 64 bytes.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  os << StringRef("\x93NUMPY\x01\x00", 8) << StringRef(length, 2) << header;
  if (tensor.isFloat())
    os.write(reinterpret_cast<const char *>(tensor.real.data()),
             tensor.size() * 8);
  else
    os.write(reinterpret_cast<const char *>(tensor.integer.data()),
             tensor.size() * 8);
  os.close();
  if (os.has_error())
    return createStringError(path.str() + ": " + os.error().message());
  return llvm::Error::success();
}

static void printElement(llvm::raw_ostream &os, const Tensor &tensor,
                         int64_t i) {
  if (tensor.isFloat())
    os << llvm::format("%.9g", tensor.real[i]);
  else
    os << tensor.integer[i];
}

static void printNested(llvm::raw_ostream &os, const Tensor &tensor, int64_t d,
                        int64_t &i) {
  if (d == tensor.rank())
    return printElement(os, tensor, i++);
  os << '[';
  for (int64_t n = 0; n < tensor.dim(d); ++n) {
    os << (n ? ", " : "");
    printNested(os, tensor, d + 1, i);
  }
  os << ']';
}

void pcc::interp::printTensor(llvm::raw_ostream &os, StringRef label,
                              const Tensor &tensor, int64_t limit) {
  os << label << " : " << tensor.type << " = ";
  int64_t i = 0;
  if (tensor.size() <= limit) {
    printNested(os, tensor, 0, i);
  } else {
    double sum = 0, squares = 0;
    for (; i < tensor.size(); ++i) {
      sum += tensor.get(i);
      squares += tensor.get(i) * tensor.get(i);
    }
    os << '[';
    for (i = 0; i < std::min<int64_t>(8, tensor.size()); ++i, os << ", ")
      printElement(os, tensor, i);
    os << llvm::format("...] mean %.9g rms %.9g", sum / tensor.size(),
                       std::sqrt(squares / tensor.size()));
  }
  os << '\n';
}
