//===- Attention.cpp - Does cuDNN support a program's attention? ----------===//
//
//     cuda-attention PROGRAM.so DEVICE.json
//
// Builds the graphs of all attention ops of a compiled program as its runtime
// does, and lets the real library choose engines for a device that a file
// describes. No GPU is needed, only a libcuda.so.1, which the library opens but
// does not call up to here. Prints a line per graph. Fails if the library has
// no engine or needs more workspace than the program has.
//
//===----------------------------------------------------------------------===//

#include "runtime/Workspace.h"
#include "runtime/cuda/AttentionGraph.h"
#include "runtime/cuda/Libraries.h"

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>

using namespace pcc;
using namespace pcc::cuda;

static bool isTaken(const pcc_attention_desc &desc, const std::string &json) {
  DnnBuilder b(dnn());
  auto *device = b.create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  b.set(device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
        static_cast<int64_t>(json.size()), json.data());
  b.finalize(device);
  auto engines = findAttentionEngines(b, desc, device);
  auto number = [](int64_t value) { return static_cast<long long>(value); };
  printf("%s of %s: %lld x %lld x %lld, %lld and %lld heads of %lld: ",
         desc.is_backward ? "backward" : "forward", desc.node,
         number(samplesOf(desc)), number(desc.queries), number(desc.keys),
         number(headsOf(desc)), number(keyHeadsOf(desc)), number(desc.size));
  if (!b.isWell()) {
    printf("%s\n", b.error().c_str());
    return false;
  }
  int64_t needed = workspaceNeeded(desc, engines.front().workspace),
          there = desc.is_backward ? desc.workspace_bytes
                                   : int64_t{PCC_WORKSPACE_BYTES};
  printf("%lld of %lld bytes, %s\n", number(needed), number(there),
         needed <= there ? "enough" : "too few");
  return needed <= there;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  void *opened = dlopen(argv[1], RTLD_LAZY);
  if (!opened) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  auto *program =
      static_cast<const pcc_program *>(dlsym(opened, "pcc_the_program"));
  std::ifstream file(argv[2]);
  std::string json((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  printf("cuDNN %s\n", versionText(dnn().cudnnGetVersion()).c_str());
  bool isWell = true;
  for (int i = 0; i < program->n_stages; ++i)
    for (int j = 0; j < program->stages[i].n_attentions; ++j)
      isWell &= isTaken(*program->stages[i].attentions[j], json);
  return isWell ? 0 : 1;
}
