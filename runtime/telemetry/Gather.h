//===- Gather.h - Writes one file with texts of all ranks -------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_GATHER_H
#define PCC_RUNTIME_TELEMETRY_GATHER_H

#include <string>

namespace pcc {

/// Writes a file of `begin`, the texts `own` of all ranks in rank order,
/// separated by a comma and a line break, and `end`. No text may be empty. All
/// ranks call it; rank 0 writes. Exits with ExitOutput if the file cannot be
/// written.
void writeGathered(const std::string &path, const std::string &begin,
                   const std::string &own, const std::string &end);

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_GATHER_H
