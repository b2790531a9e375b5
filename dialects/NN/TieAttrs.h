#ifndef PCC_NN_TIEATTRS_H
#define PCC_NN_TIEATTRS_H
#include "llvm/ADT/StringRef.h"
namespace pcc::nn {
inline constexpr llvm::StringLiteral kFirstBestAttr = "nn.first_best";
} // namespace pcc::nn
#endif
