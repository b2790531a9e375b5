//===- TestAnalyses.h - Passes that say what analyses find ------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_OPT_TESTANALYSES_H
#define PCC_TOOLS_PCC_OPT_TESTANALYSES_H

namespace pcc {

/// Registers passes that change nothing: each remarks, at every op of a module,
/// what one analysis finds about it. They are for tests.
void registerTestPasses();

} // namespace pcc

#endif // PCC_TOOLS_PCC_OPT_TESTANALYSES_H
