//===- TokenFile.cpp - Memory-mapped token data ---------------------------===//

#include "runtime/data/TokenFile.h"

#include "runtime/data/Headerless.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace pcc;

static bool endsWith(const std::string &text, const char *end) {
  size_t length = strlen(end);
  return text.size() >= length &&
         !text.compare(text.size() - length, length, end);
}

/// Returns a path without its suffix of four characters, such as ".idx".
static std::string stem(const std::string &path) {
  return path.substr(0, path.size() - 4);
}

/// Returns the file with the tokens: for an index, the .bin file in the same
/// folder.
static std::string tokensOf(const std::string &path) {
  return endsWith(path, ".idx") ? stem(path) + ".bin" : path;
}

TokenFile::TokenFile(const std::string &path, int64_t vocab)
    : file(tokensOf(path), ExitData, "data file",
           "--data names token files, separated by commas, or a folder of .npy "
           "files") {
  std::string index = endsWith(file.path(), ".bin") ? stem(file.path()) + ".idx"
                                                    : std::string();
  if (endsWith(path, ".idx") || (!index.empty() && exists(index))) {
    readMegatron(index);
    return;
  }
  int32_t magic = 0;
  if (file.size() >= 4)
    memcpy(&magic, file.data(), 4);
  if (magic == 20240520 || magic == 20240801) {
    readLlmC();
    return;
  }
  if (file.size() >= 7 && !memcmp(file.data(), "MMIDIDX", 7))
    fail(ExitData,
         format("'%s' is the index of a Megatron data set", path.c_str()),
         "name the .bin file, with this one in the same folder as .idx");
  readHeaderless(vocab);
}

void TokenFile::readHeaderless(int64_t vocab) {
  const int64_t mostIds = 1 << 16;
  const char *path = file.path().c_str();
  FormatMismatch other = findFormatMismatch(file.data(), file.size());
  if (!other.reason.empty())
    fail(ExitData, format("'%s' ", path) + other.reason, other.note);
  if (file.size() % 2)
    fail(ExitData, format("'%s' is neither an llm.c .bin nor a sequence of "
                          "uint16 tokens: its size of %lld bytes is odd",
                          path, static_cast<long long>(file.size())));
  if (vocab > mostIds)
    fail(
        ExitData,
        format("'%s' has no header, so its tokens are uint16, which cannot "
               "represent ids from 65536 of the vocabulary of %lld",
               path, static_cast<long long>(vocab)),
        "write uint32 tokens after llm.c's header (20240801, 7, number of "
        "tokens) or with Megatron's .idx; if uint16 tokens are intended, write "
        "llm.c's header (20240520, 1, number of tokens)");
  kind = "uint16";
  headerless = true;
  tokens = {Element::U16, file.data(), file.size() / 2};
}

void TokenFile::readLlmC() {
  const int64_t headerBytes = 256 * 4;
  const std::string &path = file.path();
  kind = "llm.c";
  if (file.size() < headerBytes)
    fail(ExitData, format("'%s' is cut off: an llm.c header has %lld bytes, "
                          "the file has %lld",
                          path.c_str(), static_cast<long long>(headerBytes),
                          static_cast<long long>(file.size())));
  int32_t header[3];
  memcpy(header, file.data(), sizeof(header));
  bool wide = header[0] == 20240801;
  int expected = wide ? 7 : 1;
  if (header[1] != expected)
    fail(ExitData, format("'%s' is an llm.c file of version %d; version %d is "
                          "known",
                          path.c_str(), header[1], expected));
  tokens.type = wide ? Element::U32 : Element::U16;
  tokens.data = file.data() + headerBytes;
  tokens.count = header[2];
  int64_t width = infoOf(tokens.type).bytes, size = file.size() - headerBytes;
  bool isCut = tokens.count < 0 || tokens.count > size / width;
  if (isCut || tokens.count * width != size)
    fail(ExitData,
         format("'%s' %s: its header counts %lld tokens, the file holds %lld%s",
                path.c_str(), isCut ? "is cut off" : "holds more than it says",
                static_cast<long long>(tokens.count),
                static_cast<long long>(size / width),
                size % width ? " and a part of one" : ""),
         isCut ? ""
               : format("tokens of magic number %d have %lld bytes each",
                        header[0], static_cast<long long>(width)));
}

