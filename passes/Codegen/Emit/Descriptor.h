//===- Descriptor.h - What a program says of itself -------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
#define PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

class DataBuilder;

/// The name of a stage's function in the object.
std::string stageSymbol(rt::StageOp stage, llvm::StringRef function);

/// Emits the constant pcc_the_program of a module of stages; their functions
/// must be there.
mlir::LogicalResult emitDescriptor(mlir::ModuleOp module, DataBuilder &data);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
