//===- Toolkit.cpp - Where pcc's files and CUDA are -----------------------===//

#include "passes/Codegen/Gpu/Toolkit.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace pcc;

/// Appends components to a path.
static std::string inside(StringRef folder, StringRef relative) {
  return (folder + "/" + relative).str();
}

/// The folder that contains `bin` with the running tool.
static std::string prefix() {
  static int anchor;
  std::string tool = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  return llvm::sys::path::parent_path(llvm::sys::path::parent_path(tool)).str();
}

std::string pcc::libraryFolder() { return inside(prefix(), "lib/pcc"); }

/// The toolkits of NVIDIA's packages for the Pythons of an environment.
static std::vector<std::string> toolkitsOfPackages(StringRef environment) {
  std::vector<std::string> found;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(inside(environment, "lib"), error),
       end;
       !error && it != end; it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with("python3"))
      for (StringRef kind : {"site-packages", "dist-packages"})
        found.push_back(inside(it->path(), (kind + "/nvidia/cu13").str()));
  llvm::sort(found);
  return found;
}

std::string codegen::findCudaToolkit() {
  if (const char *home = getenv("CUDA_HOME"))
    return home;
  std::vector<std::string> candidates = {inside(libraryFolder(), "cuda")};
  auto addPackages = [&](StringRef environment) {
    llvm::append_range(candidates, toolkitsOfPackages(environment));
  };
  addPackages(prefix());
  if (const char *environment = getenv("VIRTUAL_ENV"))
    addPackages(environment);
  if (auto nvcc = llvm::sys::findProgramByName("nvcc")) {
    SmallString<128> real;
    if (!llvm::sys::fs::real_path(*nvcc, real))
      candidates.push_back(
          llvm::sys::path::parent_path(llvm::sys::path::parent_path(real))
              .str());
  }
  candidates.push_back("/usr/local/cuda");
  auto it = llvm::find_if(candidates, [](const std::string &candidate) {
    return llvm::sys::fs::can_execute(inside(candidate, "bin/ptxas"));
  });
  return it == candidates.end() ? "" : *it;
}

std::vector<std::string>
codegen::cudaLibraryFolders(const std::string &toolkit) {
  std::vector<std::string> folders;
  SmallString<128> real;
  if (toolkit.empty() || llvm::sys::fs::real_path(toolkit, real))
    return folders;
  StringRef beside = llvm::sys::path::parent_path(real);
  for (const std::string &folder :
       {inside(real, "lib"), inside(real, "lib64"), inside(beside, "cudnn/lib"),
        inside(beside, "nccl/lib")})
    if (llvm::sys::fs::is_directory(folder))
      folders.push_back(folder);
  return folders;
}
