//===- MappedFile.cpp - A file mapped for reading -------------------------===//

#include "runtime/support/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

/// The files that are currently mapped.
static std::vector<const MappedFile *> &mapped() {
  static std::vector<const MappedFile *> files;
  return files;
}

MappedFile::MappedFile(const std::string &path, ExitCode code, const char *what,
                       const std::string &note)
    : name(path), code(code), what(what) {
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
    mapped().push_back(this);
    struct sigaction action = {};
    action.sa_sigaction = onReadError;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (length == 0)
    return;
  munmap(const_cast<char *>(bytes), length);
  std::vector<const MappedFile *> &files = mapped();
  files.erase(std::find(files.begin(), files.end(), this));
}

void MappedFile::release(const char *begin, const char *end) {
  static const uintptr_t page = sysconf(_SC_PAGESIZE);
  uintptr_t from = reinterpret_cast<uintptr_t>(begin) / page * page;
  // A failure is harmless: the memory is only held longer.
  if (begin < end)
    madvise(reinterpret_cast<void *>(from),
            reinterpret_cast<uintptr_t>(end) - from, MADV_DONTNEED);
}

// SIGBUS is raised by an access to a mapped element, not within a library call
// that holds a lock, so printing a message is safe.
void MappedFile::onReadError(int number, siginfo_t *info, void *) {
  const char *address = static_cast<const char *>(info->si_addr);
  for (const MappedFile *file : mapped())
    if (address >= file->bytes && address < file->bytes + file->length)
      fail(file->code,
           format("cannot read %s '%s': it was cut short during the run, or "
                  "its disk failed",
                  file->what, file->name.c_str()));
  signal(number, SIG_DFL);
}
