//===- TestAnalyses.h - Test passes for analyses ----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_OPT_TESTANALYSES_H
#define PCC_TOOLS_PCC_OPT_TESTANALYSES_H

namespace pcc {

/// Registers passes for tests. Each emits remarks at ops with the result of one
/// analysis, and changes nothing.
void registerTestPasses();

} // namespace pcc

#endif // PCC_TOOLS_PCC_OPT_TESTANALYSES_H
