//===- NpyFile.h - Memory-mapped numpy arrays -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_NPYFILE_H
#define PCC_RUNTIME_DATA_NPYFILE_H

#include "runtime/data/Elements.h"
#include "runtime/support/MappedFile.h"

#include <vector>

namespace pcc {

/// A memory-mapped array as numpy.save writes it, row major and little endian.
class NpyFile {
public:
  /// Exits with ExitData, naming file and cause, if the file is of another
  /// format or its size is not that of the array.
  explicit NpyFile(const std::string &path);

  /// The extents of its dims; empty for a scalar.
  const std::vector<int64_t> &shape() const { return sizes; }
  /// All elements, row major; valid as long as this object.
  const Elements &elements() const { return values; }
  /// The path that it was opened with.
  const std::string &path() const { return file.path(); }

private:
  MappedFile file;
  std::vector<int64_t> sizes;
  Elements values;
};

/// Returns a shape for messages, such as "[3, 4]".
std::string shapeText(const std::vector<int64_t> &shape);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_NPYFILE_H
