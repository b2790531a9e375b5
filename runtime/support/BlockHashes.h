//===- BlockHashes.h - Detects damage of files ------------------*- C++ -*-===//
//
// A checkpoint stores the 128-bit XXH3 hashes of each file's header and blocks,
// as `xxh128sum` prints them. A reader verifies the header and the blocks that
// it reads, not the whole file.
//
// A rank with several threads hashes on a separate thread, overlapped with
// reading and writing. On a single thread, reading memory takes longer than
// computing a hash. So a piece of 128 KiB is hashed right after it is written,
// or right before it is read, while it is in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_BLOCKHASHES_H
#define PCC_RUNTIME_SUPPORT_BLOCKHASHES_H

#include "runtime/support/HashThread.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Xxh3.h"

#include <map>
#include <string>
#include <vector>

namespace pcc {

/// Bytes of a block; the last one of a file may be shorter.
const int64_t hashedBlock = int64_t{1} << 24;
/// Bytes of a piece that stays in the cache between two uses.
const int64_t cachedPiece = int64_t{1} << 17;

/// Computes a 128-bit XXH3 hash.
class Hasher {
public:
  Hasher();
  /// Adds the next bytes.
  void add(const char *data, int64_t bytes);
  /// Returns the hash of all bytes so far, as 32 hexadecimal digits.
  std::string text() const;

private:
  alignas(PCC_XXH3_ALIGNMENT) char state[PCC_XXH3_BYTES];
};

/// Returns the hash of the bytes as 32 hexadecimal digits.
std::string hashText(const char *data, int64_t bytes);

/// Size and hashes of a file.
struct FileHashes {
  int64_t bytes = 0; ///< of the file; 0: there is no file
  int64_t headerBytes = 0;
  std::string header;
  std::vector<std::string> blocks;
};

/// Hashes a file while it is written.
class BlockHasher {
public:
  /// Adds the next bytes of the file.
  void add(const char *data, int64_t bytes);
  /// Returns the size and the hashes of all blocks, after the last bytes.
  FileHashes finish();

private:
  Hasher block;
  FileHashes hashes;
};

/// The saved facts about a file of a checkpoint.
struct SavedFile {
  /// The hashes that its bytes must have.
  FileHashes hashes;
  /// The step of the checkpoint; a file with another step belongs to another
  /// checkpoint.
  int64_t step;
  std::string note; ///< for error messages: how to continue
};

/// Verifies the hashes of a file while it is read. A difference ends the run,
/// in finish() at the latest.
class BlockCheck {
public:
  /// `file` must outlive this.
  BlockCheck(const MappedFile &file, SavedFile saved, ExitCode code);
  ~BlockCheck();
  BlockCheck(const BlockCheck &) = delete;
  BlockCheck &operator=(const BlockCheck &) = delete;

  /// Returns whether size and header are as they were saved.
  bool hasSavedHeader() const;
  /// Announces that the bytes [begin, end) are read next: their blocks are
  /// hashed.
  void reading(int64_t begin, int64_t end);
  /// Exits unless all blocks that were read, even in part, have their saved
  /// hashes. Bytes that were read may only be used after this call.
  void finish();

  /// Exits with the code and the note that were given, naming the file.
  [[noreturn]] void refuse(const std::string &message) const;
  /// The saved facts that the file is compared with.
  const SavedFile &saved() const { return expected; }

private:
  struct Started {
    Hasher hasher;
    int64_t bytes = 0; ///< hashed so far, from the block's start
  };
  /// Return the file offsets at which a block begins and ends.
  int64_t beginOf(int64_t block) const { return block * hashedBlock; }
  int64_t endOf(int64_t block) const;
  /// Hashes a block, without a hash thread, up to the piece that contains
  /// `end`.
  void readingBlock(int64_t block, int64_t end);
  /// Exits unless `found` is the saved hash of a block.
  void compare(int64_t block, const std::string &found) const;

  const MappedFile &file;
  SavedFile expected;
  ExitCode code;
  HashThread *hashThread; ///< null on a single thread
  std::vector<bool> seen; ///< by block: hashed, or queued on the hash thread
  std::map<int64_t, Started> started; ///< by block, hashed in part
  std::vector<std::string> found;     ///< hashes by block, from the hash thread
};

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_BLOCKHASHES_H
