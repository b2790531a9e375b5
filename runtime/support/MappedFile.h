//===- MappedFile.h - A file mapped for reading -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_MAPPEDFILE_H
#define PCC_RUNTIME_SUPPORT_MAPPEDFILE_H

#include "runtime/support/Error.h"

#include <csignal>
#include <cstdint>
#include <string>

namespace pcc {

/// A file's bytes, read by the system as they are touched.
class MappedFile {
public:
  /// Exits with `code` where the file cannot be mapped, or was cut short when
  /// its bytes are read; `what` says which kind of file it is, `note` what the
  /// user can do.
  MappedFile(const std::string &path, ExitCode code, const char *what,
             const std::string &note);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  /// The first byte; not null even if there is none.
  const char *data() const { return bytes; }
  /// The number of bytes.
  int64_t size() const { return length; }
  /// The path that it was opened with.
  const std::string &path() const { return name; }
  /// Lets go of the memory that bytes [begin, end) were read into; whoever
  /// reads them again has the system bring them back.
  void release(int64_t begin, int64_t end) const {
    release(bytes + begin, bytes + end);
  }
  /// The same, given addresses within a mapped file.
  static void release(const char *begin, const char *end);

private:
  /// Ends the program as the file that a read at `address` failed in wants; a
  /// signal of anything else keeps its meaning.
  static void onReadError(int signal, siginfo_t *info, void *);

  std::string name;
  ExitCode code;
  const char *what;
  const char *bytes = "";
  int64_t length = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_MAPPEDFILE_H
