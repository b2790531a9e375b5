//===- ExportDirectory.h - From a directory to an ONNX file -----*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_EXPORTDIRECTORY_H
#define PCC_TOOLS_PCC_DIRECTORY_EXPORTDIRECTORY_H

#include "tools/pcc/Arguments.h"

namespace pcc {

/// If the input is a directory, exports it by pcc-export to a folder next to
/// the output, or reuses the export there, and makes its ONNX file the input.
/// Otherwise refuses flags that need a directory. Returns 0, or the exit code
/// to leave with; errors are printed.
int exportDirectory(Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_EXPORTDIRECTORY_H
