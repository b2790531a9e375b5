//===- Tools.h - The main functions of the tools ----------------*- C++ -*-===//
//
// In the build tree each tool is an executable. Installed, they are one, so
// that LLVM is there once (installed/).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_TOOLS_H
#define PCC_TOOLS_TOOLS_H

/// Each takes the arguments of main() and returns the exit code.
int pccMain(int argc, char **argv);
int pccOptMain(int argc, char **argv);
int pccRunMain(int argc, char **argv);

#endif // PCC_TOOLS_TOOLS_H