/// An index consists of 9 bytes "MMIDIDX\0\0", u64 version 1, u8 type, u64
/// number of sequences, u64 number of document indices, an int32 length for
/// each sequence, an int64 byte offset for each sequence, and int64 document
/// indices.
void TokenFile::readMegatron(const std::string &indexPath) {
  const int64_t headerBytes = 9 + 8 + 1 + 8 + 8;
  kind = "Megatron";
  this->index =
      std::make_unique<MappedFile>(indexPath, ExitData, "Megatron index", "");
  const MappedFile &index = *this->index;
  auto refuse = [&](const std::string &reason) {
    fail(ExitData, format("Megatron index '%s' ", indexPath.c_str()) + reason);
  };
  if (index.size() < headerBytes || memcmp(index.data(), "MMIDIDX\0\0", 9))
    refuse("does not begin with MMIDIDX");
  uint64_t version, sequences, indices;
  memcpy(&version, index.data() + 9, 8);
  memcpy(&sequences, index.data() + 18, 8);
  memcpy(&indices, index.data() + 26, 8);
  if (version != 1)
    refuse("is of a version that is not 1");
  static const Element types[] = {Element::U8, Element::I8, Element::I16,
                                  Element::I32, Element::I64};
  int code = static_cast<unsigned char>(index.data()[17]);
  if ((code < 1 || code > 5) && code != 8)
    refuse(format("has tokens of type %d; integers are 1 to 5 and 8", code));
  tokens.type = code == 8 ? Element::U16 : types[code - 1];
  int64_t width = infoOf(tokens.type).bytes;

  int64_t room = index.size() - headerBytes;
  if (sequences > static_cast<uint64_t>(room / 12))
    refuse(format("is cut off: %lld bytes cannot describe %llu sequences",
                  static_cast<long long>(room),
                  static_cast<unsigned long long>(sequences)));
  int64_t count = static_cast<int64_t>(sequences);
  const char *lengths = index.data() + headerBytes;
  const char *pointers = lengths + 4 * count;
  int64_t next = 0; // bytes
  for (int64_t i = 0; i < count; ++i) {
    int32_t length;
    int64_t pointer;
    memcpy(&length, lengths + 4 * i, 4);
    memcpy(&pointer, pointers + 8 * i, 8);
    // Megatron's own builder writes contiguous sequences: the tokens are one
    // array.
    if (pointer != next || length < 0)
      refuse(format("has sequence %lld at byte %lld: sequences that are not "
                    "contiguous cannot be read",
                    static_cast<long long>(i),
                    static_cast<long long>(pointer)));
    next += length * width;
    if (next > file.size())
      refuse(format("has sequence %lld end at byte %lld, '%s' has %lld",
                    static_cast<long long>(i), static_cast<long long>(next),
                    file.path().c_str(), static_cast<long long>(file.size())));
  }
  if (next != file.size())
    fail(ExitData,
         format("Megatron index '%s' describes %lld bytes, '%s' has %lld",
                indexPath.c_str(), static_cast<long long>(next),
                file.path().c_str(), static_cast<long long>(file.size())),
         format("the index says %lld tokens of %s: is it of another file?",
                static_cast<long long>(next / width),
                infoOf(tokens.type).numpy));
  tokens.data = file.data();
  tokens.count = next / width;
  offsets = pointers;
  sequenceCount = count;
  documents = pointers + 8 * count;
  documentCount = static_cast<int64_t>(
      std::min<uint64_t>(indices, std::numeric_limits<int64_t>::max()));
  int64_t rest = index.data() + index.size() - documents;
  if (documentCount > rest / 8)
    refuse(format("is cut off: it has %lld of %lld indices of documents",
                  static_cast<long long>(rest / 8),
                  static_cast<long long>(documentCount)));
}

/// Returns number `i` of an array of int64 without alignment.
static int64_t numberAt(const char *numbers, int64_t i) {
  int64_t number;
  memcpy(&number, numbers + 8 * i, 8);
  return number;
}

/// Returns the index of the first of `count` ascending numbers that is at least
/// `least`; `count` if there is none.
static int64_t findFrom(const char *numbers, int64_t count, int64_t least) {
  int64_t begin = 0;
  while (count > 0) {
    int64_t half = count / 2;
    bool isLess = numberAt(numbers, begin + half) < least;
    begin += isLess ? half + 1 : 0;
    count = isLess ? count - half - 1 : half;
  }
  return begin;
}

bool TokenFile::endsDocument(int64_t position) const {
  // A sequence begins behind the token, and it is the first of a document. One
  // that is empty begins where the next one does.
  int64_t end = (position + 1) * infoOf(tokens.type).bytes;
  int64_t first = findFrom(offsets, sequenceCount, end);
  int64_t last = findFrom(offsets, sequenceCount, end + 1);
  if (position + 1 < tokens.count)
    --last;
  int64_t document = findFrom(documents, documentCount, first);
  return document < documentCount && numberAt(documents, document) <= last;
}
