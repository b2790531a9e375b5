//===- Numbers.cpp - Scalars that persist between steps -------------------===//

#include "runtime/model/Numbers.h"

#include "runtime/Backend.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <cstring>

using namespace pcc;

bool pcc::hasLossScale(const pcc_program &program) {
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_tensors; ++i) {
      const pcc_tensor &tensor = program.stages[s].tensors[i];
      if (tensor.kind == PCC_NUMBER && !strcmp(tensor.name, lossScaleName))
        return true;
    }
  return false;
}

Numbers pcc::readNumbers(const pcc_stage &stage, const char *arena) {
  Numbers values;
  for (int i = 0; i < stage.n_tensors; ++i) {
    const pcc_tensor &tensor = stage.tensors[i];
    if (tensor.kind != PCC_NUMBER)
      continue;
    HostView view(const_cast<char *>(arena) + tensor.arena_offset,
                  sizeOf(tensor.dtype), backend::Access::Read);
    int64_t value = 0;
    if (tensor.dtype == PCC_I64) {
      memcpy(&value, view.data(), sizeof(value));
    } else {
      double real = 0;
      convert(&real, PCC_F64, 1, view.data(), tensor.dtype, 1, 1);
      value = static_cast<int64_t>(real);
    }
    values[tensor.name] = value;
  }
  return values;
}

void pcc::writeNumbers(const pcc_stage &stage, char *arena,
                       const Numbers &values) {
  for (int i = 0; i < stage.n_tensors; ++i) {
    const pcc_tensor &tensor = stage.tensors[i];
    if (tensor.kind != PCC_NUMBER)
      continue;
    auto known = values.find(tensor.name);
    if (known == values.end())
      fail(ExitInternal,
           format("this runtime does not know the scalar '%s'", tensor.name));
    HostView view(arena + tensor.arena_offset, sizeOf(tensor.dtype),
                  backend::Access::Write);
    if (tensor.dtype == PCC_I64) {
      memcpy(view.data(), &known->second, sizeof(int64_t));
      continue;
    }
    auto real = static_cast<double>(known->second);
    convert(view.data(), tensor.dtype, 1, &real, PCC_F64, 1, 1);
  }
}

bool pcc::areValid(const Numbers &values) {
  for (auto &[name, value] : values)
    if (value < 0)
      return false;
  auto scale = values.find(lossScaleName);
  if (scale == values.end())
    return true;
  int64_t value = scale->second;
  return value >= 1 && value <= PCC_MOST_LOSS_SCALE && !(value & (value - 1));
}
