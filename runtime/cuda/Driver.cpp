//===- Driver.cpp - NVIDIA's driver ---------------------------------------===//

#include "runtime/cuda/Driver.h"

#include "runtime/cuda/Graphs.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <vector>

using namespace pcc;
using namespace pcc::cuda;

/// The version of the toolkit that assembles kernels; its code needs a driver
/// at least as recent.
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
  // First, as older drivers lack functions.
  library.find(PCC_CUDA_NAME(cuDriverGetVersion), table.cuDriverGetVersion);
  opened.isThere = versionOf(table) >= oldestDriver;
  if (!opened.isThere) {
    opened.missing =
        format("no CUDA device: the driver is one for CUDA %s, "
               "and CUDA %s is needed",
               driverText(table).c_str(), cudaText(oldestDriver).c_str());
    opened.note =
        "install a driver of version 580 or later; data-centre GPUs also run "
        "with NVIDIA's package cuda-compat-13-0 and its folder in the "
        "environment: LD_LIBRARY_PATH=/usr/local/cuda-13.0/compat";
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

/// The entry that was issued last, and whether the device has completed it
/// before.
static pcc_step_fn entry = nullptr;
static bool hasComputed = false;

static std::vector<pcc_step_fn> &computedEntries() {
  static auto &entries = *new std::vector<pcc_step_fn>;
  return entries;
}

void cuda::noteEntry(pcc_step_fn begun) {
  const std::vector<pcc_step_fn> &known = computedEntries();
  entry = begun;
  hasComputed = std::find(known.begin(), known.end(), begun) != known.end();
}

void cuda::noteComputed() {
  if (!hasComputed)
    computedEntries().push_back(entry);
  hasComputed = true;
}

/// The cause of a driver error.
enum class Cause {
  Call,     ///< the driver rejects the call
  Work,     ///< the device found it while working, now or before
  Hardware, ///< only a hardware fault can cause it
  Loss,     ///< of the device; at the start there may have been none
};

static Cause causeOf(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    return Cause::Work;
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return Cause::Hardware;
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_OPERATING_SYSTEM:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_UNKNOWN:
    return Cause::Loss;
  default:
    return Cause::Call;
  }
}

/// Whether an error is a device failure, after which a batch system may restart
/// the job on another device. An entry that completed before has proved its
/// code correct: it uses the same addresses each time.
static bool isDeviceFailure(CUresult result) {
  Cause cause = causeOf(result);
  return cause == Cause::Hardware || (hasComputed && cause != Cause::Call);
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
  if (isDeviceFailure(result))
    fail(ExitCommunication, message,
         hasComputed ? "this device has computed steps before: look for its "
                       "Xid in the kernel's log (dmesg), and at nvidia-smi -q; "
                       "--resume goes on from the last checkpoint"
                     : "look for its Xid in the kernel's log (dmesg), and at "
                       "nvidia-smi -q");
  if (causeOf(result) != Cause::Work && *graphsHint())
    fail(ExitDevice, message, graphsHint());
  fail(ExitDevice, message,
       format("this may be an earlier, asynchronous error: "
              "%sCUDA_LAUNCH_BLOCKING=1 "
              "makes launches synchronous",
              usesGraphs() ? "with --no-cuda-graphs " : ""));
}

void cuda::checkDevice(const char *what) {
  // A failed device fails every call of the driver.
  size_t free, total;
  CUresult result = driver().cuMemGetInfo(&free, &total);
  if (isDeviceFailure(result))
    check(result, what);
}
