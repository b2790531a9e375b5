//===- EventFile.cpp - TensorBoard's event files --------------------------===//

#include "runtime/telemetry/EventFile.h"

#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <unistd.h>

using namespace pcc;

static std::array<uint32_t, 256> makeTable() {
  std::array<uint32_t, 256> table;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    table[byte] = crc;
  }
  return table;
}

/// CRC-32C (Castagnoli).
static uint32_t crc32c(const void *data, size_t bytes) {
  static const std::array<uint32_t, 256> table = makeTable();
  auto *at = static_cast<const unsigned char *>(data);
  uint32_t crc = ~0u;
  for (size_t i = 0; i < bytes; ++i)
    crc = crc >> 8 ^ table[(crc ^ at[i]) & 255];
  return ~crc;
}

/// Returns the CRC-32C in the masked form of TensorFlow's record files.
static uint32_t maskedCrc32c(const void *data, size_t bytes) {
  uint32_t crc = crc32c(data, bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

//===----------------------------------------------------------------------===//
// Protobuf: Event {1: double wall_time, 2: int64 step, 3: string file_version,
// 5: Summary {1: Value {1: string tag, 2: float simple_value}},
// 7: SessionLog {1: enum status}}
//===----------------------------------------------------------------------===//

static void putVarint(std::string &to, uint64_t value) {
  for (; value >= 128; value >>= 7)
    to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}

template <typename T>
static void putFixed(std::string &to, int field, T value) {
  putVarint(to, field << 3 | (sizeof(T) == 8 ? 1 : 5));
  to.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

static void putBytes(std::string &to, int field, const std::string &bytes) {
  putVarint(to, field << 3 | 2);
  putVarint(to, bytes.size());
  to += bytes;
}

static std::string event(int64_t step) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  std::string text;
  putFixed(text, 1, std::chrono::duration<double>(now).count());
  putVarint(text, 2 << 3);
  putVarint(text, static_cast<uint64_t>(step));
  return text;
}

EventFile::EventFile(const std::string &folder, int64_t done) {
  makeFolders(folder);
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  auto now = std::chrono::system_clock::now().time_since_epoch();
  path =
      folder +
      format("/events.out.tfevents.%010lld.%s.%d.0",
             static_cast<long long>(
                 std::chrono::duration_cast<std::chrono::seconds>(now).count()),
             host, getpid());
  file = fopen(path.c_str(), "wb");
  if (!file)
    fail(ExitOutput,
         format("cannot write '%s': %s", path.c_str(), strerror(errno)));
  std::string version = event(0);
  putBytes(version, 3, "brain.Event:2");
  write(version);
  if (done == 0)
    return;
  // A session with status START: TensorBoard discards earlier events from this
  // step.
  std::string start = event(done + 1), session;
  putVarint(session, 1 << 3);
  putVarint(session, 1);
  putBytes(start, 7, session);
  write(start);
}

EventFile::~EventFile() { fclose(file); }

void EventFile::write(const std::string &event) {
  uint64_t length = event.size();
  std::string record(reinterpret_cast<const char *>(&length), 8);
  auto append = [&](uint32_t crc) {
    record.append(reinterpret_cast<const char *>(&crc), 4);
  };
  append(maskedCrc32c(&length, 8));
  record += event;
  append(maskedCrc32c(event.data(), event.size()));
  if (fwrite(record.data(), 1, record.size(), file) != record.size() ||
      fflush(file))
    fail(ExitOutput,
         format("cannot write '%s': %s", path.c_str(), strerror(errno)));
}

void EventFile::scalars(
    int64_t step, const std::vector<std::pair<const char *, double>> &values) {
  std::string summary;
  for (auto [tag, value] : values) {
    std::string entry;
    putBytes(entry, 1, tag);
    putFixed(entry, 2, static_cast<float>(value));
    putBytes(summary, 1, entry);
  }
  std::string text = event(step);
  putBytes(text, 5, summary);
  write(text);
}
