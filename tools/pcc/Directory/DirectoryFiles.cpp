//===- DirectoryFiles.cpp - Files of model directories --------------------===//

#include "tools/pcc/Directory/DirectoryFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <sys/stat.h>

using namespace mlir;
using namespace pcc;

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string pcc::joined(StringRef folder, const Twine &name) {
  SmallString<128> result = folder;
  path::append(result, name);
  return result.str().str();
}

llvm::ErrorOr<FileStamp> pcc::stampOf(StringRef folder, StringRef name) {
  struct stat status;
  if (::stat(joined(folder, name).c_str(), &status))
    return std::error_code(errno, std::generic_category());
  return FileStamp{llvm::json::fixUTF8(name), status.st_size,
                   status.st_mtim.tv_sec * int64_t(1'000'000'000) +
                       status.st_mtim.tv_nsec};
}

std::vector<std::string> pcc::filesOf(StringRef folder) {
  std::vector<std::string> names;
  for (StringRef below : {"", "additional_chat_templates"}) {
    std::error_code error;
    for (fs::directory_iterator it(joined(folder, below), error), end;
         !error && it != end; it.increment(error)) {
      std::string name = joined(below, path::filename(it->path()));
      if (!path::filename(name).starts_with(".") &&
          fs::is_regular_file(joined(folder, name)))
        names.push_back(name);
    }
  }
  llvm::sort(names);
  return names;
}

bool pcc::isCompanion(StringRef name, bool hasCode) {
  // A test compares these patterns with those of Python.
  static constexpr StringLiteral patterns[] = {
      "config.json",
      "generation_config.json",
      "*tokenizer*.json",
      "special_tokens_map.json",
      "added_tokens.json",
      "*vocab*.json",
      "*vocab*.txt",
      "merges.txt",
      "dict.txt",
      "*.model",
      "*.tiktoken",
      "*.tokenizer",
      "bpe.codes",
      "normalizer.json",
      "emoji.json",
      "byte_maps.json",
      "word_shape.json",
      "word_pronunciation.json",
      "*.spm",
      "tokenizer.model.v3",
      "tekken.json",
      "chat_template.*",
      "*processor_config.json",
      "additional_chat_templates/*.jinja",
  };
  if (hasCode && name.ends_with(".py"))
    return true;
  return llvm::any_of(patterns, [&](StringRef pattern) {
    auto glob = llvm::GlobPattern::create(pattern);
    return glob && glob->match(name);
  });
}
