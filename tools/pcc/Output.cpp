//===- Output.cpp - Atomic writing of files -------------------------------===//

#include "tools/pcc/Output.h"
#include "passes/Codegen/Emit/UniqueFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <unistd.h>

using namespace mlir;

static LogicalResult fail(StringRef path, std::error_code error) {
  llvm::errs() << "pcc: error: cannot write "
               << (path == "-" ? "standard output" : ("'" + path + "'").str())
               << ": " << error.message() << "\n";
  return failure();
}

/// Returns the folder of a path.
static StringRef folderOf(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

bool pcc::isSameFile(StringRef a, StringRef b) {
  using llvm::sys::fs::equivalent;
  return equivalent(a, b) ||
         (llvm::sys::path::filename(a) == llvm::sys::path::filename(b) &&
          equivalent(folderOf(a), folderOf(b)));
}

LogicalResult pcc::checkDestination(StringRef path,
                                    ArrayRef<std::string> inputs) {
  auto refuse = [&](const Twine &why) {
    llvm::errs() << "pcc: error: cannot write '" << path << "': " << why
                 << "\npcc: note: name another file with -o\n";
    return failure();
  };
  if (llvm::sys::fs::is_directory(path))
    return refuse("it is a folder");
  for (auto [i, input] : llvm::enumerate(inputs))
    if (isSameFile(path, input))
      return refuse(i ? "it contains weights of the model" : "it is the input");
  llvm::sys::fs::file_status status;
  bool isOther = !llvm::sys::fs::status(path, status) &&
                 llvm::sys::fs::exists(status) &&
                 !llvm::sys::fs::is_regular_file(status);
  std::string written = (isOther ? path : folderOf(path)).str();
  if (::access(written.c_str(), W_OK))
    return fail(path, std::error_code(errno, std::generic_category()));
  return success();
}

LogicalResult
pcc::writeWhole(StringRef path,
                llvm::function_ref<LogicalResult(StringRef)> write) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status) &&
      !llvm::sys::fs::is_regular_file(status))
    return write(path);
  SmallString<128> temporary;
  if (std::error_code error = createUniqueFile(path + ".%%%%%%.tmp", temporary))
    return fail(path, error);
  LogicalResult written = write(temporary);
  if (succeeded(written))
    if (std::error_code error = llvm::sys::fs::rename(temporary, path))
      written = fail(path, error);
  if (failed(written))
    llvm::sys::fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  return written;
}

LogicalResult
pcc::writeText(StringRef path,
               llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (path == "-") {
    print(llvm::outs());
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return success();
    std::error_code error = llvm::outs().error();
    llvm::outs().clear_error();
    return fail(path, error);
  }
  return writeWhole(path, [&](StringRef temporary) -> LogicalResult {
    std::error_code error;
    llvm::raw_fd_ostream os(temporary, error);
    if (error)
      return fail(path, error);
    print(os);
    os.close();
    if (os.has_error()) {
      error = os.error();
      os.clear_error();
      return fail(path, error);
    }
    return success();
  });
}
