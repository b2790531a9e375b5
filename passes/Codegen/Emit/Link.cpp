//===- Link.cpp - The linker of programs ----------------------------------===//

#include "passes/Codegen/Emit/Link.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <cerrno>
#include <fcntl.h>

using namespace mlir;
using namespace pcc;

LLD_HAS_DRIVER(elf)

FailureOr<std::vector<std::string>>
pcc::readLinkFile(ModuleOp module, StringRef libraries, StringRef target,
                  StringRef object, ArrayRef<std::string> folders) {
  SmallString<128> list(libraries);
  llvm::sys::path::append(list, "pcc-link-" + target + ".txt");
  auto text = llvm::MemoryBuffer::getFile(list);
  if (!text)
    return module.emitError()
           << "cannot read '" << list
           << "', which lists the files that programs are linked "
           << "with: " << text.getError().message();
  std::vector<std::string> arguments;
  SmallVector<StringRef> lines;
  (*text)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (line == "{object}") {
      arguments.push_back(object.str());
      continue;
    }
    auto [before, after] = line.split("{lib}");
    bool hasFolder = before.size() < line.size();
    arguments.push_back((before + (hasFolder ? libraries : "") + after).str());
  }
  for (const std::string &folder : folders)
    arguments.push_back("--rpath=" + folder);
  return arguments;
}

/// Whether the disk has room for `path` with all linked inputs. lld maps its
/// output; if there is no room, it crashes.
static bool hasRoomFor(StringRef path, ArrayRef<std::string> inputs) {
  uint64_t bytes = 0;
  for (StringRef input : inputs) {
    uint64_t size = 0;
    if ((input.ends_with(".o") || input.ends_with(".a")) &&
        !llvm::sys::fs::file_size(input, size))
      bytes += size;
  }
  int file;
  if (llvm::sys::fs::openFileForWrite(path, file))
    return true;
  int error = ::posix_fallocate(file, 0, bytes);
  llvm::sys::Process::SafelyCloseFileDescriptor(file);
  return error != ENOSPC && error != EDQUOT;
}

/// Removes temporary files that a crash of lld left next to `path`: it writes
/// to <path>.tmp with some digits appended.
static void removeLeftovers(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  std::string prefix = (llvm::sys::path::filename(path) + ".tmp").str();
  std::error_code error;
  for (llvm::sys::fs::directory_iterator
           it(folder.empty() ? "." : folder, error),
       end;
       !error && it != end; it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with(prefix))
      llvm::sys::fs::remove(it->path());
}

LogicalResult pcc::link(ModuleOp module, ArrayRef<std::string> arguments,
                        StringRef path) {
  std::string output = path.str();
  // With its own thread only, pcc survives its crashes.
  SmallVector<const char *> all = {"ld.lld", "--threads=1", "-o",
                                   output.c_str()};
  for (const std::string &argument : arguments)
    all.push_back(argument.c_str());
  std::string said;
  llvm::raw_string_ostream os(said);
  llvm::CrashRecoveryContext::Enable();
  int code = lld::lldMain(all, os, os, {{lld::Gnu, &lld::elf::link}}).retCode;
  llvm::CrashRecoveryContext::Disable();
  if (code == 0)
    return success();
  removeLeftovers(path);
  if (!hasRoomFor(path, arguments)) {
    StringRef folder = llvm::sys::path::parent_path(path);
    return module.emitError("linking failed: no space is left on the disk of '")
           << (folder.empty() ? "." : folder) << "'";
  }
  if (code > 128)
    os << "lld crashed with signal " << code - 128;
  return module.emitError()
         << "linking failed: " << StringRef(said).take_front(4000);
}
