//===- Exporter.h - The pcc-export of this pcc ------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_EXPORTER_H
#define PCC_TOOLS_PCC_DIRECTORY_EXPORTER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace pcc {

/// The path of the pcc-export next to the executable `pcc`, or in its source
/// tree; empty if there is none.
std::string findExporter(llvm::StringRef pcc);

/// A digest of the sources of a pcc-export; empty if they are in no known
/// place, such as for a wheel.
std::string exporterDigest(llvm::StringRef script);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_EXPORTER_H
