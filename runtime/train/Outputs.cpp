//===- Outputs.cpp - The scalar results of a step -------------------------===//

#include "runtime/train/Outputs.h"

#include "runtime/Backend.h"

#include <algorithm>
#include <cstring>

using namespace pcc;

static const pcc_output *find(const pcc_stage &stage, bool evaluation,
                              const char *name) {
  int count = evaluation ? stage.n_eval_outputs : stage.n_outputs;
  const pcc_output *outputs = evaluation ? stage.eval_outputs : stage.outputs;
  for (int i = 0; i < count; ++i)
    if (!strcmp(outputs[i].name, name))
      return &outputs[i];
  return nullptr;
}

bool pcc::readOutput(const pcc_program &program, const Coordinates &coordinates,
                     const char *arena, bool evaluation, const char *name,
                     float &value) {
  int holder = 0;
  while (holder < program.n_stages &&
         !find(program.stages[holder], evaluation, name))
    ++holder;
  if (holder == program.n_stages)
    return false;

  int64_t stage = stageOf(program, coordinates);
  if (const pcc_output *own = find(program.stages[stage], evaluation, name)) {
    HostView view(const_cast<char *>(arena) + own->arena_offset, sizeof(value),
                  backend::Access::Read);
    memcpy(&value, view.data(), sizeof(value));
  }
  if (holder > 0) {
    Coordinates root(program.n_axes, 0);
    root[stageAxis(program)] = holder;
    backend::broadcast(&value, sizeof(value),
                       static_cast<int>(rankOf(program, root)));
  }
  return true;
}

std::vector<std::string> pcc::outputNames(const pcc_program &program,
                                          const std::string &prefix) {
  std::vector<std::string> names;
  for (int i = 0; i < program.n_stages; ++i)
    for (int j = 0; j < program.stages[i].n_outputs; ++j) {
      std::string name = program.stages[i].outputs[j].name;
      if (name.compare(0, prefix.size(), prefix) == 0 &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  return names;
}
