//===- Installed.cpp - All installed tools in one executable --------------===//
//
// It is installed as pcc. The other tools are copies of Launcher.c, which start
// it under their names.
//
//===----------------------------------------------------------------------===//

#include "tools/Tools.h"
#include <cstring>

int main(int argc, char **argv) {
  const char *slash = argc > 0 ? std::strrchr(argv[0], '/') : nullptr;
  const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
  if (!std::strcmp(name, "pcc-opt"))
    return pccOptMain(argc, argv);
  if (!std::strcmp(name, "pcc-run"))
    return pccRunMain(argc, argv);
  return pccMain(argc, argv);
}
