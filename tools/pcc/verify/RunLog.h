//===- RunLog.h - The log of a run ------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_RUNLOG_H
#define PCC_TOOLS_PCC_VERIFY_RUNLOG_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace pcc {

/// A step in the log of a run. Values that are not finite or not there are NaN.
struct LoggedStep {
  double loss, norm, rate, lossScale;
  double seconds;
  bool isSkipped;
};

/// Reads what --log-json wrote; empty if the file cannot be read.
std::vector<LoggedStep> readLog(llvm::StringRef path);

/// Returns the contents of a file; empty if it cannot be read.
std::string readWhole(llvm::StringRef path);

/// Returns the number of the first step that is not skipped; 0: there is none.
int64_t firstUpdate(const std::vector<LoggedStep> &steps);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_RUNLOG_H
