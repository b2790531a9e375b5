//===- Descriptor.h - What a program says of itself -------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
#define PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace pcc {

class DataBuilder;
class Datum;

/// The name of a stage's function in the object.
std::string stageSymbol(rt::StageOp stage, llvm::StringRef function);

/// The integers that a program's kernels read as memory, in the order in which
/// they are first asked for.
class Constants {
public:
  /// The number of an integer, times the rank's index in a communicator unless
  /// that is negative.
  int64_t numberOf(int64_t comm, int64_t value) {
    int64_t next = numbers.size();
    return numbers.insert({{comm, value}, next}).first->second;
  }
  /// Communicators and integers, each with its number, by number.
  const auto &list() const { return numbers; }

private:
  llvm::MapVector<std::pair<int64_t, int64_t>, int64_t> numbers;
};

/// By stage, the addresses of what its code has the library compute of
/// attention.
using Attentions =
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Datum, 0>>;

/// Emits the constant pcc_the_program of a module of stages; their functions
/// must be there.
mlir::LogicalResult emitDescriptor(mlir::ModuleOp module, DataBuilder &data,
                                   const Constants &constants,
                                   const Attentions &attentions);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_DESCRIPTOR_H
