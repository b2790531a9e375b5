//===- MappedFile.h - A file mapped for reading -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_COMMON_MAPPEDFILE_H
#define PCC_RUNTIME_COMMON_MAPPEDFILE_H

#include "runtime/common/Error.h"

#include <cstdint>
#include <string>

namespace pcc {

class MappedFile {
public:
  /// Exits with `code` where the file cannot be mapped; `what` says which kind
  /// of file it is, `note` what the user can do.
  MappedFile(const std::string &path, ExitCode code, const char *what,
             const std::string &note);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const char *data() const { return bytes; }
  int64_t size() const { return length; }
  const std::string &path() const { return name; }

private:
  std::string name;
  const char *bytes = "";
  int64_t length = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_COMMON_MAPPEDFILE_H
