//===- Ties.h - What a user says is one parameter ---------------*- C++ -*-===//

#ifndef PCC_FRONTEND_WEIGHTS_TIES_H
#define PCC_FRONTEND_WEIGHTS_TIES_H

#include <string>
#include <utility>
#include <vector>

namespace pcc {

/// Decisions about equal tensors that override those of the compiler. Names
/// are those of parameters, as --list-params prints them, or of initializers.
struct TieChoices {
  /// --tie A=B: the two are one parameter.
  std::vector<std::pair<std::string, std::string>> ties;
  /// --untie NAME: a parameter of its own.
  std::vector<std::string> unties;
};

} // namespace pcc

#endif // PCC_FRONTEND_WEIGHTS_TIES_H
