//===- Steps.cpp - The steps of a stage as a list -------------------------===//

#include "passes/Pipeline/Steps.h"

using namespace mlir;
using namespace pcc;

void pcc::pairTransfers(std::vector<Step> &steps, int64_t stage) {
  std::vector<Step> joined;
  for (auto it = steps.begin(); it != steps.end();) {
    auto sends = it;
    while (it != steps.end() && it->sent && it->sent->to == sends->sent->to)
      ++it;
    auto receives = it;
    while (sends != receives && it != steps.end() && it->received &&
           it->received->from == sends->sent->to)
      ++it;
    if (sends == receives) {
      joined.push_back(*it++);
    } else if (receives - sends == 1 && it - receives == 1) {
      Step both = *sends;
      both.received = receives->received;
      both.receivedMicrobatch = receives->receivedMicrobatch;
      joined.push_back(both);
    } else {
      if (sends->sent->to < stage)
        std::rotate(sends, receives, it);
      joined.insert(joined.end(), sends, it);
    }
  }
  steps = std::move(joined);
}

Repetition pcc::findRepetition(ArrayRef<Step> steps, size_t begin) {
  // In a repeated part no step occurs twice. So the second repetition begins
  // where the first step occurs again.
  const Step &first = steps[begin];
  const Step *next =
      llvm::find_if(steps.drop_front(begin + 1),
                    [&](const Step &step) { return first.repeatsAs(step); });
  size_t length = next - &first, end = begin + length;
  while (end < steps.size() && steps[end - length].repeatsAs(steps[end]))
    ++end;
  size_t times = (end - begin) / length;
  // Receives ahead of the first action do not become a loop of their own.
  bool runs = llvm::any_of(steps.slice(begin, length), [](const Step &step) {
    return !step.tasks.empty();
  });
  return runs && times > 1 ? Repetition{length, times} : Repetition();
}
