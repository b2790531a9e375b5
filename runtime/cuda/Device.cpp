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
        "the query of a device attribute");
  return value;
}

/// Whether a receive may be in flight while the host issues the work that its
/// sender waits for. Then nothing may be loaded lazily: the driver may block
/// until the device is idle, for example at a kernel's first launch.
static bool receivesAhead() {
  const pcc_program &program = pcc_the_program;
  return std::any_of(
      program.channels, program.channels + program.n_channels,
      [](const pcc_channel &channel) { return channel.overlapped; });
}

/// The user's $CUDA_DEVICE_MAX_CONNECTIONS, if it was too small and was raised;
/// else 0.
static int tooFewConnections = 0;
static const char *const connectionsName = "CUDA_DEVICE_MAX_CONNECTIONS";
/// The driver's default and maximum.
static const int usualConnections = 8, mostConnections = 32;

/// Streams that share a hardware connection of the device serialize. Requests
/// one connection per stream: those of compiled code, the two launchers of
/// graphs, and one for NCCL. cuInit() reads the variable.
static void chooseConnections() {
  const pcc_program &program = pcc_the_program;
  int streams = 0;
  for (int i = 0; i < program.n_stages; ++i)
    streams = std::max<int>(streams, program.stages[i].n_streams);
  // A single stream is in order anyway.
  if (streams < 2)
    return;
  int wanted = std::clamp(streams + 3, usualConnections, mostConnections);
  const char *text = getenv(connectionsName);
  int given = text ? atoi(text) : usualConnections;
  if (given >= wanted || (text && given <= 0))
    return;
  if (text)
    tooFewConnections = given;
  setenv(connectionsName, std::to_string(wanted).c_str(), 1);
}

void cuda::warnOfConnections() {
  if (tooFewConnections && backend::rank() == 0)
    warn(format("%s=%d would serialize streams of the device: "
                "this run sets it to %s",
                connectionsName, tooFewConnections, getenv(connectionsName)));
}

/// A hint for a driver that does not start.
static const char *hint(CUresult result) {
  switch (result) {
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    return "forward compatibility (cuda-compat) is for data-centre GPUs alone: "
           "install a driver of version 580 or later, and take the package's "
           "folder out of LD_LIBRARY_PATH";
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    return "libcuda.so.1 and the kernel's driver do not fit: a cuda-compat "
           "package that LD_LIBRARY_PATH names must be newer than the driver, "
           "and the driver of a branch that it supports";
  default:
    return "nvidia-smi lists devices; CUDA_VISIBLE_DEVICES may hide them";
  }
}

backend::Devices backend::findDevices() {
  Devices found;
  found.count = 0;
  const Driver *driver = findDriver(found.missing, found.note);
  if (!driver)
    return found;
  if (receivesAhead())
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  chooseConnections();
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
  found.note = hint(begun);
  return found;
}

/// The device number of this rank's index on its host. A launcher may also show
/// each rank one device only.
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
        "the query of the device's name");
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
