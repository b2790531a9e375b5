//===- Data.h - Constant C structures as LLVM globals -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_DATA_H
#define PCC_PASSES_CODEGEN_EMIT_DATA_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace pcc {

/// A constant: a number, a symbol's address, or a structure or array of
/// constants. Fields have the types of the C structure, so LLVM's layout is
/// C's.
class Datum {
public:
  /// Numbers of these types.
  static Datum i32(int64_t value) { return number(32, value); }
  static Datum i64(int64_t value) { return number(64, value); }
  /// Floats of these types.
  static Datum f32(double value);
  static Datum f64(double value);
  /// The address of a symbol; null if empty.
  static Datum address(llvm::StringRef symbol);
  static Datum null() { return address({}); }
  /// A C structure of these fields.
  static Datum structure(llvm::ArrayRef<Datum> fields);
  /// A C array of at least one element, all of one type.
  static Datum array(llvm::ArrayRef<Datum> elements);

  /// The type of the value in a global.
  mlir::Type getType(mlir::MLIRContext *context) const;
  /// Builds the value within the initializer of a global.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  enum class Kind { Integer, Float, Address, Structure, Array };
  static Datum number(unsigned bits, int64_t value);

  Kind kind = Kind::Integer;
  unsigned bits = 0;
  int64_t integer = 0;
  double real = 0;
  std::string symbol;
  std::vector<Datum> parts;
};

/// Adds constant globals to a module. Equal strings share a global.
class DataBuilder {
public:
  /// Globals are added at the end of `module`.
  explicit DataBuilder(mlir::ModuleOp module);

  /// Adds a private constant; returns its address.
  Datum add(llvm::StringRef name, const Datum &value);
  /// Adds a constant with external linkage.
  void addPublic(llvm::StringRef name, const Datum &value);
  /// Adds a private array and returns its address; null without elements.
  Datum addArray(llvm::StringRef name, llvm::ArrayRef<Datum> elements);
  /// As above, of int64_t.
  Datum addArray(llvm::StringRef name, llvm::ArrayRef<int64_t> elements);
  /// As above, of int32_t.
  Datum addArray(llvm::StringRef name, llvm::ArrayRef<int32_t> elements);
  /// A C string.
  Datum addString(llvm::StringRef text);

private:
  mlir::LLVM::GlobalOp create(llvm::StringRef name, const Datum &value,
                              mlir::LLVM::Linkage linkage);

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  llvm::StringMap<std::string> strings;
  llvm::StringMap<int> numbers;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_DATA_H
