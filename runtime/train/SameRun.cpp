//===- SameRun.cpp - Checks that all ranks run the same program -----------===//

#include "runtime/train/SameRun.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/support/Mesh.h"
#include "runtime/train/Info.h"

#include <sstream>
#include <vector>

using namespace pcc;

/// Identifies a program; programs for different processors have equal texts.
static std::string textOf(const pcc_program &program) {
  std::string text =
      format("%s of %lld parameters, %s, %s, arena", program.model,
             static_cast<long long>(program.parameters),
             meshText(program).c_str(), batchText(program).c_str());
  for (int i = 0; i < program.n_stages; ++i)
    text +=
        format(" %lld", static_cast<long long>(program.stages[i].arena_bytes));
  return text;
}

/// The texts of rank 0. They may contain line breaks, from names of files.
static std::vector<std::string>
ofRankZero(const std::vector<std::string> &texts) {
  std::string text;
  for (const std::string &one : texts)
    text += one + '\0';
  auto bytes = static_cast<int64_t>(text.size());
  backend::broadcast(&bytes, sizeof(bytes), 0);
  text.resize(bytes);
  backend::broadcast(text.data(), bytes, 0);
  std::istringstream stream(text);
  std::vector<std::string> first(texts.size());
  for (std::string &one : first)
    std::getline(stream, one, '\0');
  return first;
}

void pcc::requireSameRun(const pcc_program &program,
                         const TrainingOptions &options) {
  if (backend::size() == 1)
    return;
  std::vector<std::string> own = commonOptions(options);
  own.insert(own.begin(), textOf(program));
  std::vector<std::string> first = ofRankZero(own);
  if (own[0] != first[0])
    fail(ExitWorld,
         "this rank has another program than rank 0: " + own[0] + "; not " +
             first[0],
         "all hosts need the same program");
  for (size_t i = 1; i < own.size(); ++i)
    if (own[i] != first[i])
      fail(ExitUsage, "this rank has " + own[i] + ", rank 0 has " + first[i],
           "give all ranks the same flags");
}
