//===- Nccl.cpp - The double of NCCL --------------------------------------===//
//
// A test double of libnccl.so.2, as far as runtime/cuda calls it, for machines
// without a GPU. Data is copied to the host on the operation's stream, sent
// between processes by local sockets, and copied back. It calls only the
// driver, real or its double, and is as asynchronous as its streams:
//
//   stream: copy to the host | host function: send, receive, add | copy back
//
// Captured operations keep their memory for each launch of the graph. Launches
// are ordered within a graph and outside of graphs, but not from one graph to
// the next.
//
// Ranks connect when they first send to each other, and when a collective of a
// kind, type, reduction and size is first issued. The device then allocates 64
// KiB for each channel to a peer, and the host waits until the device is idle.
// A program that does so during a capture ends.
//
// Sums are in the order of ranks, unless switches may add (NVLS): the order
// then differs from call to call and from start to start.
//
// Two ranks on one device of a host are rejected; NCCL_HOSTID splits one
// machine into several hosts.
//
// Before the data every rank sends each other rank its description of the
// operation. Ranks that disagree end the process with both descriptions instead
// of a hang, and so does an operation that waits for too long.
//
//   NCCL_DOUBLE_VERSION=N  the version it reports, such as 22500, which does
//                          not order launches
//   NCCL_DOUBLE_FAIL=R:N   on rank R of a communicator the N-th collective
//                          never ends and raises an asynchronous error;
//                          R:N:message: the N-th transfer; R:N:connect: the
//                          N-th collective by which ranks connect, which the
//                          other two do not count. If the device has too little
//                          memory for a connection: ncclUnhandledCudaError
//   NCCL_DOUBLE_SECONDS=S  how long an operation may wait (120)
//
//===----------------------------------------------------------------------===//

#include "test/Cuda/Double/Nccl.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <sys/random.h>
#include <type_traits>

using namespace fake;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {
struct Driver {
  decltype(&cuLaunchHostFunc) launch;
  decltype(&cuMemcpyDtoHAsync) toHost;
  decltype(&cuMemcpyHtoDAsync) toDevice;
  decltype(&cuMemHostAlloc) allocate;
  decltype(&cuEventCreate) makeEvent;
  decltype(&cuEventRecord) record;
  decltype(&cuStreamWaitEvent) wait;
  decltype(&cuStreamGetCaptureInfo) captureInfo;
  decltype(&cuCtxSynchronize) synchronize;
  decltype(&cuMemAlloc) allocateDevice;
  decltype(&cuCtxGetDevice) device;
  decltype(&cuDeviceGetPCIBusId) busOf;
};

/// Pinned memory that operations reuse.
struct Memory {
  char *data = nullptr;
  size_t bytes = 0;
};

/// One transfer of an operation; a collective has exactly one.
struct Part {
  Kind kind;
  ncclDataType_t type;
  ncclRedOp_t reduction;
  const void *in; ///< null: none
  void *out;      ///< null: none
  size_t inBytes, outBytes;
  int peer; ///< of a transfer
  Memory from, to;
};

struct Operation {
  ncclComm *comm;
  std::vector<Part> parts;
  bool isCaptured; ///< launches of the graph may perform it again
  bool connects;   ///< a collective that is the first of its kind and size
};
} // namespace

static const Driver &driver() {
  static const Driver driver = [] {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
      die(dlerror());
    auto find = [&](const char *name, auto &function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, name));
      if (!function)
        die(std::string("the driver lacks ") + name);
    };
#define NAME_OF(function) NAME_OF_EXPANDED(function)
#define NAME_OF_EXPANDED(function) #function
    Driver found;
    find(NAME_OF(cuLaunchHostFunc), found.launch);
    find(NAME_OF(cuMemcpyDtoHAsync), found.toHost);
    find(NAME_OF(cuMemcpyHtoDAsync), found.toDevice);
    find(NAME_OF(cuMemHostAlloc), found.allocate);
    find(NAME_OF(cuEventCreate), found.makeEvent);
    find(NAME_OF(cuEventRecord), found.record);
    find(NAME_OF(cuStreamWaitEvent), found.wait);
    find(NAME_OF(cuStreamGetCaptureInfo), found.captureInfo);
    find(NAME_OF(cuCtxSynchronize), found.synchronize);
    find(NAME_OF(cuMemAlloc), found.allocateDevice);
    find(NAME_OF(cuCtxGetDevice), found.device);
    find(NAME_OF(cuDeviceGetPCIBusId), found.busOf);
    return found;
  }();
  return driver;
}

static void check(CUresult result, const char *what) {
  if (result != CUDA_SUCCESS)
    die(std::string(what) + ": the driver says " +
        std::to_string(static_cast<int>(result)));
}

