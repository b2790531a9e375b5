//===- Backend.h - The interface of back ends to the runtime ----*- C++ -*-===//
//
// The part of a training run that depends on the kind of device and on the
// communication library. There are three implementations: runtime/cpu (host
// memory; shared memory or MPI), runtime/cuda (NVIDIA's driver and NCCL) and
// runtime/emulated, which uses most of runtime/cpu. Control messages of all of
// them use TCP (runtime/exchange).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_BACKEND_H
#define PCC_RUNTIME_BACKEND_H

#include "runtime/Program.h"
#include "runtime/support/Mesh.h"

#include <functional>
#include <string>
#include <vector>

namespace pcc {
namespace backend {

/// Whether ranks that a launcher started communicate by MPI.
bool usesMPI();

/// The devices of this host on which ranks compute, one rank on each unless
/// PCC_SHARE_DEVICES is set.
struct Devices {
  /// The number of devices; -1: ranks compute on the host.
  int64_t count = -1;
  /// If there are none: the error and the note, as for fail().
  std::string missing, note;
};
/// Finds the devices. A process that called this must not fork ranks: the state
/// of the devices' driver does not survive a fork.
Devices findDevices();

/// Connects with the other ranks. With `alone` there are none, and no
/// communication library is started.
void join(bool alone);
/// Disconnects; the process exits right after.
void finish();
/// Ends all ranks with this code. Without MPI it ends only this process, since
/// the heartbeat connection has told the other ranks.
[[noreturn]] void abortRanks(int code);
/// This process's rank, from 0; known once join() has returned.
int rank();
/// The number of ranks that run, this one included.
int size();

/// Chooses the number of threads and creates the communicators, in program
/// order. Returns the context that is passed to compiled code. `resources` is
/// set to a description of this rank's resources, such as "2 threads".
pcc_context *prepare(const pcc_program &program, const Coordinates &coordinates,
                     std::string &resources);

/// Selects whether entries are launched as graphs or issued operation by
/// operation; called before prepare(). Returns false if the back end has no
/// graphs.
bool chooseGraphs(bool uses);
/// Allows NVLS: switches reduce in collectives, in an order that changes from
/// call to call. Called before prepare(). Returns false if the back end does
/// not use NCCL.
bool allowNvls();
/// The communication library and its memory, such as "NCCL 2.28.9, about 310.0
/// MiB of device memory on the rank that has most"; empty if there is nothing
/// to report. All ranks call it, after the arena is allocated.
std::string communicationText();
/// The graphs created so far, such as "4, of 300 nodes, 2.0 MiB of the device's
/// memory"; empty if there are none.
std::string graphsText();

/// How this rank computes GEMMs of a pcc_dtype, such as "OpenBLAS", "oneDNN
/// (AMX)" or "cuBLASLt 13.1.0"; "widened to f32" if a CPU program has no GEMMs
/// of a low-precision type.
std::string gemmText(int32_t dtype);

/// The offloaded range at the beginning of an arena.
struct Offload {
  /// Its size, a multiple of PCC_OFFLOAD_ALIGNMENT; 0: none.
  int64_t bytes = 0;
  /// The folder for the file that backs it; empty: the host's memory does.
  std::string folder;
};
/// Allocates the arena, whose first `kept` bytes are zero. Exits with
/// ExitMemory if it cannot, with ExitOutput if there is no space for a file,
/// and with ExitDevice if the device cannot map the host's memory.
char *allocateArena(int64_t bytes, int64_t kept, const Offload &offload);

/// Called before each entry. All streams of the entry begin after all work
/// issued to the compute stream before.
void beginEntry(pcc_context *context, pcc_step_fn entry);

/// How many steps the host may issue beyond the steps whose scalars it has: 0
/// or 1. It is 0 if an entry is complete when its call returns, unless a test
/// sets PCC_AHEAD=1.
int stepsAhead();

/// Fills host memory with an input for a microbatch, for pcc_fill. On a device
/// a copy of it is then made at the input's address, on the stream.
using Filler = std::function<void(int32_t input, int64_t microbatch, char *to)>;
/// Sets the filler of the entries that are issued from now on. A thread of the
/// back end may call it, for one entry after another.
void setFiller(Filler filler);

/// A piece of the arena, and the host memory that it is copied to.
struct HostCopy {
  const char *from; ///< in the arena
  void *to;
  int64_t bytes;
};
/// Copies pieces of the arena to the host, after all work issued so far, and
/// returns without waiting. `slot`, 0 or 1, is the slot of the request; the
/// previous copies in that slot must have been awaited.
void copyOut(int slot, const std::vector<HostCopy> &copies);
/// Waits until the copies in a slot are complete: the only wait of an ordinary
/// step.
void awaitCopies(int slot);
/// Waits until all work issued so far is complete. Called before views that
/// read its results.
void drain();

/// How the host uses a view of arena memory. On a device the view is a copy.
/// For Read it is copied from the device when it is opened, after a drain().
/// For Write it is copied to the device when it is closed, after all work
/// issued so far and before later work. Bytes of a Write view that are not
/// written may become zero, so it may be written in part only where the memory
/// was never written before. A closed view of an offloaded range is in memory
/// no longer.
enum class Access { Read, Write };
/// Opens a view. It is valid until closeView() is called with the same piece.
void *openView(char *memory, int64_t bytes, Access access);
/// Closes a view; the other arguments are those of openView().
void closeView(void *view, char *memory, int64_t bytes, Access access);

/// Control messages between ranks, for startup, checkpoints and the end of a
/// step. The host never sends them between the calls of an entry.
void broadcast(void *buffer, int64_t bytes, int root);
/// Sends to one other rank, which calls receive() with the same size; may
/// return before the bytes have arrived.
void send(const void *buffer, int64_t bytes, int to);
/// Receives from one other rank; returns when the bytes have arrived.
void receive(void *buffer, int64_t bytes, int from);
/// Returns the maximum of the ranks' values on all ranks; also a barrier.
int maxOverRanks(int value);

/// The traffic of this rank's compiled code since the start, of one kind on one
/// stream.
struct Traffic {
  std::string kind; ///< "all_reduce over pp tp", "send over pp"
  int32_t stream;
  int64_t messages;
  int64_t bytes; ///< of a rank's block; for all_reduce of the buffer
  int64_t sent;  ///< by this rank; for all_reduce 2 (p - 1) / p of bytes
};
/// All traffic, sorted by stream and then by kind.
std::vector<Traffic> traffic();

/// What else a report contains about this rank's device since the start:
/// members of a JSON object, each followed by ", "; or nothing.
std::string deviceReport();

/// The number of threads of this rank.
int threads();
/// Runs body(begin, end) over parts of [0, n) on this rank's threads.
void parallelFor(int64_t n, const std::function<void(int64_t, int64_t)> &body);

} // namespace backend

/// Scoped host access to a piece of the arena.
class HostView {
public:
  /// Opens the view of `bytes` bytes of the arena at `memory`.
  HostView(char *memory, int64_t bytes, backend::Access access)
      : memory(memory), bytes(bytes), access(access),
        view(backend::openView(memory, bytes, access)) {}
  ~HostView() { backend::closeView(view, memory, bytes, access); }
  HostView(const HostView &) = delete;
  HostView &operator=(const HostView &) = delete;

  /// The first byte; valid for the lifetime of this object.
  void *data() const { return view; }

private:
  char *memory;
  int64_t bytes;
  backend::Access access;
  void *view;
};

} // namespace pcc

#endif // PCC_RUNTIME_BACKEND_H
