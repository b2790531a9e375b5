//===- MappedFile.cpp - A file mapped for reading -------------------------===//

#include "runtime/support/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

namespace {
/// Memory that is mapped from a file.
struct Mapping {
  const char *begin;
  int64_t bytes;
  ExitCode code;       ///< for a failed access
  std::string message; ///< likewise
};
} // namespace

/// The memory that is currently mapped.
static std::vector<Mapping> &mapped() {
  static std::vector<Mapping> mappings;
  return mappings;
}

/// Handles SIGBUS: exits with the code of the file in which a read failed. At
/// any other address the default action follows. SIGBUS is raised by an access
/// to a mapped element, not within a library call that holds a lock, so
/// printing a message is safe.
static void onReadError(int number, siginfo_t *info, void *) {
  const char *address = static_cast<const char *>(info->si_addr);
  for (const Mapping &mapping : mapped())
    if (address >= mapping.begin && address < mapping.begin + mapping.bytes)
      fail(mapping.code, mapping.message);
  signal(number, SIG_DFL);
}

void pcc::guardMapping(const char *begin, int64_t bytes, ExitCode code,
                       const std::string &message) {
  mapped().push_back({begin, bytes, code, message});
  struct sigaction action = {};
  action.sa_sigaction = onReadError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

MappedFile::MappedFile(const std::string &path, ExitCode code, const char *what,
                       const std::string &note)
    : name(path) {
  auto refuse = [&](const char *reason) {
    fail(code, format("cannot read %s '%s': %s", what, path.c_str(), reason),
         note);
  };
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (file < 0 || fstat(file, &status))
    refuse(strerror(errno));
  if (!S_ISREG(status.st_mode))
    refuse("not a regular file");
  length = status.st_size;
  if (length > 0) {
    void *memory = mmap(nullptr, length, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
      refuse(strerror(errno));
    bytes = static_cast<const char *>(memory);
    guardMapping(bytes, length, code,
                 format("cannot read %s '%s': it was cut short during the run, "
                        "or its disk failed",
                        what, path.c_str()));
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (length == 0)
    return;
  munmap(const_cast<char *>(bytes), length);
  std::vector<Mapping> &mappings = mapped();
  mappings.erase(
      std::find_if(mappings.begin(), mappings.end(),
                   [&](const Mapping &other) { return other.begin == bytes; }));
}

void MappedFile::release(const char *begin, const char *end) {
  static const uintptr_t page = sysconf(_SC_PAGESIZE);
  uintptr_t from = reinterpret_cast<uintptr_t>(begin) / page * page;
  // A failure is harmless: the memory is only held longer.
  if (begin < end)
    madvise(reinterpret_cast<void *>(from),
            reinterpret_cast<uintptr_t>(end) - from, MADV_DONTNEED);
}