static int version() {
  return setting("NCCL_DOUBLE_VERSION", NCCL_VERSION_CODE);
}
//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static std::mutex memoryMutex;
static std::vector<Memory> spare;

static Memory take(size_t bytes) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  for (size_t i = 0; i < spare.size(); ++i)
    if (spare[i].bytes >= bytes) {
      Memory found = spare[i];
      spare.erase(spare.begin() + static_cast<ptrdiff_t>(i));
      return found;
    }
  Memory made;
  made.bytes = std::max<size_t>(bytes, 1 << 16);
  void *data;
  check(driver().allocate(&data, made.bytes, 0), "pinned memory");
  made.data = static_cast<char *>(data);
  return made;
}

/// Whether switches may reduce in hardware (NVLS).
static bool switchesAdd() {
  const char *enabled = getenv("NCCL_NVLS_ENABLE"),
             *algorithms = getenv("NCCL_ALGO");
  return algorithms ? strstr(algorithms, "NVLS") && algorithms[0] != '^'
                    : !enabled || strcmp(enabled, "0") != 0;
}

static void runCollective(ncclComm &comm, uint64_t number, Part &part) {
  Header header = {part.kind,
                   static_cast<uint32_t>(part.type),
                   static_cast<uint32_t>(part.reduction),
                   0,
                   number,
                   part.inBytes};
  std::vector<std::vector<char>> others(comm.size);
  std::deque<Flow> flows;
  for (int rank = 0; rank < comm.size; ++rank) {
    if (rank == comm.rank)
      continue;
    others[rank].resize(part.inBytes);
    flows.push_back({rank, true, header, part.from.data, part.inBytes});
    flows.push_back({rank, false, header, others[rank].data(), part.inBytes});
  }
  moveAll(comm, flows);
  std::vector<const char *> blocks;
  for (int rank = 0; rank < comm.size; ++rank)
    blocks.push_back(rank == comm.rank ? part.from.data : others[rank].data());
  if (part.kind == AllGather) {
    for (int rank = 0; rank < comm.size; ++rank)
      memcpy(part.to.data + rank * part.inBytes, blocks[rank], part.inBytes);
    return;
  }
  if (part.kind == ReduceScatter)
    for (const char *&block : blocks)
      block += comm.rank * part.outBytes;
  if (switchesAdd())
    std::rotate(blocks.begin(),
                blocks.begin() + (comm.seed + number) % blocks.size(),
                blocks.end());
  combine(blocks, part.to.data, part.outBytes, part.type, part.reduction);
}

static void runMessages(Operation &operation) {
  ncclComm &comm = *operation.comm;
  std::deque<Flow> flows;
  std::deque<const Part *> toSelf;
  for (Part &part : operation.parts) {
    bool sends = part.in;
    if (part.peer == comm.rank && sends) {
      toSelf.push_back(&part);
      continue;
    }
    if (part.peer == comm.rank) {
      if (toSelf.empty() || toSelf.front()->inBytes != part.outBytes)
        die("a message of a rank to itself that it does not send");
      memcpy(part.to.data, toSelf.front()->from.data, part.outBytes);
      toSelf.pop_front();
      continue;
    }
    uint64_t &count = (sends ? comm.sent : comm.received)[part.peer];
    size_t bytes = sends ? part.inBytes : part.outBytes;
    Header header = {Message, static_cast<uint32_t>(part.type), 0, 0, count++,
                     bytes};
    flows.push_back({part.peer, sends, header,
                     sends ? part.from.data : part.to.data, bytes});
  }
  moveAll(comm, flows);
}

static void CUDA_CB perform(void *given) {
  auto &operation = *static_cast<Operation *>(given);
  ncclComm &comm = *operation.comm;
  bool isMessage = operation.parts[0].kind == Message;
  int rank = 0, number = 0;
  char kind[16] = "";
  const char *fails = getenv("NCCL_DOUBLE_FAIL");
  const char *own = isMessage ? "message" : operation.connects ? "connect" : "";
  uint64_t &index = isMessage            ? comm.performed[1]
                    : operation.connects ? comm.connections
                                         : comm.others;
  if (fails && sscanf(fails, "%d:%d:%15s", &rank, &number, kind) >= 2 &&
      rank == comm.rank && !strcmp(kind, own) &&
      index == static_cast<uint64_t>(number))
    hang(comm);
  std::lock_guard<std::mutex> lock(comm.mutex);
  uint64_t count = comm.performed[isMessage]++;
  if (!isMessage)
    ++index;
  if (isMessage)
    runMessages(operation);
  else
    runCollective(comm, count, operation.parts[0]);
}

