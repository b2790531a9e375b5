//===- Arena.cpp - Device memory of a rank --------------------------------===//
//
// One allocation holds the arena, the workspace of the libraries and the
// program's constants. If the program offloads, memory of the host is mapped
// before it, at the next lower addresses:
//
//     [ offloaded range | rest of the arena | workspace | constants ]
//       host              device
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>

using namespace pcc;
using namespace pcc::cuda;

static Extra afterArena;

const Extra &cuda::extra() { return afterArena; }

int64_t cuda::bytesInUse() {
  size_t free = 0, total = 0;
  check(driver().cuMemGetInfo(&free, &total), "the query of free memory");
  return static_cast<int64_t>(total - free);
}

std::string cuda::freeText() {
  size_t free = 0, total = 0;
  driver().cuMemGetInfo(&free, &total);
  return format("%s of the %s of '%s' are free",
                bytesText(static_cast<int64_t>(free)).c_str(),
                bytesText(static_cast<int64_t>(total)).c_str(),
                device().name.c_str());
}

/// Rounds up to an alignment that satisfies libraries and kernels.
static int64_t aligned(int64_t bytes) { return (bytes + 255) / 256 * 256; }

/// Writes the constants, some of which depend on this rank's index in a
/// communicator.
static void writeConstants(const pcc_program &program) {
  for (int i = 0; i < program.n_constants; ++i) {
    const pcc_constant &constant = program.constants[i];
    HostView view(reinterpret_cast<char *>(afterArena.constants +
                                           i * int64_t{PCC_ALIGNMENT}),
                  sizeof(constant.value), backend::Access::Write);
    int64_t index = constant.comm < 0 ? 1 : communicator(constant.comm).index;
    *static_cast<int64_t *>(view.data()) = constant.value * index;
  }
}

static int attributeOf(CUdevice_attribute attribute) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, attribute, device().number),
        "the query of a device attribute");
  return value;
}

/// The kind of memory that a location has.
static CUmemAllocationProp memoryAt(CUmemLocationType type, int id) {
  CUmemAllocationProp kind = {};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location.type = type;
  kind.location.id = id;
  return kind;
}

/// The host's memory that is nearest to the device. Exits with ExitDevice if
/// the device cannot map it.
static CUmemAllocationProp hostMemory() {
  if (!attributeOf(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
      !attributeOf(
          CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED))
    fail(ExitDevice,
         format("the program offloads optimizer state, but '%s' cannot map the "
                "host's memory",
                device().name.c_str()),
         "compile it without pcc's --offload");
  // -1: the host has one node.
  int node = attributeOf(CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID);
  return memoryAt(CU_MEM_LOCATION_TYPE_HOST_NUMA, std::max(node, 0));
}

/// The unit in which memory is mapped.
static int64_t granularityOf(const CUmemAllocationProp &kind) {
  size_t unit = 0;
  check(driver().cuMemGetAllocationGranularity(
            &unit, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "the query of the size of pages");
  return static_cast<int64_t>(unit);
}

/// Maps new memory at reserved addresses.
static CUresult mapAt(CUdeviceptr at, int64_t bytes,
                      const CUmemAllocationProp &kind) {
  CUmemGenericAllocationHandle handle = 0;
  if (CUresult result = driver().cuMemCreate(&handle, bytes, &kind, 0))
    return result;
  check(driver().cuMemMap(at, bytes, 0, handle, 0), "the mapping of memory");
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device().number;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  check(driver().cuMemSetAccess(at, bytes, &access, 1),
        "the mapping of memory");
  return CUDA_SUCCESS;
}

/// Maps `ofHost` bytes of the host and then at least `ofDevice` bytes of the
/// device at consecutive addresses from `memory` on. Exits with ExitMemory if
/// the host has no such memory.
static CUresult mapWithHost(CUdeviceptr &memory, int64_t ofHost,
                            int64_t ofDevice) {
  CUmemAllocationProp host = hostMemory(),
                      own = memoryAt(CU_MEM_LOCATION_TYPE_DEVICE,
                                     device().number);
  int64_t unit = granularityOf(own);
  if (ofHost % granularityOf(host) || ofHost % unit)
    fail(ExitDevice,
         format("the program offloads %s, which is no multiple of the device's "
                "pages",
                bytesText(ofHost).c_str()),
         "compile it without pcc's --offload");
  ofDevice = (ofDevice + unit - 1) / unit * unit;
  check(driver().cuMemAddressReserve(&memory, ofHost + ofDevice, 0, 0, 0),
        "the reservation of addresses");
  if (CUresult result = mapAt(memory + ofHost, ofDevice, own))
    return result;
  CUresult result = mapAt(memory, ofHost, host);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    fail(ExitMemory,
         format("out of memory: this host cannot pin the %s of optimizer state "
                "that a rank offloads",
                bytesText(ofHost).c_str()),
         "more ranks with a higher --tp, --pp or --zero offload less each");
  check(result, "the allocation of the host's memory");
  return CUDA_SUCCESS;
}

/// Exits because memory of the device is missing.
[[noreturn]] static void refuseBytes(int64_t bytes) {
  fail(ExitMemory,
       format("out of memory: this rank needs %s, %s", bytesText(bytes).c_str(),
              freeText().c_str()),
       "a smaller micro batch, pcc's --offload optimizer, or more GPUs with a "
       "higher --tp or --pp, need less");
}

char *backend::allocateArena(int64_t bytes, int64_t kept,
                             const Offload &offload) {
  const pcc_program &program = pcc_the_program;
  int64_t arena = aligned(bytes);
  int64_t all = arena - offload.bytes + int64_t{PCC_WORKSPACE_BYTES} +
                program.n_constants * PCC_ALIGNMENT;
  CUdeviceptr memory = 0;
  CUresult result = offload.bytes ? mapWithHost(memory, offload.bytes, all)
                                  : driver().cuMemAlloc(&memory, all);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    refuseBytes(all);
  check(result, "the allocation of memory");
  CUdeviceptr rest = memory + offload.bytes;
  connectCollectives(reinterpret_cast<char *>(rest));
  // A clear of both memories at once would be one of unclear location.
  int64_t keptOfHost = std::min(kept, offload.bytes);
  if (keptOfHost > 0)
    check(driver().cuMemsetD8Async(memory, 0, keptOfHost, computeStream()),
          "a clear of the host's memory");
  if (kept > keptOfHost)
    check(driver().cuMemsetD8Async(rest, 0, kept - keptOfHost, computeStream()),
          "a clear of memory");
  afterArena.workspace = memory + arena;
  afterArena.constants = afterArena.workspace + int64_t{PCC_WORKSPACE_BYTES};
  writeConstants(program);
  return reinterpret_cast<char *>(memory);
}
