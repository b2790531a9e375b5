//===- ArgumentUses.h - What functions do with arguments --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_ARGUMENTUSES_H
#define PCC_PASSES_CODEGEN_VERIFY_ARGUMENTUSES_H

#include "dialects/RT/RT.h"

namespace pcc {

/// What a function does with the buffer of an argument.
struct ArgumentUse {
  /// Whether what was there before the call is read, and whether it is written.
  bool isRead = false, isWritten = false;
};

/// By argument. What was there is not needed if all of it is written first.
llvm::SmallVector<ArgumentUse> findArgumentUses(rt::FuncOp function);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_ARGUMENTUSES_H
