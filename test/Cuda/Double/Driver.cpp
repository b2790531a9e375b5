//===- Driver.cpp - Test double of the CUDA driver ------------------------===//

#include "runtime/Chips.h"
#include "runtime/emulated/Emulator.h"
#include "test/Cuda/Double/Memory.h"
#include "test/Cuda/Double/Streams.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace fake;

static std::string lastCall = "the start";

static FILE *trace() {
  static FILE *file = [] {
    const char *path = getenv("PCC_DOUBLE_TRACE"), *rank = getenv("PCC_RANK");
    std::string own =
        std::string(path ? path : "") + (rank ? "." : "") + (rank ? rank : "");
    return path ? fopen(own.c_str(), "w") : nullptr;
  }();
  return file;
}

void fake::refuse(const std::string &what) {
  fprintf(stderr, "double: %s: %s\n", lastCall.c_str(), what.c_str());
  abort();
}

/// Whether this thread has a context, and whether it runs a host function.
static thread_local bool hasContext = false, isCalledByDevice = false;

void fake::note(const std::string &call) {
  lastCall = call;
  if (trace())
    fprintf(trace(), "%s\n", call.c_str());
}

/// The driver's manual does not define copies of 0 bytes.
static void requireBytes(size_t bytes) {
  if (!bytes)
    refuse("no bytes");
}

/// Checks the context and returns the stream of a call as text.
static std::string on(CUstream stream) {
  requireContext();
  streams().check(stream);
  return " stream " + std::to_string(stream->number);
}

CUresult fake::enqueue(CUstream stream, std::function<void()> run) {
  CUstream_st::Operation operation;
  operation.run = std::move(run);
  return streams().push(stream, std::move(operation));
}

/// The device error if $PCC_DOUBLE_ERROR names this call site: "wait", or "wait
/// 214 5", which is error 214 after five successful calls, or "wait 214 5 1",
/// on rank 1 only. A device that has failed stays failed.
static CUresult errorAt(const char *place) {
  static CUresult failed = CUDA_SUCCESS;
  static int64_t calls = 0;
  const char *given = getenv("PCC_DOUBLE_ERROR");
  if (failed || !given)
    return failed;
  char name[32] = "";
  int code = CUDA_ERROR_ILLEGAL_ADDRESS, after = 0, of = -1;
  sscanf(given, "%31s %d %d %d", name, &code, &after, &of);
  const char *rank = getenv("PCC_RANK");
  bool isOwn = of < 0 || (rank && atoi(rank) == of);
  if (isOwn && !strcmp(name, place) && calls++ >= after)
    failed = static_cast<CUresult>(code);
  return failed;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
struct Allocation {
  size_t bytes;
  char *device; ///< its host mapping; null: pinned memory of the host
  /// Whether it is part of `takenBytes` or of the host.
  bool isMapped = false;
};
} // namespace

/// All allocations by their first address.
static std::map<uintptr_t, Allocation> &allocations() {
  static auto &allocations = *new std::map<uintptr_t, Allocation>;
  return allocations;
}

