//===- Backend.h - What a back end provides beside Runtime.h ----*- C++ -*-===//
//
// The part of a training run that depends on the kind of device and on the
// communication library. There are three implementations: runtime/cpu (MPI and
// host memory), runtime/cuda (NVIDIA's driver, NCCL and TCP) and
// runtime/emulated, which uses most of runtime/cpu.
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

/// Whether ranks join each other by MPI, and not by an exchange of their own.
bool usesMPI();

/// The devices of this host that ranks compute on, each on one of its own.
struct Devices {
  /// How many there are; -1: ranks compute on the host.
  int64_t count = -1;
  /// Where there are none: why, and what to do, as for fail().
  std::string missing, note;
};
/// Looks for them. This process has no other use for them any more: what was
/// begun here does not survive a fork.
Devices findDevices();

/// Joins the other ranks; with `alone` there are none and no communication
/// library is started.
void join(bool alone);
/// Leaves in order; the process exits right after.
void finish();
/// Ends all ranks with this code.
[[noreturn]] void abortRanks(int code);
/// This process's rank, from 0; known once join() has returned.
int rank();
/// The number of ranks that run, this one included.
int size();

/// Chooses the threads, creates the communicators in program order. Returns
/// the context that compiled code gets. `resources` says what this rank uses,
/// such as "2 threads".
pcc_context *prepare(const pcc_program &program, const Coordinates &coordinates,
                     std::string &resources);

/// Has the entries of a device launched as graphs, or issued operation by
/// operation; called before prepare(). False: the back end has no graphs.
bool chooseGraphs(bool uses);
/// Lets switches add in collectives (NVLS), in an order that changes from call
/// to call; called before prepare(). False: the back end has no NCCL.
bool allowNvls();
/// What communication takes, "NCCL 2.28.9, about 310.0 MiB of device memory on
/// the rank that has most"; empty where that is nothing. All ranks call it,
/// once the arena is there.
std::string communicationText();
/// What graphs take that were made so far, "4, of 300 nodes, 2.0 MiB of the
/// device's memory"; empty where there are none.
std::string graphsText();

/// How this rank computes products of matrices of a pcc_dtype: "oneDNN (AMX)",
/// or "widened to f32" where neither processor nor library has such products.
std::string productsText(int32_t dtype);

/// Memory for the arena, whose first `kept` bytes are zero; exits with
/// ExitMemory.
char *allocateArena(int64_t bytes, int64_t kept);

/// Called ahead of each entry: its work begins, on every stream, behind all
/// that the compute stream was given before.
void beginEntry(pcc_context *context, pcc_step_fn entry);

/// How many steps the host may issue behind those whose scalars it has, 0 or 1:
/// 0 where an entry is done when its call returns.
int stepsAhead();

/// What pcc_fill does for an input and a microbatch: fills host memory. On a
/// device a copy of it goes where the input lies, on the stream.
using Filler = std::function<void(int32_t input, int64_t microbatch, char *to)>;
/// Sets it for the entries that are issued from here on. A thread of the back
/// end may call it, for one entry after the other.
void setFiller(Filler filler);

/// A piece of the arena, and the host memory that a copy of it goes to.
struct HostCopy {
  const char *from; ///< in the arena
  void *to;
  int64_t bytes;
};
/// Has pieces copied as all that was issued so far leaves them, and returns
/// without waiting for it. `turn` is 0 or 1; the copies asked for in that turn
/// before were awaited.
void copyOut(int turn, const std::vector<HostCopy> &copies);
/// Waits until the copies of a turn are there: the one wait of an ordinary
/// step.
void awaitCopies(int turn);
/// Waits until all that was issued is over, ahead of views that read what it
/// leaves.
void drain();

/// Where the host reads and writes arena memory. On a device the view is a
/// copy, brought in for Read, for which drain() was called, and taken back for
/// Write: behind all that was issued so far and ahead of what will be. Who
/// writes less than all of it does so in memory that was never written.
enum class Access { Read, Write };
/// Makes the view; it lives until closeView() is called with the same piece.
void *openView(char *memory, int64_t bytes, Access access);
/// Ends a view: what it is for, and of which piece, as it was opened.
void closeView(void *view, char *memory, int64_t bytes, Access access);

/// Control messages between ranks. They are for start-up, checkpoints and the
/// end of a step, and never pass between compiled code's own calls.
void broadcast(void *buffer, int64_t bytes, int root);
/// Sends to one other rank, which calls receive() with as many bytes; may
/// return before they have arrived.
void send(const void *buffer, int64_t bytes, int to);
/// Receives from one other rank; returns when the bytes are there.
void receive(void *buffer, int64_t bytes, int from);
/// The greatest of the ranks' values, known to all; also a barrier.
int maxOverRanks(int value);

/// What compiled code of this rank has communicated since the start, of one
/// kind on one stream.
struct Traffic {
  std::string kind; ///< "all_reduce over pp tp", "send over pp"
  int32_t stream;
  int64_t messages;
  int64_t bytes; ///< of the buffers: a rank's block, of all_reduce the whole
  int64_t sent;  ///< by this rank: of an all_reduce among p, 2 (p - 1) / p
};
/// All kinds, by stream and then by name.
std::vector<Traffic> traffic();

/// What else a report says of this rank's device since the start: members of a
/// JSON object, each with ", " behind it; empty where there is nothing.
std::string deviceReport();

/// How many threads this rank has for its work.
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

  /// The first byte, as long as this lives.
  void *data() const { return view; }

private:
  char *memory;
  int64_t bytes;
  backend::Access access;
  void *view;
};

} // namespace pcc

#endif // PCC_RUNTIME_BACKEND_H
