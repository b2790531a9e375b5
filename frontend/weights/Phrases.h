//===- Phrases.h - Lists in messages ----------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_WEIGHTS_PHRASES_H
#define PCC_FRONTEND_WEIGHTS_PHRASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace pcc::frontend {

/// "'a', 'b' and 'c'"
std::string conjoin(llvm::ArrayRef<llvm::StringRef> names);

/// The start of a list, as long as fits a message: "a, b, and 3 more", or with
/// the noun " pairs" "and 3 more pairs".
std::string listSome(llvm::ArrayRef<std::string> texts,
                     llvm::StringRef noun = "");

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_PHRASES_H
