//===- MappedFile.cpp - A file mapped for reading -------------------------===//

#include "runtime/common/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace pcc;

MappedFile::MappedFile(const std::string &path, ExitCode code, const char *what,
                       const std::string &note)
    : name(path) {
  auto refuse = [&](const char *reason) {
    fail(code, format("cannot read %s '%s': %s", what, path.c_str(), reason),
         note);
  };
  // Without O_NONBLOCK a named pipe would wait for its writer.
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
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (length > 0)
    munmap(const_cast<char *>(bytes), length);
}
