//===- Compare.cpp - Differences between tensors --------------------------===//

#include "interpreter/Compare.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace pcc::interp;

Difference pcc::interp::difference(const Tensor &found, const Tensor &wanted) {
  Difference result;
  for (int64_t i = 0; i < found.size(); ++i) {
    double a = found.get(i), b = wanted.get(i);
    if (std::isfinite(b))
      result.scale = std::max(result.scale, std::abs(b));
    // Equal infinities and NaNs agree.
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double error = std::abs(a - b);
    if (error <= result.worst || std::isnan(result.worst))
      continue;
    result.worst = error;
    result.at = i;
    result.found = a;
    result.wanted = b;
  }
  return result;
}

std::string Difference::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("largest difference %.2g of %.3g", worst, scale);
  if (worst != 0)
    os << llvm::format(" at element %lld: %.9g, expected %.9g",
                       static_cast<long long>(at), found, wanted);
  return text;
}