static void CUDA_CB finish(void *given) {
  auto *operation = static_cast<Operation *>(given);
  std::lock_guard<std::mutex> lock(memoryMutex);
  for (const Part &part : operation->parts)
    for (const Memory &memory : {part.from, part.to})
      if (memory.data)
        spare.push_back(memory);
  delete operation;
}

/// The id of the capture that a stream is part of; 0: none.
static uint64_t captureOf(cudaStream_t stream) {
  CUstreamCaptureStatus status;
  cuuint64_t number = 0;
  check(driver().captureInfo(stream, &status, &number, nullptr, nullptr,
                             nullptr, nullptr),
        "a question about a capture");
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? 0 : number;
}

/// With NCCL_LAUNCH_ORDER_IMPLICIT a launch waits for the previous one, unless
/// that is in another graph.
static void keepOrder(cudaStream_t stream, bool isBehind) {
  const char *asked = getenv("NCCL_LAUNCH_ORDER_IMPLICIT");
  const int since = 22600;
  if (!asked || strcmp(asked, "1") != 0 || version() < since)
    return;
  static CUevent last = nullptr;
  static uint64_t capture = 0;
  if (!last)
    check(driver().makeEvent(&last, CU_EVENT_DISABLE_TIMING), "an event");
  static bool isRecorded = false;
  uint64_t now = captureOf(stream);
  if (now != capture)
    isRecorded = false;
  capture = now;
  if (isBehind) {
    check(driver().record(last, stream), "an event");
    isRecorded = true;
  } else if (isRecorded) {
    check(driver().wait(stream, last, CU_EVENT_WAIT_DEFAULT), "an event");
  }
}

/// Whether the device had no memory for a connection.
static bool isOutOfMemory = false;

