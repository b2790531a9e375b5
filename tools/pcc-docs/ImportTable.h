//===- ImportTable.h - The import table as JSON -----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_IMPORTTABLE_H
#define PCC_TOOLS_PCC_DOCS_IMPORTTABLE_H

#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Prints the rows of the import table as JSON, {"newest_opset": N,
/// "newest_format": N, "rows": [...]}. test/Backend/schemas.py compares them
/// with ONNX's schemas.
void printImportTable(llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_IMPORTTABLE_H
