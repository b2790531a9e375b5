//===- Instances.cpp - Sets of microbatches -------------------------------===//

#include "passes/Pipeline/Instances.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;

bool Instances::contains(int64_t microbatch) const {
  return llvm::any_of(runs, [&](const Run &run) {
    return run.first <= microbatch && microbatch < run.second;
  });
}

bool Instances::insert(int64_t microbatch) {
  if (contains(microbatch))
    return false;
  auto *after = llvm::find_if(
      runs, [&](const Run &run) { return run.first > microbatch; });
  bool joinsBefore = after != runs.begin() && after[-1].second == microbatch;
  bool joinsAfter = after != runs.end() && after->first == microbatch + 1;
  if (joinsBefore && joinsAfter) {
    after[-1].second = after->second;
    runs.erase(after);
  } else if (joinsBefore) {
    ++after[-1].second;
  } else if (joinsAfter) {
    --after->first;
  } else {
    runs.insert(after, {microbatch, microbatch + 1});
  }
  return true;
}

void Instances::shift(int64_t by) {
  for (Run &run : runs) {
    if (run.first != 0)
      run.first += by;
    run.second += by;
  }
}
