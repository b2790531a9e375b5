//===- Gather.h - A file of what all ranks have to tell ---------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_GATHER_H
#define PCC_RUNTIME_TELEMETRY_GATHER_H

#include <string>

namespace pcc {

/// Writes `begin`, a text of each rank in their order, none empty, with a comma
/// and a new line between them, and `end` into a file. Rank 0 does, all call
/// it. Exits with ExitOutput if the file cannot be written.
void writeGathered(const std::string &path, const std::string &begin,
                   const std::string &own, const std::string &end);

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_GATHER_H
