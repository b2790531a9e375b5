//===- ArgumentUses.h - Reads and writes of arguments -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_ARGUMENTUSES_H
#define PCC_PASSES_CODEGEN_VERIFY_ARGUMENTUSES_H

#include "dialects/RT/RT.h"

namespace pcc {

/// How a function accesses the buffer of an argument.
struct ArgumentUse {
  /// Whether it reads contents from before the call, and whether it writes.
  bool isRead = false, isWritten = false;
};

/// Returns the accesses by argument. An argument that is fully written before
/// any read is not read. One of which only a part is written first counts as
/// read, because the rest keeps its contents.
llvm::SmallVector<ArgumentUse> findArgumentUses(rt::FuncOp function);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_ARGUMENTUSES_H
