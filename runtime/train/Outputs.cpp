//===- Outputs.cpp - The scalar results of a step -------------------------===//

#include "runtime/train/Outputs.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;

const pcc_output *Outputs::List::find(const char *name) const {
  for (int i = 0; i < count; ++i)
    if (!strcmp(first[i].name, name))
      return &first[i];
  return nullptr;
}

Outputs::List Outputs::listOf(const pcc_stage &stage) const {
  return evaluation ? List{stage.eval_outputs, stage.n_eval_outputs}
                    : List{stage.outputs, stage.n_outputs};
}

Outputs::Outputs(const pcc_program &program, const Coordinates &coordinates,
                 bool evaluation)
    : program(program), evaluation(evaluation),
      own(listOf(program.stages[stageOf(program, coordinates)])) {
  for (std::vector<float> &slot : values)
    slot.resize(own.count);
}

void Outputs::request(const char *arena) {
  if (requested - taken == 2)
    fail(ExitInternal, "the scalars of three steps are pending");
  int slot = requested++ % 2;
  std::vector<backend::HostCopy> copies;
  for (int i = 0; i < own.count; ++i)
    copies.push_back({arena + own.first[i].arena_offset, &values[slot][i],
                      sizeof(values[slot][i])});
  backend::copyOut(slot, copies);
}

void Outputs::take() { backend::awaitCopies(taken++ % 2); }

bool Outputs::read(const char *name, float &value) const {
  int holder = 0;
  while (holder < program.n_stages &&
         !listOf(program.stages[holder]).find(name))
    ++holder;
  if (holder == program.n_stages)
    return false;
  if (const pcc_output *found = own.find(name))
    value = values[(taken - 1) % 2][found - own.first];
  if (holder > 0) {
    Coordinates root(program.n_axes, 0);
    root[stageAxis(program)] = holder;
    backend::broadcast(&value, sizeof(value),
                       static_cast<int>(rankOf(program, root)));
  }
  return true;
}

std::vector<std::string> Outputs::names(const std::string &prefix) const {
  std::vector<std::string> names;
  for (int i = 0; i < program.n_stages; ++i) {
    List list = listOf(program.stages[i]);
    for (int j = 0; j < list.count; ++j) {
      std::string name = list.first[j].name;
      if (name.compare(0, prefix.size(), prefix) == 0 &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  return names;
}
