//===- InputChoices.h - What inputs have a row per sample -------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_INPUTCHOICES_H
#define PCC_FRONTEND_IMPORT_INPUTCHOICES_H

#include <string>
#include <vector>

namespace pcc {

/// Inputs by name that are the same for all samples, and those that have a row
/// for each, whatever the file leaves open.
struct InputChoices {
  /// Names of the file's inputs, in the order given.
  std::vector<std::string> shared, perSample;
};

} // namespace pcc

#endif // PCC_FRONTEND_IMPORT_INPUTCHOICES_H
