//===- Communication.h - The thread that communicates -----------*- C++ -*-===//
//
// One thread of each rank starts and ends MPI and is the only one that calls
// it. Others issue requests: of compiled code (collectives and transfers on
// streams) and of the host (control messages, calls). A request is a few
// nonblocking operations of MPI at a time. The thread tests those of all
// streams in turn; it does so without a pause while the rank waits for one of
// them, naps in between while the rank computes, and sleeps when there are
// none. MPI's own progress happens in its calls alone, hence the tests.
//
// Requests of a stream begin in order and are over in order, but what follows
// is posted while what it does not touch is still under way:
//
//   all_gather of norms    [0, 64)     posted at once, in one turn of the
//   all_gather of weights  [64, 4096)  thread: other bytes
//   all_reduce             [64, 128)   when the weights are there
//
// A program of one rank has no such thread and starts no MPI: its requests,
// which have nobody to talk to, are done where they are issued.
//
// The requests of a stream are issued by one thread, which is the main one but
// where a device has a thread of its own; wait() and abort() may be called by
// any.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_COMMUNICATION_H
#define PCC_RUNTIME_CPU_COMMUNICATION_H

#define OMPI_SKIP_MPICXX 1
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace pcc {

/// What was posted together and is done when all of it is.
using Posted = std::vector<MPI_Request>;

/// Requests that are posted as they were issued, whatever streams they are on:
/// those of one communicator, which all ranks must enter alike, or the messages
/// of one channel, which have no other mark to tell them apart.
struct PostOrder {
  uint64_t issued = 0; ///< by the issuing thread
  uint64_t posted = 0; ///< by the communication thread
};

class Stream;
struct Request;
namespace communication {
void issue(Stream &stream, std::unique_ptr<Request> request);
} // namespace communication

/// The first `count` requests of a stream, or the first `fills` that were
/// issued (Filling.h); over when they are done.
struct Event {
  const Stream *stream = nullptr; ///< null: nothing to wait for
  uint64_t count = 0;
  /// What the last of them is, as of an Operation.
  const char *name = "", *detail = "";
  uint64_t fills = 0;
};

/// Bytes that a request reads, or writes.
struct Access {
  const void *at; ///< the first of them
  int64_t bytes;  ///< how many
  bool writes;    ///< else it reads
};

/// What a stream is given to do. It consists of pieces, of which `window` are
/// under way at a time; a piece of phases, each of which is posted when all of
/// the one before is done.
struct Request {
  /// As of an Operation: both live as long as the program.
  const char *name = "", *detail = "";
  /// What a trace shows: on the track of this stream, if it is one of compiled
  /// code; -1: nothing.
  int32_t stream = -1;
  int64_t bytes = 0;
  int64_t pieces = 1;
  int window = 1;
  /// Posts a phase of a piece; `slot` is that of no other piece under way.
  /// False: there is no such phase, the piece is done.
  std::function<bool(int64_t piece, int phase, int slot, Posted &posted)> post;
  /// It starts after these.
  std::vector<Event> waits;
  /// All that it reads and writes: it need not wait for what its stream has
  /// under way elsewhere. Empty: it waits for all of it.
  std::vector<Access> accesses;
  /// Whether it must not start yet, though it may; asked again whenever a
  /// noteDone() says that something was done. None: it never is.
  std::function<bool()> isHeld;
  /// Waits for its turn in each; see addTo().
  std::vector<std::pair<PostOrder *, uint64_t>> turns;
  /// The order in which it starts, on whatever stream, and its number in that
  /// order; null: any.
  PostOrder *launches = nullptr;
  uint64_t launchTurn = 0;
  /// Seconds on a link that it has for itself, which takes one request of the
  /// stream after the other; then it is posted.
  double delay = 0;
  /// When it was issued, by the steady clock; set by issue().
  double issuedAt = 0;

  /// Takes the next turn of an order.
  void addTo(PostOrder &order) { turns.push_back({&order, order.issued++}); }
  /// Starts only once all requests that were added to `order` before it have
  /// started, as NCCL does with NCCL_LAUNCH_ORDER_IMPLICIT=1.
  void launchIn(PostOrder &order) {
    launches = &order;
    launchTurn = order.issued++;
  }
};

/// Requests that begin, and are over, in the order of their issue.
class Stream {
public:
  Stream();
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// All that was issued so far. For the issuing thread.
  Event recorded() const { return {this, issued, lastName, lastDetail}; }
  /// Whether so many requests are done. For any thread.
  bool hasDone(uint64_t count) const { return done.load() >= count; }

  /// Of a stream whose requests another thread than the one that communicates
  /// carries out: notes, by the issuing thread, that it was given one.
  void noteIssued(const char *name, const char *detail) {
    ++issued;
    lastName = name;
    lastDetail = detail;
  }
  /// Notes, by the thread that carries them out, that one more is done, and
  /// tells the one that communicates.
  void noteDone();
  /// Has the one that communicates ask again what is held.
  static void noteIdle();

private:
  friend class CommunicationThread;
  friend void communication::issue(Stream &, std::unique_ptr<Request>);
  struct Running; ///< a request that the communication thread has taken

  uint64_t issued = 0;
  const char *lastName = "", *lastDetail = "";
  std::atomic<uint64_t> done{0};

  // Of the thread alone.
  std::deque<std::unique_ptr<Running>> queue;
  double linkFree = 0; ///< when the last delay ends
  double traced = 0;   ///< the end of the last span in a trace
};

namespace communication {

/// Starts the thread and MPI; returns when both are there.
void start();
/// Whether there is a thread.
bool isRunning();
/// Hands a request to a stream, which lives until end().
void issue(Stream &stream, std::unique_ptr<Request> request);
/// Returns when the event is over.
void wait(const Event &event);
/// issue() and wait().
void run(Stream &stream, std::unique_ptr<Request> request);
/// Calls MPI otherwise than by a request: `body` is run by the thread, or by
/// the caller where there is none. Returns when it is done.
void call(const std::function<void()> &body);
/// Returns when all requests are done and MPI has ended.
void end();
/// Ends all ranks with this code; where that takes more than 2 s, this one.
[[noreturn]] void abort(int code);

} // namespace communication

/// Exits with ExitCommunication if an MPI call did not succeed.
void checkMPI(int status, const char *what);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_COMMUNICATION_H