/// Allocates the buffers of `channels` channels.
static void allocateChannels(int channels) {
  const size_t bytes = 64 << 10;
  CUdeviceptr place;
  CUresult result = driver().allocateDevice(&place, channels * bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    isOutOfMemory = true;
  else
    check(result, "buffers");
}

/// Establishes the connections of an operation. The host waits until the device
/// is idle, which may include a receive whose sender waits for this rank.
/// Returns false if the connections existed.
static bool connect(ncclComm &comm, const Part &part, cudaStream_t stream) {
  bool isMessage = part.kind == Message;
  if (isMessage && part.peer == comm.rank)
    return false;
  std::array<uint64_t, 4> key = {part.kind, static_cast<uint64_t>(part.peer),
                                 part.in != nullptr, 0};
  if (!isMessage)
    key = {part.kind, part.type, part.reduction, part.inBytes};
  if (!comm.connected.insert(key).second)
    return false;
  if (captureOf(stream))
    die("ranks are connected while a graph is recorded, others of which may "
        "be under way");
  check(driver().synchronize(), "a connection");
  const int most = 64, perPeer = 32;
  int channels = comm.channels > 0 ? comm.channels : most;
  if (isMessage && part.out)
    allocateChannels(std::min(channels, perPeer));
  if (!isMessage && !comm.hasRing) {
    comm.hasRing = true;
    allocateChannels(channels * std::min(comm.size - 1, 2));
  }
  return true;
}

static ncclResult_t issue(ncclComm *comm, std::vector<Part> parts,
                          cudaStream_t stream) {
  bool connects = false;
  for (const Part &part : parts)
    connects |= connect(*comm, part, stream);
  if (isOutOfMemory)
    return ncclUnhandledCudaError;
  auto *operation =
      new Operation{comm, std::move(parts), captureOf(stream) != 0, connects};
  keepOrder(stream, /*isBehind=*/false);
  for (Part &part : operation->parts) {
    if (part.in) {
      part.from = take(part.inBytes);
      if (part.inBytes)
        check(driver().toHost(part.from.data,
                              reinterpret_cast<CUdeviceptr>(part.in),
                              part.inBytes, stream),
              "a copy");
    }
    if (part.out)
      part.to = take(part.outBytes);
  }
  check(driver().launch(stream, perform, operation), "a host function");
  for (Part &part : operation->parts)
    if (part.out && part.outBytes)
      check(driver().toDevice(reinterpret_cast<CUdeviceptr>(part.out),
                              part.to.data, part.outBytes, stream),
            "a copy");
  if (!operation->isCaptured)
    check(driver().launch(stream, finish, operation), "a host function");
  keepOrder(stream, /*isBehind=*/true);
  return ncclSuccess;
}

namespace {
/// The operations issued between ncclGroupStart and ncclGroupEnd.
struct Group {
  int depth = 0;
  ncclComm *comm = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<Part> parts;
};
} // namespace

static thread_local Group group;

static ncclResult_t addMessage(Part part, ncclComm *comm, cudaStream_t stream) {
  if (group.depth == 0) {
    return issue(comm, {part}, stream);
  }
  if (group.comm && (group.comm != comm || group.stream != stream))
    die("messages of a group on two communicators or streams");
  group.comm = comm;
  group.stream = stream;
  group.parts.push_back(part);
  return ncclSuccess;
}

static ncclResult_t addCollective(Part part, ncclComm *comm,
                                  cudaStream_t stream) {
  if (group.depth > 0)
    die("a collective in a group");
  return issue(comm, {part}, stream);
}
//===----------------------------------------------------------------------===//
// NCCL
//===----------------------------------------------------------------------===//

static std::string lastError;

/// Identifies this rank's device among all devices.
static std::string deviceText() {
  CUdevice device;
  char bus[32];
  check(driver().device(&device), "the device");
  check(driver().busOf(bus, sizeof(bus), device), "the device");
  const char *host = getenv("NCCL_HOSTID");
  return std::string(host ? host : "") + " " + bus;
}

extern "C" {

ncclResult_t ncclGetVersion(int *found) {
  *found = version();
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  unsigned char random[16];
  if (getrandom(random, sizeof(random), 0) != sizeof(random))
    return ncclSystemError;
  memset(id, 0, sizeof(*id));
  strcpy(id->internal, "nccl-double-");
  for (unsigned char byte : random)
    snprintf(id->internal + strlen(id->internal), 3, "%02x", byte);
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result) {
  return result == ncclSuccess       ? "no error"
         : result == ncclRemoteError ? "remote process exited or there was a "
                                       "network error"
         : result == ncclInvalidUsage
             ? "invalid usage (run with NCCL_DEBUG=WARN for details)"
             : "an error";
}

const char *ncclGetLastError(ncclComm_t) { return lastError.c_str(); }

ncclResult_t ncclCommInitRankConfig(ncclComm_t *made, int ranks,
                                    ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  auto *comm = new ncclComm;
  comm->rank = rank;
  comm->size = ranks;
  comm->sent.resize(ranks);
  comm->received.resize(ranks);
  if (config && config->maxCTAs != NCCL_CONFIG_UNDEF_INT)
    comm->channels = config->maxCTAs;
  memcpy(&comm->seed, id.internal + strlen("nccl-double-"), sizeof(comm->seed));
  connectAll(*comm, id);
  int same = findEqual(*comm, deviceText());
  if (same >= 0) {
    lastError = "Duplicate GPU detected : rank " + std::to_string(rank) +
                " and rank " + std::to_string(same) + " both on CUDA device" +
                deviceText();
    return ncclInvalidUsage;
  }
  *made = comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
  *error = comm->error;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void *in, void *out, size_t count,
                           ncclDataType_t type, ncclRedOp_t reduction,
                           ncclComm_t comm, cudaStream_t stream) {
  size_t bytes = count * sizeOf(type);
  return addCollective(
      {AllReduce, type, reduction, in, out, bytes, bytes, -1, {}, {}}, comm,
      stream);
}

ncclResult_t ncclAllGather(const void *in, void *out, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  size_t bytes = count * sizeOf(type);
  return addCollective({AllGather,
                        type,
                        ncclSum,
                        in,
                        out,
                        bytes,
                        bytes * comm->size,
                        -1,
                        {},
                        {}},
                       comm, stream);
}

ncclResult_t ncclReduceScatter(const void *in, void *out, size_t count,
                               ncclDataType_t type, ncclRedOp_t reduction,
                               ncclComm_t comm, cudaStream_t stream) {
  size_t bytes = count * sizeOf(type);
  return addCollective({ReduceScatter,
                        type,
                        reduction,
                        in,
                        out,
                        bytes * comm->size,
                        bytes,
                        -1,
                        {},
                        {}},
                       comm, stream);
}

ncclResult_t ncclSend(const void *in, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  return addMessage({Message,
                     type,
                     ncclSum,
                     in,
                     nullptr,
                     count * sizeOf(type),
                     0,
                     peer,
                     {},
                     {}},
                    comm, stream);
}

ncclResult_t ncclRecv(void *out, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return addMessage({Message,
                     type,
                     ncclSum,
                     nullptr,
                     out,
                     0,
                     count * sizeOf(type),
                     peer,
                     {},
                     {}},
                    comm, stream);
}

ncclResult_t ncclGroupStart() {
  ++group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (--group.depth > 0 || group.parts.empty())
    return ncclSuccess;
  std::vector<Part> parts = std::move(group.parts);
  ncclComm *comm = group.comm;
  cudaStream_t stream = group.stream;
  group = {};
  return issue(comm, std::move(parts), stream);
}

} // extern "C"
