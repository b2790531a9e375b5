//===- Report.h - The traffic of a step -------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_REPORT_H
#define PCC_RUNTIME_TRAIN_REPORT_H

#include "runtime/Backend.h"

#include <string>
#include <vector>

namespace pcc {

/// The traffic between two moments; `before` is the earlier one.
std::vector<backend::Traffic>
trafficSince(const std::vector<backend::Traffic> &before,
             std::vector<backend::Traffic> now);

/// Writes --report: the traffic of each rank in a step. All ranks must call it,
/// each with its own traffic.
void writeReport(const std::string &path,
                 const std::vector<backend::Traffic> &ofStep);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_REPORT_H
