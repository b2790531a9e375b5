//===- Proportions.h - Weights as whole numbers -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_PROPORTIONS_H
#define PCC_RUNTIME_SUPPORT_PROPORTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// The most numbers that parseProportions() takes.
const int64_t mostProportions = 1000;
/// The largest sum of proportions.
const int64_t mostProportion = 1000000000000000000;

/// Parses positive decimal numbers separated by commas into whole numbers in
/// the same proportion, without a common divisor: "0.3,0.7" is {3, 7}. They are
/// exact up to the largest number's 15th digit, and rounded there. The sum is
/// at most `mostProportion`. Returns the error, or an empty string.
std::string parseProportions(const std::string &text,
                             std::vector<int64_t> &numbers);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_PROPORTIONS_H
