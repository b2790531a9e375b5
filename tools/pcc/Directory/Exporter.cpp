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

std::string pcc::findExporter(StringRef pcc) {
  StringRef bin = path::parent_path(pcc);
  for (StringRef place : {"pcc-export", "../../tools/pcc-export"}) {
    SmallString<128> script(joined(bin, place));
    path::remove_dots(script, /*remove_dot_dot=*/true);
    if (fs::is_regular_file(script))
      return script.str().str();
  }
  return "";
}

std::string pcc::exporterDigest(StringRef script) {
  StringRef bin = path::parent_path(script);
  for (const std::string &package :
       {joined(bin, "pcc_export"),
        joined(bin, "../lib/pcc/python/pcc_export")}) {
    std::string all;
    for (const FileStamp &file : stampsIn(package))
      if (StringRef(file.name).ends_with(".py"))
        if (auto text = llvm::MemoryBuffer::getFile(joined(package, file.name)))
          all += (*text)->getBuffer();
    if (!all.empty())
      return llvm::utohexstr(llvm::xxh3_64bits(all), /*LowerCase=*/true);
  }
  return "";
}
