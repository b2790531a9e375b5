//===- Driver.cpp - NVIDIA's driver ---------------------------------------===//

#include "runtime/cuda/Driver.h"

#include "runtime/cuda/Graphs.h"
#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

/// The toolkit that kernels are assembled by: its code runs on drivers that are
/// not older.
static const int oldestDriver = 13000;

namespace {
struct Opened {
  bool isThere = false;
  Driver table;
  std::string missing, note;
};
} // namespace

static std::string cudaText(int version) {
  return format("%d.%d", version / 1000, version % 1000 / 10);
}

static int versionOf(const Driver &driver) {
  int version = 0;
  driver.cuDriverGetVersion(&version);
  return version;
}

std::string cuda::driverText(const Driver &driver) {
  return cudaText(versionOf(driver));
}

static Opened open() {
  Opened opened;
  Library library("libcuda.so.1", Library::Part::Driver);
  if (!library.isOpen()) {
    opened.missing =
        "no CUDA device: libcuda.so.1, a part of NVIDIA's driver, was not "
        "found: looked in " +
        library.tried();
    opened.note = "run it where a driver is installed, or compile with "
                  "--target cpu or cuda-emulated";
    return opened;
  }
  Driver &table = opened.table;
  // First: one that is too old lacks functions.
  library.find(PCC_CUDA_NAME(cuDriverGetVersion), table.cuDriverGetVersion);
  opened.isThere = versionOf(table) >= oldestDriver;
  if (!opened.isThere) {
    opened.missing =
        format("no CUDA device: the driver is one for CUDA %s, "
               "and CUDA %s is needed",
               driverText(table).c_str(), cudaText(oldestDriver).c_str());
    opened.note = "install a later driver of NVIDIA";
    return opened;
  }
#define PCC_FUNCTION(name) library.find(PCC_CUDA_NAME(name), table.name);
#include "runtime/cuda/Driver.def"
  return opened;
}

const Driver *cuda::findDriver(std::string &missing, std::string &note) {
  static const Opened &opened = *new Opened(open());
  missing = opened.missing;
  note = opened.note;
  return opened.isThere ? &opened.table : nullptr;
}

const Driver &cuda::driver() {
  static const Driver *const found = [] {
    std::string missing, note;
    const Driver *driver = findDriver(missing, note);
    if (!driver)
      fail(ExitDevice, missing, note);
    return driver;
  }();
  return *found;
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
  // What a device found, now or before, was not refused.
  bool isFound = result >= CUDA_ERROR_ILLEGAL_ADDRESS &&
                 result <= CUDA_ERROR_LAUNCH_FAILED;
  if (!isFound && *graphsWayOut())
    fail(ExitDevice, message, graphsWayOut());
  fail(ExitDevice, message,
       format("an error of work before may show here: %sCUDA_LAUNCH_BLOCKING=1 "
              "has kernels end one by one",
              usesGraphs() ? "with --no-cuda-graphs " : ""));
}
