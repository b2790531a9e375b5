//===- Nccl.h - Parts of the double of NCCL ---------------------*- C++ -*-===//

#ifndef PCC_TEST_CUDA_DOUBLE_NCCL_H
#define PCC_TEST_CUDA_DOUBLE_NCCL_H

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <nccl.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

// NCCL's opaque type.
struct ncclComm {
  int rank, size;
  std::vector<int> sockets;             ///< by rank
  std::vector<uint64_t> sent, received; ///< messages, by rank
  uint64_t performed[2] = {0, 0};       ///< collectives, transfers
  /// The number of collectives that connect ranks, and of the others.
  uint64_t connections = 0, others = 0;
  int channels = 0;  ///< at most
  uint64_t seed = 0; ///< equal on all ranks, different for each start
  /// The established connections: a peer and a direction, or a collective of a
  /// kind, type, reduction and size.
  std::set<std::array<uint64_t, 4>> connected;
  bool hasRing = false; ///< memory for collectives
  std::mutex mutex;     ///< guards the sockets
  std::atomic<ncclResult_t> error{ncclSuccess};
};

namespace fake {

/// Ends the process with a message.
[[noreturn]] void die(const std::string &text);
/// An integer of the environment, or `otherwise`.
int setting(const char *name, int otherwise);

/// The size of an element in bytes.
size_t sizeOf(ncclDataType_t type);
/// Reduces blocks of `bytes` bytes in the order of the ranks; fp16 and bf16 in
/// f32.
void combine(const std::vector<const char *> &blocks, char *out, size_t bytes,
             ncclDataType_t type, ncclRedOp_t reduction);

enum Kind : uint32_t { AllReduce, AllGather, ReduceScatter, Message };

/// The description of an operation by its rank.
struct Header {
  uint32_t kind, type, reduction, reserved;
  uint64_t number, bytes;
};

/// Bytes to send to or receive from a rank, after a header.
struct Flow {
  int rank;
  bool sends;
  Header header;
  char *data;
  size_t bytes, done = 0;
  Header theirs = {};

  size_t all() const { return sizeof(Header) + bytes; }
};

/// Connects to all lower ranks and accepts connections of all higher ranks.
void connectAll(ncclComm &comm, const ncclUniqueId &id);
/// The rank of a communicator with the same text as this one, or -1. To be
/// called right after connectAll().
int findEqual(ncclComm &comm, const std::string &text);
/// Transfers all flows; flows to one rank, and flows from one rank, are
/// sequential.
void moveAll(ncclComm &comm, std::deque<Flow> &flows);
/// Blocks forever, as NCCL's kernels do if a rank is gone.
[[noreturn]] void hang(ncclComm &comm);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_NCCL_H
