//===- Digests.h - The contents of files ------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_DIGESTS_H
#define PCC_TOOLS_PCC_VERIFY_DIGESTS_H

#include "mlir/Support/LLVM.h"
#include <map>
#include <string>

namespace pcc {

/// The digests of files, by path.
using Digests = std::map<std::string, std::string>;

/// Returns a text that changes with a file's contents: its size and a hash. Of
/// a file of more than 4 GiB, only samples are hashed, and the time of its last
/// change counts, too. Empty if the file cannot be read.
std::string digestOf(llvm::StringRef path);

/// Returns the digests of a folder's files, also of those in folders below, by
/// their paths from the folder. Leaves out programs and their output, which no
/// comparison reads.
Digests digestsIn(llvm::StringRef folder);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_DIGESTS_H
