//===- Symbols.cpp - Names of functions of this executable ----------------===//

#include "runtime/telemetry/Symbols.h"

#include "runtime/support/MappedFile.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <link.h>

using namespace pcc;

/// The structs at an offset of the file; null where they do not lie in it.
template <typename T>
static const T *at(const MappedFile &file, uint64_t offset, uint64_t count) {
  uint64_t size = static_cast<uint64_t>(file.size());
  if (offset > size || count > (size - offset) / sizeof(T))
    return nullptr;
  return reinterpret_cast<const T *>(file.data() + offset);
}

/// How far the executable was moved when it was loaded.
static uint64_t loadBase() {
  uint64_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        *static_cast<uint64_t *>(data) = info->dlpi_addr;
        return 1; // the executable comes first
      },
      &base);
  return base;
}

static std::string demangled(const char *name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = text ? text : name;
  free(text);
  return result.substr(0, result.find('('));
}

Symbols::Symbols() {
  MappedFile file("/proc/self/exe", ExitInternal, "executable", "");
  auto *header = at<Elf64_Ehdr>(file, 0, 1);
  if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return;
  auto *sections = at<Elf64_Shdr>(file, header->e_shoff, header->e_shnum);
  if (!sections)
    return;
  uint64_t base = loadBase();
  for (int i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr &table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum)
      continue;
    const Elf64_Shdr &strings = sections[table.sh_link];
    uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    auto *symbols = at<Elf64_Sym>(file, table.sh_offset, count);
    auto *text = at<char>(file, strings.sh_offset, strings.sh_size);
    if (!symbols || !text)
      continue;
    for (uint64_t s = 0; s < count; ++s) {
      const Elf64_Sym &symbol = symbols[s];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value ||
          symbol.st_name >= strings.sh_size)
        continue;
      const char *name = text + symbol.st_name;
      if (memchr(name, 0, strings.sh_size - symbol.st_name))
        names.emplace(symbol.st_value + base, name);
    }
  }
}

std::string Symbols::nameOf(const void *function) const {
  auto it = names.find(reinterpret_cast<uint64_t>(function));
  return it == names.end() ? "" : demangled(it->second.c_str());
}
