//===- Copies.h - Parameters that a file stores more than once --*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_COPIES_H
#define PCC_DIALECTS_NN_COPIES_H

#include "llvm/ADT/StringRef.h"

namespace pcc::nn {

/// On `nn.param`: an array of SourceAttr, the other tensors of the file that
/// hold the same elements, such as a tied head that an exporter wrote out. They
/// are never read; a trained model that is written back has them all alike.
inline constexpr llvm::StringLiteral kCopiesAttr = "nn.copies";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_COPIES_H
