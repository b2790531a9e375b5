//===- Descriptor.h - The program descriptor --------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
#define PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace pcc {

class DataBuilder;
class Datum;

/// The symbol of a stage's function in the object.
std::string stageSymbol(rt::StageOp stage, llvm::StringRef function);

/// The integers that a program's kernels read from memory, in the order of
/// their first request.
class Constants {
public:
  /// The index of `value`, which is multiplied by the rank's index in
  /// communicator `comm` unless `comm` is negative. Adds it if it is new.
  int64_t numberOf(int64_t comm, int64_t value) {
    int64_t next = numbers.size();
    return numbers.insert({{comm, value}, next}).first->second;
  }
  /// (communicator, integer) pairs with their indices, in ascending order of
  /// these.
  const auto &list() const { return numbers; }

private:
  llvm::MapVector<std::pair<int64_t, int64_t>, int64_t> numbers;
};

/// By stage, the addresses of the pcc_attention_desc constants of its calls.
using Attentions =
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Datum, 0>>;

/// Emits the constant `pcc_the_program` for a module of stages, whose functions
/// must have been lowered.
mlir::LogicalResult emitDescriptor(mlir::ModuleOp module, DataBuilder &data,
                                   const Constants &constants,
                                   const Attentions &attentions);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
