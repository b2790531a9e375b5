//===- Main.cpp - The executable of one tool ------------------------------===//

#include "tools/Tools.h"

/// PCC_TOOL is the tool's main function.
int main(int argc, char **argv) { return PCC_TOOL(argc, argv); }
