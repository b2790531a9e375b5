//===- FileDigest.h - Digest that identifies a model file -------*- C++ -*-===//
//
// The compiler and the compiled program compute this digest of the files with
// weights, to recognize a file that was replaced. A digest of the whole would
// read all of a large file, so it takes samples: a deliberate change of weights
// changes nearly all of the file.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_FILEDIGEST_H
#define PCC_RUNTIME_MODEL_FILEDIGEST_H

#include "runtime/model/WireFormat.h"

// Header-only: neither the compiler nor a program links with libxxhash.
#define XXH_INLINE_ALL
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>
#include <xxhash.h>

namespace pcc {
namespace digest {

/// The sizes that fileDigest() uses: bytes at each end of the file, the number
/// of samples and the bytes of a sample.
const int64_t endBytes = 65536, samples = 1024, sampleBytes = 4096;

/// Ranges of a file's bytes, in file order.
using Ranges = std::vector<std::string_view>;

/// The ONNX messages that lead to tensors (field numbers from onnx.proto).
enum class Message { Model, Graph, Node, Attribute, Tensor, Other };

/// Returns the message in field number `field` of a message; Other if it does
/// not lead to tensors.
inline Message inner(Message in, uint64_t field) {
  if (in == Message::Model && field == 7)
    return Message::Graph;
  if (in == Message::Graph && field == 1)
    return Message::Node;
  if (in == Message::Node && field == 5)
    return Message::Attribute;
  bool isTensor =
      (in == Message::Graph || in == Message::Attribute) && field == 5;
  return isTensor ? Message::Tensor : Message::Other;
}

/// Adds the bytes of a message except long fields of tensors, which contain the
/// elements. Returns false if the bytes are not a valid message.
inline bool addMessage(Message kind, const char *begin, const char *end,
                       Ranges &ranges) {
  const char *from = begin;
  for (const char *at = begin; at < end;) {
    wire::Field field;
    bool truncated = false;
    if (!wire::readField(at, end, field, truncated))
      return false;
    if (field.type != wire::Bytes)
      continue;
    Message message = inner(kind, field.number);
    if (message == Message::Other &&
        (kind != Message::Tensor || field.end - field.begin <= sampleBytes))
      continue;
    ranges.emplace_back(from, field.begin - from);
    from = field.end;
    if (message != Message::Other &&
        !addMessage(message, field.begin, field.end, ranges))
      return false;
  }
  ranges.emplace_back(from, end - from);
  return true;
}

/// Returns the header of a file: of an ONNX file all bytes but tensor elements,
/// of a safetensors file its header. Empty for others, such as external data.
inline Ranges headerOf(const char *bytes, int64_t size) {
  Ranges ranges;
  uint64_t length = 0;
  if (size >= 9)
    memcpy(&length, bytes, 8);
  if (length > 0 && length <= static_cast<uint64_t>(size - 8) &&
      bytes[8] == '{') {
    ranges.emplace_back(bytes, 8 + length);
    return ranges;
  }
  // Every writer begins with ir_version, a small varint in field 1.
  bool begins = size > 1 && bytes[0] == 0x08 && bytes[1] < 0x40;
  if (!begins || !addMessage(Message::Model, bytes, bytes + size, ranges))
    ranges.clear();
  return ranges;
}

} // namespace digest

/// Returns the 64-bit XXH3 digest of a file's size, its header, its first and
/// last 64 KiB and 1,024 samples of 4 KiB at evenly spaced pages, in this
/// order. A file of at most 128 KiB + 4 MiB is digested whole. `passed` is
/// called with ranges of a longer file that are no longer needed: reading
/// samples of a mapped file may page in all bytes between them.
inline uint64_t fileDigest(const char *bytes, int64_t size,
                           void (*passed)(const char *begin,
                                          const char *end) = nullptr) {
  using namespace digest;
  if (size <= 2 * endBytes + samples * sampleBytes)
    return XXH3_64bits(bytes, size);
  alignas(64) XXH3_state_t state;
  XXH3_64bits_reset(&state);
  uint64_t length = size;
  XXH3_64bits_update(&state, &length, sizeof(length));
  for (std::string_view range : headerOf(bytes, size))
    XXH3_64bits_update(&state, range.data(), range.size());
  XXH3_64bits_update(&state, bytes, endBytes);
  XXH3_64bits_update(&state, bytes + size - endBytes, endBytes);
  int64_t pages = size / sampleBytes;
  const char *from = bytes;
  for (int64_t i = 0; i < samples; ++i) {
    const char *sample = bytes + i * pages / samples * sampleBytes;
    XXH3_64bits_update(&state, sample, sampleBytes);
    if (passed && i % 16 == 15) {
      passed(from, sample);
      from = sample;
    }
  }
  return XXH3_64bits_digest(&state);
}

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_FILEDIGEST_H
