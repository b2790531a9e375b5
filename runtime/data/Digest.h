//===- Digest.h - Identifies the contents of data files ---------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_DIGEST_H
#define PCC_RUNTIME_DATA_DIGEST_H

#include "runtime/data/Elements.h"
#include "runtime/support/BlockHashes.h"

#include <cstring>

namespace pcc {

/// A hash that recognizes the data of an earlier run after its files were moved
/// or renamed. Large arrays are sampled, so that it takes no time.
class Digest : public Hasher {
public:
  /// Adds the type, the count and samples of an array: its first and last 64
  /// KiB and 64 evenly spaced blocks of 4 KiB; a small array as a whole.
  void addSampled(const Elements &array) {
    const int64_t end = 64 << 10, blocks = 64, block = 4 << 10;
    int64_t bytes = array.count * infoOf(array.type).bytes;
    const char *type = infoOf(array.type).numpy;
    add(type, static_cast<int64_t>(strlen(type)));
    add(reinterpret_cast<const char *>(&array.count), sizeof(array.count));
    if (bytes <= 2 * end + blocks * block) {
      add(array.data, bytes);
      return;
    }
    add(array.data, end);
    for (int64_t i = 0; i < blocks; ++i)
      add(array.data + bytes / block * i / blocks * block, block);
    add(array.data + bytes - end, end);
  }
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_DIGEST_H
