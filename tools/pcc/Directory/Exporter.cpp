//===- Exporter.cpp - The pcc-export of this pcc --------------------------===//

#include "tools/pcc/Directory/Exporter.h"
#include "tools/pcc/Directory/DirectoryFiles.h"
#include "tools/pcc/Directory/ExportFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace pcc;

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string inside(StringRef folder, StringRef name) {
  SmallString<128> result = folder;
  path::append(result, name);
  path::remove_dots(result, /*remove_dot_dot=*/true);
  return result.str().str();
}

std::string pcc::findExporter(StringRef pcc) {
  StringRef bin = path::parent_path(pcc);
  for (StringRef place : {"pcc-export", "../../tools/pcc-export"}) {
    std::string script = inside(bin, place);
    if (fs::is_regular_file(script))
      return script;
  }
  return "";
}

std::string pcc::exporterDigest(StringRef script) {
  StringRef bin = path::parent_path(script);
  for (const std::string &package :
       {inside(bin, "pcc_export"),
        inside(bin, "../lib/pcc/python/pcc_export")}) {
    std::string all;
    for (const FileStamp &file : stampsIn(package))
      if (StringRef(file.name).ends_with(".py"))
        if (auto text = llvm::MemoryBuffer::getFile(inside(package, file.name)))
          all += (*text)->getBuffer();
    if (!all.empty())
      return llvm::utohexstr(llvm::xxh3_64bits(all), /*LowerCase=*/true);
  }
  return "";
}
