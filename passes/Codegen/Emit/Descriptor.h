//===- Descriptor.h - What a program says of itself -------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
#define PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

class DataBuilder;

/// The pcc_dtype of an element type; negative if the runtime has none (it has
/// no unsigned integers).
int getDType(mlir::Type element);

/// The name of a stage's function in the object.
std::string stageSymbol(rt::StageOp stage, llvm::StringRef function);

/// Emits the constant pcc_the_program of a module of stages; their functions
/// must be there.
mlir::LogicalResult emitDescriptor(mlir::ModuleOp module, DataBuilder &data);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
