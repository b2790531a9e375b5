//===- ContextLength.h - The longest sequence of a model --------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_CONTEXTLENGTH_H
#define PCC_FRONTEND_IMPORT_CONTEXTLENGTH_H

#include "frontend/import/Import.h"
#include "frontend/import/TableReads.h"

namespace pcc::frontend {

/// Translates the graph of a file until a node fails, with constant ids and
/// without the elements of weights. Returns the rows of tables that it reads.
TableReads readTables(mlir::MLIRContext &context, const ONNXFile &file,
                      const ImportOptions &options);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_CONTEXTLENGTH_H
