//===- Ties.h - The user's choices of tied parameters -----------*- C++ -*-===//

#ifndef PCC_FRONTEND_WEIGHTS_TIES_H
#define PCC_FRONTEND_WEIGHTS_TIES_H

#include <string>
#include <utility>
#include <vector>

namespace pcc {

/// The user's choices about equal tensors, which override the compiler's. Names
/// are those of parameters, as --list-params prints them, or of initializers.
struct TieChoices {
  /// --tie A=B: the two are one parameter.
  std::vector<std::pair<std::string, std::string>> ties;
  /// --untie NAME: not tied to any other.
  std::vector<std::string> unties;
};

} // namespace pcc

#endif // PCC_FRONTEND_WEIGHTS_TIES_H
