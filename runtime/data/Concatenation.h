//===- Concatenation.h - Positions in concatenated files --------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_CONCATENATION_H
#define PCC_RUNTIME_DATA_CONCATENATION_H

#include "runtime/Program.h"
#include "runtime/data/DataPosition.h"

namespace pcc {

/// The sources of a run without a blend, one for each file.
struct FilePositions {
  std::vector<SourcePosition> sources;
  std::string problem; ///< why they are not known; then there are none
};

/// Returns how far a run without a blend was in each of the token files that it
/// concatenated to `whole`:
///
///     a.bin: tokens 0 ... 699     b.bin: tokens 700 ... 1000
///     25 samples of 32 tokens: 21 samples of a.bin, then 100 tokens of b.bin
///
/// `seq`: the tokens of its samples. `sources`: those of the run that continues
/// it, which may have moved the files.
FilePositions splitFiles(const pcc_program &program,
                         const SourcePosition &whole, int64_t seq,
                         const std::vector<SourcePosition> &sources);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_CONCATENATION_H
