//===- Needs.h - What a program needs on other hosts ------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_NEEDS_H
#define PCC_TOOLS_PCC_NEEDS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace pcc {

/// Describes the C library, the shared libraries and the driver that an
/// executable needs on other hosts, and where they are. `libraries` is
/// libraryFolder(); `target` the program's. Empty if the file is no executable.
std::string describeNeeds(llvm::StringRef program, llvm::StringRef libraries,
                          llvm::StringRef target);

} // namespace pcc

#endif // PCC_TOOLS_PCC_NEEDS_H
