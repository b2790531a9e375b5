//===- RunLog.cpp - The log of a run --------------------------------------===//

#include "tools/pcc/verify/RunLog.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace pcc;

std::string pcc::readWhole(llvm::StringRef path) {
  // Files of /proc tell no size.
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().str() : "";
}

std::vector<LoggedStep> pcc::readLog(llvm::StringRef path) {
  std::vector<LoggedStep> steps;
  std::string text = readWhole(path);
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto value = llvm::json::parse(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      break;
    }
    const llvm::json::Object *object = value->getAsObject();
    if (!object || !object->getInteger("step"))
      break;
    auto number = [&](llvm::StringRef key) {
      return object->getNumber(key).value_or(std::nan(""));
    };
    steps.push_back({number("loss"), number("norm"), number("lr"),
                     number("loss_scale"), number("ms") / 1000,
                     object->getBoolean("skipped").value_or(false)});
  }
  return steps;
}

int64_t pcc::firstUpdate(const std::vector<LoggedStep> &steps) {
  for (size_t i = 0; i < steps.size(); ++i)
    if (!steps[i].isSkipped)
      return int64_t(i) + 1;
  return 0;
}
