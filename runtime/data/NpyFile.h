//===- NpyFile.h - Memory-mapped numpy arrays -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_NPYFILE_H
#define PCC_RUNTIME_DATA_NPYFILE_H

#include "runtime/data/Elements.h"
#include "runtime/support/MappedFile.h"

#include <vector>

namespace pcc {

/// An array as numpy.save writes it, row major and little endian.
class NpyFile {
public:
  /// Exits with ExitData, naming file and cause, for anything else, also where
  /// the file's size and the array's disagree.
  explicit NpyFile(const std::string &path);

  /// The extents of its dims; empty for a scalar.
  const std::vector<int64_t> &shape() const { return sizes; }
  /// All its elements, row major; they live as long as this.
  const Elements &elements() const { return values; }
  /// The path that it was opened with.
  const std::string &path() const { return file.path(); }

private:
  MappedFile file;
  std::vector<int64_t> sizes;
  Elements values;
};

/// A shape for messages: "[3, 4]".
std::string shapeText(const std::vector<int64_t> &shape);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_NPYFILE_H
