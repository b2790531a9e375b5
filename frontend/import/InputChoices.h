//===- InputChoices.h - Inputs per sample and shared inputs -----*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_INPUTCHOICES_H
#define PCC_FRONTEND_IMPORT_INPUTCHOICES_H

#include <string>
#include <vector>

namespace pcc {

/// The user's choices of inputs that are the same for all samples, and of
/// inputs with a row per sample. They override the file.
struct InputChoices {
  /// Names of the file's inputs, in the order given.
  std::vector<std::string> shared, perSample;
};

} // namespace pcc

#endif // PCC_FRONTEND_IMPORT_INPUTCHOICES_H
