//===- Driver.cpp - NVIDIA's driver ---------------------------------------===//

#include "runtime/cuda/Driver.h"

#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

/// The toolkit that kernels are assembled by: its code runs on drivers that are
/// not older.
static const int oldestDriver = 13000;

static Driver open() {
  Library library("libcuda.so.1", Library::Part::Driver);
  if (!library.isOpen())
    fail(ExitDevice,
         "no CUDA device: libcuda.so.1, a part of NVIDIA's driver, was not "
         "found: looked in " +
             library.tried(),
         "run it where a driver is installed, or compile with --target cpu or "
         "cuda-emulated");
  Driver table;
#define PCC_FUNCTION(name) library.find(PCC_CUDA_NAME(name), table.name);
#include "runtime/cuda/Driver.def"
  int version = 0;
  table.cuDriverGetVersion(&version);
  if (version < oldestDriver)
    fail(ExitDevice,
         format("no CUDA device: the driver is one for CUDA %d.%d, and CUDA "
                "%d.%d is needed",
                version / 1000, version % 1000 / 10, oldestDriver / 1000,
                oldestDriver % 1000 / 10),
         "install a later driver of NVIDIA");
  return table;
}

const Driver &cuda::driver() {
  static const Driver table = open();
  return table;
}

void cuda::check(CUresult result, const char *what, const char *subject,
                 const char *node) {
  if (result == CUDA_SUCCESS)
    return;
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  std::string message =
      format("the GPU failed at %s%s%s: %s (%s)", what, subject,
             *node ? format(", of '%s'", node).c_str() : "",
             text ? text : "unknown error",
             name ? name : std::to_string(static_cast<int>(result)).c_str());
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    fail(ExitMemory, "out of memory: " + message);
  fail(ExitDevice, message,
       "an error of work before may show here: CUDA_LAUNCH_BLOCKING=1 has "
       "kernels end one by one");
}
