//===- Digests.cpp - The contents of files --------------------------------===//

#include "tools/pcc/verify/Digests.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace pcc;

namespace fs = llvm::sys::fs;

static constexpr uint64_t kWholeBytes = uint64_t(4) << 30;
/// The samples of a larger file.
static constexpr uint64_t kSamples = 4096, kSampleBytes = 65536;

std::string pcc::digestOf(StringRef path) {
  fs::file_status status;
  if (fs::status(path, status) || !fs::is_regular_file(status))
    return "";
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return "";
  StringRef bytes = (*file)->getBuffer();
  std::string text = std::to_string(bytes.size()) + "-";
  if (bytes.size() <= kWholeBytes)
    return text + llvm::utohexstr(llvm::xxh3_64bits(bytes), true);
  uint64_t hash = 0;
  for (uint64_t i = 0; i < kSamples; ++i) {
    uint64_t at = (bytes.size() - kSampleBytes) / (kSamples - 1) * i;
    hash = hash * 31 + llvm::xxh3_64bits(bytes.substr(at, kSampleBytes));
  }
  auto time = status.getLastModificationTime().time_since_epoch();
  return text + llvm::utohexstr(hash, true) + "-" +
         std::to_string(time.count());
}

Digests pcc::digestsIn(StringRef folder) {
  Digests digests;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end;
       at != end && !error; at.increment(error)) {
    StringRef name = StringRef(at->path()).drop_front(folder.size()).ltrim('/');
    if (fs::is_regular_file(at->path()) &&
        llvm::sys::path::filename(name) != "program" && !name.ends_with(".txt"))
      digests[name.str()] = digestOf(at->path());
  }
  return digests;
}
