//===- TargetCpu.h - The processor that a program needs ---------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_TARGETCPU_H
#define PCC_RUNTIME_LAUNCH_TARGETCPU_H

#include <string>
#include <vector>

namespace pcc {

/// Exits with ExitDevice if this processor lacks instruction sets that the
/// program was compiled to use, and names them. Must be called before any
/// compiled code runs.
void checkTargetCpu();

/// "x86-64-v3 with avx, avx2, ..."; empty if the program does not record it.
std::string targetCpuText();

/// The features of a comma-separated list, by LLVM's names, that this processor
/// lacks. Unknown features, and all features on processors other than x86-64,
/// count as present.
std::vector<std::string> missingFeatures(const std::string &features);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_TARGETCPU_H
