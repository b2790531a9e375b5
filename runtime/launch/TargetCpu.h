//===- TargetCpu.h - What a program needs of its processor ------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_TARGETCPU_H
#define PCC_RUNTIME_LAUNCH_TARGETCPU_H

#include <string>
#include <vector>

namespace pcc {

/// Ends the run with ExitDevice, naming them, where this processor lacks
/// instructions that the program was compiled to use. To be called before any
/// compiled code runs.
void checkTargetCpu();

/// "x86-64-v3 with avx, avx2, ..."; empty where the program does not say it.
std::string targetCpuText();

/// Which of these features, by LLVM's names with commas between, this processor
/// lacks. What is unknown counts as there, and so does all on other processors
/// than x86-64.
std::vector<std::string> missingFeatures(const std::string &features);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_TARGETCPU_H
