//===- EventFile.h - TensorBoard's event files ------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_EVENTFILE_H
#define PCC_RUNTIME_TELEMETRY_EVENTFILE_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace pcc {

/// An event file in a folder of its own name: records of a length, its masked
/// CRC-32C, a protobuf `Event` and its masked CRC-32C. Failures exit with
/// ExitOutput.
class EventFile {
public:
  /// Events of steps after `done` that earlier files of the folder have are
  /// hidden by TensorBoard.
  EventFile(const std::string &folder, int64_t done);
  ~EventFile();
  EventFile(const EventFile &) = delete;
  EventFile &operator=(const EventFile &) = delete;

  /// One event with a value for each tag.
  void scalars(int64_t step,
               const std::vector<std::pair<const char *, double>> &values);

private:
  void write(const std::string &event);

  std::string path;
  FILE *file;
};

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_EVENTFILE_H
