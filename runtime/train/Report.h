//===- Report.h - What ranks send in a step ---------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_REPORT_H
#define PCC_RUNTIME_TRAIN_REPORT_H

#include "runtime/Backend.h"

#include <string>
#include <vector>

namespace pcc {

/// What was communicated between two moments, `before` being the earlier one.
std::vector<backend::Traffic>
trafficSince(const std::vector<backend::Traffic> &before,
             std::vector<backend::Traffic> now);

/// Writes --report: what each rank communicated in a step. All ranks call it,
/// each with its own.
void writeReport(const std::string &path,
                 const std::vector<backend::Traffic> &ofStep);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_REPORT_H