static char *map(size_t bytes, int protection) {
  void *memory = mmap(nullptr, bytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    refuse("no memory");
  return static_cast<char *>(memory);
}

/// The allocation that contains a range of memory, and the range's offset in
/// it.
static const Allocation *find(uintptr_t place, size_t bytes, size_t &offset) {
  auto it = allocations().upper_bound(place);
  if (it == allocations().begin())
    return nullptr;
  --it;
  offset = place - it->first;
  return offset + bytes <= it->second.bytes ? &it->second : nullptr;
}

char *fake::reach(CUdeviceptr place, size_t bytes) {
  size_t offset = 0;
  const Allocation *found = find(place, bytes, offset);
  if (!found || !found->device)
    refuse("memory of the device that was not allocated");
  return found->device + offset;
}

static void requirePinned(const void *place, size_t bytes) {
  size_t offset = 0;
  const Allocation *found =
      find(reinterpret_cast<uintptr_t>(place), bytes, offset);
  if (!found || found->device)
    refuse("memory of the host that is not pinned");
}

void fake::requireContext() {
  if (isCalledByDevice)
    refuse("a function that the device has the host call asks for work");
  if (!hasContext)
    refuse("this thread has no context");
}

/// $PCC_DOUBLE_MIB: the device memory; the default is less than that of a small
/// GPU.
static size_t deviceBytes() {
  const char *given = getenv("PCC_DOUBLE_MIB");
  return (given ? strtoull(given, nullptr, 10) : 16384) << 20;
}

/// The bytes of takeDeviceBytes().
static size_t takenBytes = 0;

static size_t usedBytes() {
  size_t used = takenBytes;
  for (const auto &[place, allocation] : allocations())
    used += allocation.device && !allocation.isMapped ? allocation.bytes : 0;
  return used;
}

bool fake::takeDeviceBytes(size_t bytes) {
  if (bytes > deviceBytes() - usedBytes())
    return false;
  takenBytes += bytes;
  return true;
}

void fake::addMapped(CUdeviceptr place, size_t bytes) {
  char *device = map(bytes, PROT_READ | PROT_WRITE);
  memset(device, 0xff, bytes);
  allocations()[place] = {bytes, device, true};
}

CUresult cuMemAlloc(CUdeviceptr *place, size_t bytes) {
  note("cuMemAlloc " + std::to_string(bytes));
  requireContext();
  if (CUresult refused = streams().checkUnsafe())
    return refused;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes > deviceBytes() - usedBytes())
    return CUDA_ERROR_OUT_OF_MEMORY;
  // Kernels and GEMMs may rely on this alignment, and on no larger one.
  char *host = map(bytes + 512, PROT_NONE);
  uintptr_t first = (reinterpret_cast<uintptr_t>(host) + 256) & ~uintptr_t{255};
  char *device = map(bytes + 512, PROT_READ | PROT_WRITE);
  memset(device, 0xff, bytes);
  allocations()[first] = {bytes, device, false};
  *place = first;
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **place, size_t bytes, unsigned) {
  note("cuMemHostAlloc " + std::to_string(bytes));
  requireContext();
  if (CUresult refused = streams().checkUnsafe())
    return refused;
  char *memory = map(bytes, PROT_READ | PROT_WRITE);
  memset(memory, 0xff, bytes);
  allocations()[reinterpret_cast<uintptr_t>(memory)] = {bytes, nullptr, false};
  *place = memory;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free, size_t *total) {
  note("cuMemGetInfo");
  requireContext();
  *total = deviceBytes();
  *free = *total - usedBytes();
  return errorAt("");
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream stream) {
  note("cuMemcpyHtoDAsync " + std::to_string(bytes) + on(stream));
  requireBytes(bytes);
  requirePinned(from, bytes);
  char *place = reach(to, bytes);
  return enqueue(stream, [=] { memcpy(place, from, bytes); });
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  note("cuMemcpyDtoHAsync " + std::to_string(bytes) + on(stream));
  requireBytes(bytes);
  requirePinned(to, bytes);
  char *place = reach(from, bytes);
  return enqueue(stream, [=] { memcpy(to, place, bytes); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  note("cuMemcpyDtoDAsync " + std::to_string(bytes) + on(stream));
  requireBytes(bytes);
  char *target = reach(to, bytes), *source = reach(from, bytes);
  if (target < source + bytes && source < target + bytes)
    refuse("the pieces overlap");
  return enqueue(stream, [=] { memcpy(target, source, bytes); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                         CUstream stream) {
  note("cuMemsetD8Async " + std::to_string(bytes) + on(stream));
  requireBytes(bytes);
  char *place = reach(to, bytes);
  return enqueue(stream, [=] { memset(place, value, bytes); });
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// The indices of the devices that this process sees: of $PCC_DOUBLE_DEVICES
/// (1) those that CUDA_VISIBLE_DEVICES lists, up to the first invalid one.
static const std::vector<int> &devices() {
  static const std::vector<int> devices = [] {
    const char *given = getenv("PCC_DOUBLE_DEVICES"),
               *listed = getenv("CUDA_VISIBLE_DEVICES");
    int count = given ? atoi(given) : 1;
    std::vector<int> seen;
    for (int i = 0; !listed && i < count; ++i)
      seen.push_back(i);
    while (listed && *listed) {
      char *end;
      long number = strtol(listed, &end, 10);
      if (end == listed || number < 0 || number >= count)
        break;
      seen.push_back(static_cast<int>(number));
      listed = *end == ',' ? end + 1 : "";
    }
    return seen;
  }();
  return devices;
}

/// $PCC_DOUBLE_ERROR "init N" makes it fail.
CUresult cuInit(unsigned) {
  const char *connections = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  note(std::string("cuInit ") + (connections ? connections : ""));
  if (CUresult failed = errorAt("init"))
    return failed;
  return devices().empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
/// $CUDA_DOUBLE_VERSION: the CUDA version that the driver reports.
CUresult cuDriverGetVersion(int *version) {
  const char *given = getenv("CUDA_DOUBLE_VERSION");
  *version = given ? atoi(given) : CUDA_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char **text) {
  *text = "CUDA_ERROR_OF_THE_DOUBLE";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access"
          : error == CUDA_ERROR_NO_DEVICE ? "no CUDA-capable device is detected"
                                          : "an error of the double";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  note("cuDeviceGetCount");
  *count = static_cast<int>(devices().size());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= devices().size())
    refuse("there is no such device");
  *device = devices()[ordinal];
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *name, int bytes, CUdevice device) {
  snprintf(name, bytes, "0000:%02x:00.0", device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int bytes, CUdevice) {
  // $PCC_DOUBLE_NAME: the name of another GPU.
  const char *given = getenv("PCC_DOUBLE_NAME");
  snprintf(name, bytes, "%s", given ? given : "double of a GPU");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid *id, CUdevice device) {
  memset(id->bytes, 0xd0, sizeof(id->bytes));
  id->bytes[15] = static_cast<char>(device);
  return CUDA_SUCCESS;
}
/// $PCC_DOUBLE_CHIP: the chip of another GPU than sm_90.
static int chip() {
  const char *given = getenv("PCC_DOUBLE_CHIP");
  return given ? atoi(given) : pcc::kDefaultChip;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = chip() / 10;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = chip() % 10;
  else if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    *value = 132;
  else if (attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    *value = static_cast<int>(pcc::sharedOfBlock(chip()));
  else if (
      attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
      attribute ==
          CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
    *value = !getenv("PCC_DOUBLE_MAPS_NO_HOST");
  else if (attribute == CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID)
    *value = -1;
  else
    refuse("an attribute that it does not know");
  return CUDA_SUCCESS;
}
/// The context's device.
static CUdevice current = 0;

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  note("cuDevicePrimaryCtxRetain");
  static char made;
  current = device;
  *context = reinterpret_cast<CUcontext>(&made);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  hasContext = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  requireContext();
  *device = current;
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  note("cuStreamCreate");
  requireContext();
  if (flags != CU_STREAM_NON_BLOCKING)
    refuse("a stream that waits for the driver's own");
  *stream = streams().create();
  return CUDA_SUCCESS;
}
/// The priorities of real GPUs.
static const int leastPriority = 0, greatestPriority = -5;
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  requireContext();
  *least = leastPriority;
  *greatest = greatestPriority;
  return CUDA_SUCCESS;
}
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  CUresult error = cuStreamCreate(stream, flags);
  note("cuStreamCreateWithPriority " + std::to_string(priority));
  // A driver clamps to the nearest valid priority.
  if (priority > leastPriority || priority < greatestPriority)
    refuse("a priority that there is not");
  (*stream)->priority = priority;
  return error;
}
CUresult cuEventCreate(CUevent *event, unsigned flags) {
  note("cuEventCreate");
  requireContext();
  if (flags != CU_EVENT_DISABLE_TIMING)
    refuse("an event that measures time");
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  note("cuEventRecord" + on(stream));
  return streams().record(event, stream, /*isExternal=*/false);
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream,
                                unsigned flags) {
  note("cuEventRecordWithFlags" + on(stream));
  return streams().record(event, stream, flags == CU_EVENT_RECORD_EXTERNAL);
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  bool isExternal = flags == CU_EVENT_WAIT_EXTERNAL;
  note((isExternal ? "external cuStreamWaitEvent" : "cuStreamWaitEvent") +
       on(stream));
  return streams().wait(stream, event, isExternal);
}
CUresult cuEventQuery(CUevent event) {
  note("cuEventQuery");
  requireContext();
  CUresult error = streams().query(event);
  return error ? error : errorAt("wait");
}

CUresult cuEventSynchronize(CUevent event) {
  note("cuEventSynchronize");
  requireContext();
  CUresult error = streams().synchronize(event);
  return error ? error : errorAt("wait");
}
CUresult cuCtxSynchronize(void) {
  note("cuCtxSynchronize");
  requireContext();
  CUresult error = streams().synchronize();
  return error ? error : errorAt("wait");
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  note("cuLaunchHostFunc" + on(stream));
  return enqueue(stream, [=] {
    isCalledByDevice = true;
    function(data);
    isCalledByDevice = false;
  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

struct CUfunc_st {
  const pcc_emu_kernel *kernel;
  int64_t mostShared = 48 << 10;
};

struct CUmod_st {
  std::string names; ///< the image, which must contain the kernels' names
  void *code;
};

/// The file that $PCC_DOUBLE_KERNELS names, or, in the folder it names, the
/// shared object with this program's name.
static std::string kernelsPath() {
  const char *given = getenv("PCC_DOUBLE_KERNELS");
  std::string path = given ? given : "";
  if (!path.empty() && path.back() == '/')
    path += std::string(program_invocation_short_name) + ".so";
  return path;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  note("cuModuleLoadData");
  requireContext();
  if (CUresult refused = streams().checkUnsafe())
    return refused;
  auto *made = new CUmod_st;
  const auto *bytes = static_cast<const unsigned char *>(image);
  bool isElf = !memcmp(bytes, "\177ELF", 4);
  if (isElf) {
    // The image extends to the end of the section headers, which a cubin has
    // last or first.
    uint64_t sections;
    memcpy(&sections, bytes + 40, 8);
    uint16_t size, count, machine;
    memcpy(&size, bytes + 58, 2);
    memcpy(&count, bytes + 60, 2);
    memcpy(&machine, bytes + 18, 2);
    if (machine != 190)
      refuse("the image is not for GPUs");
    uint64_t end = sections + uint64_t{size} * count;
    for (int i = 0; i < count; ++i) {
      uint64_t offset, length;
      uint32_t type;
      memcpy(&type, bytes + sections + i * size + 4, 4);
      memcpy(&offset, bytes + sections + i * size + 24, 8);
      memcpy(&length, bytes + sections + i * size + 32, 8);
      if (type != 8) // no bytes in the file
        end = std::max(end, offset + length);
    }
    made->names.assign(reinterpret_cast<const char *>(image), end);
  } else {
    made->names = static_cast<const char *>(image);
    if (made->names.find(".target sm_") == std::string::npos)
      refuse("the image is neither a cubin nor PTX");
  }
  note(isElf ? "image cubin" : "image ptx");
  std::string path = kernelsPath();
  made->code =
      path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!made->code)
    refuse(path.empty() ? "PCC_DOUBLE_KERNELS names no code of kernels"
                        : dlerror());
  const char *seed = getenv("PCC_DOUBLE_SEED");
  pcc_emu_seed(seed ? strtoull(seed, nullptr, 10) : 0);
  pcc_emu_limit_shared(pcc::sharedOfBlock(chip()));
  *module = made;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  note(std::string("cuModuleGetFunction ") + name);
  if (module->names.find(name) == std::string::npos)
    refuse("the image has no such kernel");
  auto *kernels = static_cast<const pcc_emu_kernel *>(
      dlsym(module->code, "pcc_emu_kernels"));
  auto *count =
      static_cast<const int64_t *>(dlsym(module->code, "pcc_emu_kernel_count"));
  for (int64_t i = 0; kernels && count && i < *count; ++i)
    if (!strcmp(kernels[i].name, name)) {
      *function = new CUfunc_st{&kernels[i]};
      return CUDA_SUCCESS;
    }
  refuse("PCC_DOUBLE_KERNELS has no such kernel");
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  note("cuFuncSetAttribute");
  requireContext();
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    refuse("an attribute that it does not know");
  if (value < 0 || value > pcc::sharedOfBlock(chip()))
    return CUDA_ERROR_INVALID_VALUE;
  function->mostShared = value;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy,
                        unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **parameters,
                        void **extra) {
  const pcc_emu_kernel *kernel = function->kernel;
  note(std::string("cuLaunchKernel ") + kernel->name + on(stream));
  if (gx != kernel->grid || gy != 1 || gz != 1 || bx != kernel->block ||
      by != 1 || bz != 1 || shared != kernel->shared || extra)
    refuse("not as the kernel was compiled");
  if (shared > function->mostShared)
    refuse("more shared memory than was asked for");
  if (bx > 1024)
    refuse("more threads than a block may have");
  std::vector<void *> buffers;
  for (int64_t i = 0; i < kernel->buffer_count; ++i) {
    auto place = *static_cast<CUdeviceptr *>(parameters[i]);
    buffers.push_back(reach(place, kernel->buffers[i].bytes));
  }
  CUresult error =
      enqueue(stream, [=] { pcc_emu_launch(kernel, buffers.data()); });
  return error ? error : errorAt("launch");
}
