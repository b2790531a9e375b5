//===- Device.cpp - The device of a rank ----------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Context.h"
#include "runtime/exchange/Exchange.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/launch/Launch.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdlib>

using namespace pcc;
using namespace pcc::cuda;

static int attributeOf(CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, attribute, device),
        "a question about the device");
  return value;
}

/// Whether a receive may be under way while the host issues what the sender
/// waits for: then nothing may be loaded that the driver would wait with until
/// the device is idle, as it may with a kernel that is launched for the first
/// time.
static bool receivesAhead() {
  const pcc_program &program = pcc_the_program;
  return std::any_of(program.ways, program.ways + program.n_ways,
                     [](const pcc_way &way) { return way.beside; });
}

backend::Devices backend::findDevices() {
  Devices found;
  found.count = 0;
  const Driver *driver = findDriver(found.missing, found.note);
  if (!driver)
    return found;
  if (receivesAhead())
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  CUresult begun = driver->cuInit(0);
  int count = 0;
  if (begun == CUDA_SUCCESS)
    begun = driver->cuDeviceGetCount(&count);
  found.count = begun == CUDA_SUCCESS ? count : 0;
  if (found.count)
    return found;
  const char *text = nullptr;
  if (begun != CUDA_SUCCESS)
    driver->cuGetErrorString(begun, &text);
  found.missing =
      format("no CUDA device: %s", text ? text : "the driver has found none");
  found.note = "nvidia-smi lists devices; CUDA_VISIBLE_DEVICES may hide them";
  return found;
}

/// That of this rank's number on its host. A launcher may show each rank a
/// device of its own, as the only one.
static int chooseNumber(int64_t count) {
  Launch launch = findLaunch();
  int64_t local = launch.localRank;
  if (local < 0)
    local = exchange::neighbors().index;
  if (local >= count && count > 1 && !sharesDevices())
    fail(ExitDevice,
         format("this is rank %lld of its host, counted from 0, which has %lld "
                "devices",
                static_cast<long long>(local), static_cast<long long>(count)),
         "each rank needs a device; for tests, PCC_SHARE_DEVICES=1 lets ranks "
         "share devices");
  return static_cast<int>(local % count);
}

static Device choose() {
  backend::Devices found = backend::findDevices();
  if (!found.count)
    fail(ExitDevice, found.missing, found.note);
  int own = chooseNumber(found.count);
  Device device;
  check(driver().cuDeviceGet(&device.number, own), "the choice of a device");
  char name[256] = "";
  check(driver().cuDeviceGetName(name, sizeof(name), device.number),
        "a question about the device");
  device.name = name;
  device.chip =
      10 * attributeOf(device.number,
                       CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
      attributeOf(device.number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  check(driver().cuDevicePrimaryCtxRetain(&device.context, device.number),
        "the start of the device");
  check(driver().cuCtxSetCurrent(device.context), "the start of the device");
  return device;
}

std::string backend::deviceReport() { return ""; }

const Device &cuda::device() {
  static const Device chosen = choose();
  return chosen;
}
