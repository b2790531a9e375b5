//===- MappedFile.h - A file mapped for reading -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_MAPPEDFILE_H
#define PCC_RUNTIME_SUPPORT_MAPPEDFILE_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <string>

namespace pcc {

/// Makes a failed access to memory that is mapped from a file, for as long as
/// the process runs, end the run with `code` and a message.
void guardMapping(const char *begin, int64_t bytes, ExitCode code,
                  const std::string &message);

/// A file mapped into memory; the system reads pages when they are accessed.
class MappedFile {
public:
  /// Exits with `code` if the file cannot be mapped; later, if a read fails
  /// because the file was truncated or its disk failed. `what`: the kind of
  /// file, for messages; `note`: the note of the error message.
  MappedFile(const std::string &path, ExitCode code, const char *what,
             const std::string &note);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  /// Returns the address of the first byte; not null even for an empty file.
  const char *data() const { return bytes; }
  /// Returns the number of bytes.
  int64_t size() const { return length; }
  /// Returns the path that it was opened with.
  const std::string &path() const { return name; }
  /// Releases the memory that bytes [begin, end) were read into. The system
  /// reads them again on the next access.
  void release(int64_t begin, int64_t end) const {
    release(bytes + begin, bytes + end);
  }
  /// The same, given addresses within a mapped file.
  static void release(const char *begin, const char *end);

private:
  std::string name;
  const char *bytes = "";
  int64_t length = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_MAPPEDFILE_H
