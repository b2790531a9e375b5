//===- BlockHashes.h - Notices damage of files ------------------*- C++ -*-===//
//
// What a checkpoint remembers of its files: XXH3 with 128 bits of the header
// and of each block, as `xxh128sum` prints it. A reader compares the header and
// the blocks that it reads, not the whole file.
//
// A rank of several threads hashes beside the reading and writing. On a single
// one, memory takes longer to read than a hash to compute: so hashes follow
// closely behind what is written and closely before what is read, in pieces
// that stay in the cache.
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

/// Bytes of a block; the last one of a file may have less.
const int64_t hashedBlock = int64_t{1} << 24;
/// Bytes that stay in the cache between two uses.
const int64_t cachedPiece = int64_t{1} << 17;

/// A hash of 128 bits.
class Hasher {
public:
  Hasher();
  /// Takes the next bytes in.
  void add(const char *data, int64_t bytes);
  /// The hash of all bytes so far, as 32 hexadecimal digits.
  std::string text() const;

private:
  alignas(PCC_XXH3_ALIGNMENT) char state[PCC_XXH3_BYTES];
};

/// The hash of some bytes as 32 hexadecimal digits.
std::string hashText(const char *data, int64_t bytes);

/// What is remembered of a file.
struct FileHashes {
  int64_t bytes = 0; ///< of the file; 0: there is none
  int64_t headerBytes = 0;
  std::string header;
  std::vector<std::string> blocks;
};

/// Hashes a file while it is written.
class BlockHasher {
public:
  /// The next bytes of the file.
  void add(const char *data, int64_t bytes);
  /// The size and the hashes of all blocks, when no more bytes follow.
  FileHashes finish();

private:
  Hasher block;
  FileHashes hashes;
};

/// A file as a checkpoint was saved with it.
struct SavedFile {
  /// What its bytes must still hash to.
  FileHashes hashes;
  /// The step of the checkpoint; a file that says another is not its own.
  int64_t step;
  std::string note; ///< what the user can do if it is another now
};

/// Compares a file with its hashes while it is read. What differs ends the run,
/// with finish() at the latest.
class BlockCheck {
public:
  /// `file` outlives this.
  BlockCheck(const MappedFile &file, SavedFile saved, ExitCode code);
  ~BlockCheck();
  BlockCheck(const BlockCheck &) = delete;
  BlockCheck &operator=(const BlockCheck &) = delete;

  /// Whether the size and the header are those that were saved.
  bool knowsHeader() const;
  /// The bytes [begin, end) are read next.
  void reading(int64_t begin, int64_t end);
  /// Requires that all blocks of which a part was read are those that were
  /// saved. Nothing that was read may be used before.
  void finish();

  /// Ends the run with the code and the note that were given, naming the file.
  [[noreturn]] void refuse(const std::string &message) const;
  /// What the file is compared with.
  const SavedFile &saved() const { return expected; }

private:
  struct Started {
    Hasher hasher;
    int64_t bytes = 0; ///< hashed, from the block's start
  };
  /// Where a block begins and ends in the file.
  int64_t beginOf(int64_t block) const { return block * hashedBlock; }
  int64_t endOf(int64_t block) const;
  void readingBlock(int64_t block, int64_t end);
  /// Requires that this is the hash of a block.
  void compare(int64_t block, const std::string &found) const;

  const MappedFile &file;
  SavedFile expected;
  ExitCode code;
  HashThread *beside;     ///< null: there is none
  std::vector<bool> seen; ///< by block: nothing is left to begin with
  std::map<int64_t, Started> started;
  std::vector<std::string> found; ///< by block, of those that were seen beside
};

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_BLOCKHASHES_H
