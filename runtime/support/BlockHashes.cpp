//===- BlockHashes.cpp - Detects damage of files --------------------------===//

#include "runtime/support/BlockHashes.h"

#include <algorithm>

using namespace pcc;

static const pcc_xxh3 &xxh3() {
#ifdef __x86_64__
  static const bool wide = __builtin_cpu_supports("avx2");
  return wide ? pcc_xxh3_avx2 : pcc_xxh3_any;
#else
  return pcc_xxh3_any;
#endif
}

Hasher::Hasher() { xxh3().reset(state); }

void Hasher::add(const char *data, int64_t bytes) {
  xxh3().update(state, data, bytes);
}

std::string Hasher::text() const {
  uint64_t hash[2];
  xxh3().digest(state, hash);
  return format("%016llx%016llx", static_cast<unsigned long long>(hash[0]),
                static_cast<unsigned long long>(hash[1]));
}

std::string pcc::hashText(const char *data, int64_t bytes) {
  Hasher hasher;
  hasher.add(data, bytes);
  return hasher.text();
}

void BlockHasher::add(const char *data, int64_t bytes) {
  while (bytes > 0) {
    int64_t part = std::min(bytes, hashedBlock - hashes.bytes % hashedBlock);
    block.add(data, part);
    hashes.bytes += part;
    data += part;
    bytes -= part;
    if (hashes.bytes % hashedBlock == 0) {
      hashes.blocks.push_back(block.text());
      block = Hasher();
    }
  }
}

FileHashes BlockHasher::finish() {
  if (hashes.bytes % hashedBlock)
    hashes.blocks.push_back(block.text());
  return hashes;
}

BlockCheck::BlockCheck(const MappedFile &file, SavedFile saved, ExitCode code)
    : file(file), expected(std::move(saved)), code(code),
      hashThread(HashThread::find()), seen(expected.hashes.blocks.size()),
      found(hashThread ? seen.size() : 0) {}

BlockCheck::~BlockCheck() {
  if (hashThread)
    hashThread->wait();
}

bool BlockCheck::hasSavedHeader() const {
  const FileHashes &hashes = expected.hashes;
  return file.size() == hashes.bytes && hashes.headerBytes <= hashes.bytes &&
         hashText(file.data(), hashes.headerBytes) == hashes.header;
}

int64_t BlockCheck::endOf(int64_t block) const {
  return std::min(beginOf(block) + hashedBlock, file.size());
}

void BlockCheck::compare(int64_t block, const std::string &found) const {
  if (found != expected.hashes.blocks[block])
    refuse(format("is damaged: its bytes %lld to %lld are not those that were "
                  "saved",
                  static_cast<long long>(beginOf(block)),
                  static_cast<long long>(endOf(block) - 1)));
}

void BlockCheck::readingBlock(int64_t block, int64_t end) {
  int64_t begin = beginOf(block), size = endOf(block) - begin;
  Started &known = started[block];
  if (known.bytes >= end - begin)
    return;
  int64_t pieces = (end - begin + cachedPiece - 1) / cachedPiece;
  int64_t to = std::min(pieces * cachedPiece, size);
  known.hasher.add(file.data() + begin + known.bytes, to - known.bytes);
  known.bytes = to;
  if (to < size)
    return;
  compare(block, known.hasher.text());
  file.release(begin, begin + size);
  seen[block] = true;
  started.erase(block);
}

void BlockCheck::reading(int64_t begin, int64_t end) {
  for (int64_t block = begin / hashedBlock; beginOf(block) < end; ++block) {
    if (seen[block])
      continue;
    if (!hashThread) {
      readingBlock(block, std::min(end, endOf(block)));
      continue;
    }
    seen[block] = true;
    int64_t from = beginOf(block), to = endOf(block);
    std::string &hash = found[block];
    hashThread->add([this, from, to, &hash] {
      hash = hashText(file.data() + from, to - from);
      file.release(from, to);
    });
  }
}

void BlockCheck::finish() {
  while (!started.empty()) {
    int64_t block = started.begin()->first;
    readingBlock(block, endOf(block));
  }
  if (!hashThread)
    return;
  hashThread->wait();
  for (size_t block = 0; block < found.size(); ++block)
    if (seen[block])
      compare(block, found[block]);
}

void BlockCheck::refuse(const std::string &message) const {
  fail(code, "'" + file.path() + "' " + message, expected.note);
}
