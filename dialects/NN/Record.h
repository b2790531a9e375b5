//===- Record.h - The syntax of a parameter's record ------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_RECORD_H
#define PCC_DIALECTS_NN_RECORD_H

#include "dialects/NN/Attrs.h"
#include "mlir/IR/OpImplementation.h"

namespace pcc::nn {

/// Parses the entries of a record as nn.param has them, without `<` and `>`:
/// `init normal decay transposed`.
mlir::ParseResult parseRecord(mlir::AsmParser &parser, RecordAttr &record);

/// Prints what parseRecord() parses.
void printRecord(mlir::AsmPrinter &printer, RecordAttr record);
inline void printRecord(mlir::AsmPrinter &printer, mlir::Operation *,
                        RecordAttr record) {
  printRecord(printer, record);
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_RECORD_H
