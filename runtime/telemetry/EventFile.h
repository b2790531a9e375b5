//===- EventFile.h - TensorBoard's event files ------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_EVENTFILE_H
#define PCC_RUNTIME_TELEMETRY_EVENTFILE_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace pcc {

/// A TensorBoard event file. Each record consists of a length, its masked
/// CRC-32C, a protobuf `Event` and its masked CRC-32C. Failures exit with
/// ExitOutput.
class EventFile {
public:
  /// Creates a file with a unique name in `folder`. If `done` is not 0,
  /// TensorBoard discards the events of steps after `done` in earlier files of
  /// the folder.
  EventFile(const std::string &folder, int64_t done);
  ~EventFile();
  EventFile(const EventFile &) = delete;
  EventFile &operator=(const EventFile &) = delete;

  /// Writes one event with a value for each tag.
  void scalars(int64_t step,
               const std::vector<std::pair<const char *, double>> &values);

private:
  void write(const std::string &event);

  std::string path;
  FILE *file;
};

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_EVENTFILE_H
