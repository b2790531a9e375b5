//===- Needs.cpp - What a program needs on other hosts --------------------===//

#include "tools/pcc/Needs.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VersionTuple.h"
#include <set>

using namespace mlir;
using namespace pcc;

namespace {
/// What executables and shared libraries need.
struct Needs {
  /// The newest version of the C library's symbols.
  llvm::VersionTuple libc;
  /// The names of shared libraries.
  std::set<std::string> libraries;

  /// Adds those of a file; ignores a file that is not ELF.
  void add(StringRef path);

private:
  template <typename ELF>
  llvm::Error addLibraries(const llvm::object::ELFFile<ELF> &file);
  template <typename ELF>
  llvm::Error addVersions(const llvm::object::ELFFile<ELF> &file);
};
} // namespace

/// Adds the names that the dynamic section lists.
template <typename ELF>
llvm::Error Needs::addLibraries(const llvm::object::ELFFile<ELF> &file) {
  auto entries = file.dynamicEntries();
  if (!entries)
    return entries.takeError();
  auto names = llvm::find_if(*entries, [](const auto &entry) {
    return entry.getTag() == llvm::ELF::DT_STRTAB;
  });
  if (names == entries->end())
    return llvm::Error::success();
  auto strings = file.toMappedAddr(names->getPtr());
  if (!strings)
    return strings.takeError();
  for (const auto &entry : *entries)
    if (entry.getTag() == llvm::ELF::DT_NEEDED)
      libraries.insert(reinterpret_cast<const char *>(*strings) +
                       entry.getVal());
  return llvm::Error::success();
}

/// Adds the versions of the C library that the symbols have.
template <typename ELF>
llvm::Error Needs::addVersions(const llvm::object::ELFFile<ELF> &file) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_GNU_verneed)
      continue;
    auto needed = file.getVersionDependencies(section);
    if (!needed)
      return needed.takeError();
    for (const auto &library : *needed)
      for (const auto &version : library.AuxV) {
        // Other names follow after the terminating zero.
        StringRef name = version.Name.c_str();
        llvm::VersionTuple number;
        if (name.consume_front("GLIBC_") && !number.tryParse(name))
          libc = std::max(libc, number);
      }
  }
  return llvm::Error::success();
}

void Needs::add(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return;
  auto object =
      llvm::object::ObjectFile::createELFObjectFile(**buffer, /*InitContent=*/
                                                    false);
  if (!object)
    return llvm::consumeError(object.takeError());
  if (auto *elf = dyn_cast<llvm::object::ELF64LEObjectFile>(object->get())) {
    llvm::consumeError(addLibraries(elf->getELFFile()));
    llvm::consumeError(addVersions(elf->getELFFile()));
  }
}

/// Returns the distribution that pcc was built on and its packages of the named
/// libraries: "Debian 12's packages libdnnl2 ..."; empty if they are unknown.
static std::string packagesOf(const std::set<std::string> &names,
                              StringRef libraries) {
  auto list = llvm::MemoryBuffer::getFile(libraries + "/packages.txt");
  if (!list)
    return "";
  SmallVector<StringRef> lines;
  (*list)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::set<std::string> packages;
  for (StringRef line : ArrayRef<StringRef>(lines).drop_front(!lines.empty())) {
    auto [library, package] = line.split(' ');
    if (names.count(library.str()) && package != "libc6")
      packages.insert(package.str());
  }
  if (packages.empty())
    return "";
  return (lines.front() + "'s packages " + llvm::join(packages, " ")).str();
}

std::string pcc::describeNeeds(StringRef program, StringRef libraries,
                               StringRef target) {
  Needs needs;
  needs.add(program);
  if (needs.libraries.empty())
    return "";
  std::string packages = packagesOf(needs.libraries, libraries);
  // Copies of libraries may need a newer C library than the program.
  std::string shared = (libraries + "/shared").str();
  std::error_code error;
  bool hasShared = false;
  for (llvm::sys::fs::directory_iterator it(shared, error), end;
       !error && it != end; it.increment(error)) {
    needs.add(it->path());
    hasShared = true;
  }
  std::string text = "glibc " + needs.libc.getAsString() + " or later; ";
  if (hasShared)
    text += shared + " copied as 'lib' next to the program";
  if (!packages.empty())
    text += (hasShared ? ", or " : "") + packages;
  else if (!hasShared)
    text += llvm::join(needs.libraries, " ");
  if (target == "cuda")
    text += "; NVIDIA's driver, cuBLASLt 13, cuDNN 9 and NCCL 2";
  return text;
}
