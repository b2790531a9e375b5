//===- Mapping.cpp - Memory mapped at reserved addresses ------------------===//

#include "test/Cuda/Double/Double.h"
#include "test/Cuda/Double/Memory.h"

#include <cstdlib>
#include <map>
#include <sys/mman.h>

using namespace fake;

/// The unit of all mappings, as of real devices.
static constexpr size_t kPage = size_t{2} << 20;

namespace {
/// Memory that was created and may be mapped once.
struct Created {
  size_t bytes;
  bool isOnDevice, isMapped;
};
/// A piece of reserved addresses with memory.
struct Mapped {
  size_t bytes;
  bool isOnDevice, isAccessible;
};
} // namespace

/// Reserved addresses with their sizes.
static std::map<CUdeviceptr, size_t> &reservations() {
  static auto &reservations = *new std::map<CUdeviceptr, size_t>;
  return reservations;
}

/// By handle, from 1.
static std::map<CUmemGenericAllocationHandle, Created> &created() {
  static auto &created = *new std::map<CUmemGenericAllocationHandle, Created>;
  return created;
}

static std::map<CUdeviceptr, Mapped> &mappings() {
  static auto &mappings = *new std::map<CUdeviceptr, Mapped>;
  return mappings;
}

/// $PCC_DOUBLE_HOST_MIB: the host memory that can be pinned.
static size_t hostBytes() {
  const char *given = getenv("PCC_DOUBLE_HOST_MIB");
  return (given ? strtoull(given, nullptr, 10) : 16384) << 20;
}

static bool isOnDevice(const CUmemAllocationProp *kind) {
  if (kind->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    refuse("a type of allocation that it does not know");
  if (kind->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    return true;
  if (kind->location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA ||
      kind->location.id != 0)
    refuse("a location that it does not know");
  return false;
}

CUresult cuMemGetAllocationGranularity(size_t *unit,
                                       const CUmemAllocationProp *kind,
                                       CUmemAllocationGranularity_flags) {
  note("cuMemGetAllocationGranularity");
  requireContext();
  isOnDevice(kind);
  *unit = kPage;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *place, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long) {
  note("cuMemAddressReserve " + std::to_string(bytes));
  requireContext();
  if (!bytes || bytes % kPage || alignment || wanted)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = mmap(nullptr, bytes + kPage, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    refuse("no memory");
  auto begin = reinterpret_cast<uintptr_t>(memory);
  *place = (begin + kPage - 1) / kPage * kPage;
  reservations()[*place] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *kind, unsigned long long) {
  bool onDevice = isOnDevice(kind);
  note("cuMemCreate " + std::to_string(bytes) +
       (onDevice ? " device" : " host"));
  requireContext();
  if (!bytes || bytes % kPage)
    return CUDA_ERROR_INVALID_VALUE;
  size_t pinned = 0;
  for (const auto &[number, memory] : created())
    pinned += memory.isOnDevice ? 0 : memory.bytes;
  if (onDevice ? !takeDeviceBytes(bytes) : bytes > hostBytes() - pinned)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = created().size() + 1;
  created()[*handle] = {bytes, onDevice, false};
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr place, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  note("cuMemMap " + std::to_string(bytes));
  requireContext();
  auto memory = created().find(handle);
  if (memory == created().end() || memory->second.isMapped || offset ||
      memory->second.bytes != bytes)
    refuse("not the whole of memory that is not mapped yet");
  auto reserved = reservations().upper_bound(place);
  if (reserved == reservations().begin() || place % kPage)
    refuse("addresses that are not reserved");
  --reserved;
  if (place + bytes > reserved->first + reserved->second)
    refuse("addresses that are not reserved");
  for (const auto &[other, mapped] : mappings())
    if (place < other + mapped.bytes && other < place + bytes)
      refuse("addresses that are mapped");
  memory->second.isMapped = true;
  mappings()[place] = {bytes, memory->second.isOnDevice, false};
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr place, size_t bytes,
                        const CUmemAccessDesc *access, size_t count) {
  note("cuMemSetAccess " + std::to_string(bytes));
  requireContext();
  auto mapped = mappings().find(place);
  if (mapped == mappings().end() || mapped->second.bytes != bytes ||
      mapped->second.isAccessible)
    refuse("not the whole of a mapping without access");
  if (count != 1 || access->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    refuse("an access that it does not know");
  mapped->second.isAccessible = true;
  addMapped(place, bytes);
  return CUDA_SUCCESS;
}
