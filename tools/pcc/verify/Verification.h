//===- Verification.h - The options of pcc verify ---------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_VERIFICATION_H
#define PCC_TOOLS_PCC_VERIFY_VERIFICATION_H

#include <cstdint>
#include <string>

namespace pcc {

/// The options of `pcc verify` that a compilation does not have. Empty paths:
/// not given.
struct Verification {
  int64_t steps = 4;
  std::string data;      ///< as --data of programs; empty: made up
  std::string plan;      ///< the text of a plan, in place of the flags
  std::string keep;      ///< the folder for the plan's files, which are kept
  std::string reference; ///< the folder for one rank's files, which are reused
  std::string exports;   ///< the folder for the export of a model directory
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_VERIFICATION_H
