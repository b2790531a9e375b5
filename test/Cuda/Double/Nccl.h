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

// The type of which users have pointers alone.
struct ncclComm {
  int rank, size;
  std::vector<int> sockets;             ///< by rank
  std::vector<uint64_t> sent, received; ///< messages, by rank
  uint64_t performed[2] = {0, 0};       ///< collectives, messages
  /// Of the collectives, those by which ranks connect, and the others.
  uint64_t connections = 0, others = 0;
  int channels = 0;  ///< at most
  uint64_t seed = 0; ///< the same on all ranks, another one for each start
  /// What it is connected for: a peer and a direction, or a collective of a
  /// kind, type, reduction and size.
  std::set<std::array<uint64_t, 4>> connected;
  bool hasRing = false; ///< memory for collectives
  std::mutex mutex;     ///< of those who use the sockets
  std::atomic<ncclResult_t> error{ncclSuccess};
};

namespace fake {

/// Ends the process with a message.
[[noreturn]] void die(const std::string &text);
/// A number of the environment.
int setting(const char *name, int otherwise);

/// How many bytes an element has.
size_t sizeOf(ncclDataType_t type);
/// Combines blocks of so many bytes in the order of the ranks, those of 16-bit
/// elements as f32.
void combine(const std::vector<const char *> &blocks, char *out, size_t bytes,
             ncclDataType_t type, ncclRedOp_t reduction);

enum Kind : uint32_t { AllReduce, AllGather, ReduceScatter, Message };

/// What an operation is, as its rank takes it.
struct Header {
  uint32_t kind, type, reduction, reserved;
  uint64_t number, bytes;
};

/// Bytes on their way to or from a rank, behind a header.
struct Flow {
  int rank;
  bool sends;
  Header header;
  char *data;
  size_t bytes, done = 0;
  Header theirs = {};

  size_t all() const { return sizeof(Header) + bytes; }
};

/// Connects with those before this rank, and lets those behind connect.
void connectAll(ncclComm &comm, const ncclUniqueId &id);
/// The rank of a communicator that has the same text as this one; -1: all have
/// others. For right after connectAll().
int findEqual(ncclComm &comm, const std::string &text);
/// Moves all; those to one rank, and from one, one after the other.
void moveAll(ncclComm &comm, std::deque<Flow> &flows);
/// An operation that never ends, as NCCL's kernels do where a rank is gone.
[[noreturn]] void hang(ncclComm &comm);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_NCCL_H
