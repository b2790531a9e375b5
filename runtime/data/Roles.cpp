//===- Roles.cpp - Roles of program inputs --------------------------------===//

#include "runtime/data/Roles.h"

#include <cstring>

using namespace pcc;

/// The names of the roles in programs, in the order of Role.
static const char *const names[] = {
    "tokens",         "targets",   "labels",       "data",
    "shared",         "positions", "samples",      "seed",
    "step",           "lr",        "weight_decay", "beta1",
    "beta2",          "eps",       "clip_grad",    "loss_scale_window",
    "document_starts"};
static_assert(sizeof(names) / sizeof(*names) ==
                  static_cast<size_t>(Role::Unknown),
              "every role has a name");

Role pcc::roleOf(const pcc_input &input) {
  int32_t role = 0;
  for (const char *name : names) {
    if (!strcmp(input.role, name))
      break;
    ++role;
  }
  return static_cast<Role>(role);
}

bool pcc::isFromDataset(Role role) {
  return role == Role::Tokens || role == Role::Targets ||
         role == Role::Labels || isNamed(role);
}

bool pcc::isNamed(Role role) {
  return role == Role::Data || role == Role::Shared;
}

bool pcc::isPaddingMask(const pcc_input &input) {
  constexpr const char *suffix = "attention_mask";
  size_t length = strlen(input.name), tail = strlen(suffix);
  bool isNamedSo =
      length >= tail && !strcmp(input.name + length - tail, suffix);
  return isNamedSo && roleOf(input) == Role::Data && input.layout.rank == 2 &&
         (input.dtype == PCC_I64 || input.dtype == PCC_I32);
}

bool pcc::isScalar(Role role) {
  return !isFromDataset(role) && role != Role::Positions &&
         role != Role::Samples && role != Role::DocumentStarts &&
         role != Role::Unknown;
}
