//===- Communication.h - Requests and the thread that runs them -*- C++ -*-===//
//
// Other threads issue requests: compiled code's collectives and transfers, on
// streams. A request consists of pieces and phases, which a Transport
// (Transport.h) defines; a phase posts messages, or waits for a counter of
// other ranks, or computes. The driver tests and continues the requests of all
// streams in a loop. The driver is
//
//   with MPI            the communication thread of the rank, which alone calls
//                       MPI, from MPI_Init to MPI_Finalize
//   in shared memory    the thread that waits for a request, while it waits, if
//                       there is no driver at that time; otherwise the
//                       communication thread
//
// With MPI the driver tests without a pause while the rank waits, with naps in
// between while the rank computes, and every 10 ms when nothing is in flight:
// MPI progresses only inside its calls. In shared memory other ranks ring a
// bell, so the driver sleeps until there is something to do.
//
// Requests of a stream begin in order and complete in order. A request is
// posted while earlier ones are in flight if their memory accesses do not
// conflict:
//
//   all_gather of norms    [0, 64)     both posted at once: they access
//   all_gather of weights  [64, 4096)  different bytes
//   all_reduce             [64, 128)   posted when the weights have arrived
//
// A process that joins alone (backend::join) has neither transport nor thread:
// its requests are executed where they are issued.
//
// One thread issues all requests of a stream. It is the main thread, except for
// the compute stream of an emulated device (emulated/Device.h), whose own
// thread issues them. Any thread may call wait() and abort().
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_COMMUNICATION_H
#define PCC_RUNTIME_CPU_COMMUNICATION_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pcc {

class Transport;

/// The conditions for the end of a phase: all of them. None: the phase is over
/// at once.
struct Posted {
  /// The transport's messages that must be complete.
  std::vector<void *> messages;
  /// A counter in shared memory that must reach a value; null: none.
  const std::atomic<uint64_t> *counter = nullptr;
  uint64_t value = 0;

  /// Adds the condition that a counter reaches a value.
  void await(const std::atomic<uint64_t> &awaited, uint64_t least) {
    counter = &awaited;
    value = least;
  }
};

/// A set of requests that are posted in the order of their issue, across all
/// streams. It has the collectives of a communicator, which all ranks must post
/// in the same order; or the transfers of a channel, which no other tag
/// distinguishes; or, for launchIn(), all collectives and transfers.
struct PostOrder {
  uint64_t issued = 0; ///< by the issuing thread
  uint64_t posted = 0; ///< by the driver
};

class Stream;
struct Request;
namespace communication {
void issue(Stream &stream, std::unique_ptr<Request> request, bool waits);
} // namespace communication

/// The first `count` requests of a stream, or the first `fills` fills
/// (Filling.h); complete when they are.
struct Event {
  const Stream *stream = nullptr; ///< null: nothing to wait for
  uint64_t count = 0;
  /// The name and detail of the last request, as in an Operation.
  const char *name = "", *detail = "";
  uint64_t fills = 0;
};

/// Bytes that a request reads or writes.
struct Access {
  const void *at; ///< the first byte
  int64_t bytes;  ///< how many
  bool writes;    ///< else it reads
};

/// An operation for a stream. It consists of pieces, of which `window` are in
/// flight at a time. A piece consists of phases; each phase is posted when the
/// previous one is complete.
struct Request {
  /// As in an Operation: both live as long as the program.
  const char *name = "", *detail = "";
  /// The stream's number, for its track in a trace, if it is a stream of
  /// compiled code; -1: not traced.
  int32_t stream = -1;
  int64_t bytes = 0;
  int64_t pieces = 1;
  int window = 1;
  /// Runs a phase of a piece, and sets what it waits for; `slot` identifies the
  /// piece among those in flight. Returns false if there is no such phase: the
  /// piece is complete.
  std::function<bool(int64_t piece, int phase, int slot, Posted &posted)> post;
  /// The events after which it starts.
  std::vector<Event> waits;
  /// All memory that it accesses: it need not wait for earlier requests of its
  /// stream that access other memory. Empty: it waits for all of them.
  std::vector<Access> accesses;
  /// Whether it must not start yet, although its order allows it. Evaluated
  /// again after each noteDone() or noteIdle(). Null: never.
  std::function<bool()> isHeld;
  /// Its position in each order; see addTo().
  std::vector<std::pair<PostOrder *, uint64_t>> turns;
  /// The order in which requests start on all streams, and its position; null:
  /// none.
  PostOrder *launches = nullptr;
  uint64_t launchIndex = 0;
  /// Seconds that it occupies the stream's simulated link, which carries one
  /// request at a time, before it is posted.
  double delay = 0;
  /// The time of issue by the steady clock; set by issue().
  double issuedAt = 0;

  /// Takes the next position of an order, and returns it.
  uint64_t addTo(PostOrder &order) {
    turns.push_back({&order, order.issued});
    return order.issued++;
  }
  /// Makes it start only after all requests that were added to `order` before
  /// it have started, as NCCL does with NCCL_LAUNCH_ORDER_IMPLICIT=1.
  void launchIn(PostOrder &order) {
    launches = &order;
    launchIndex = order.issued++;
  }
};

/// Requests that begin and complete in the order of their issue.
class Stream {
public:
  Stream();
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// All requests issued so far. For the issuing thread.
  Event recorded() const { return {this, issued, lastName, lastDetail}; }
  /// Whether this many requests are complete. For any thread.
  bool hasDone(uint64_t count) const { return done.load() >= count; }

  /// For a stream whose requests another thread than the driver executes:
  /// records an issued request. For the issuing thread.
  void noteIssued(const char *name, const char *detail) {
    ++issued;
    lastName = name;
    lastDetail = detail;
  }
  /// Records that one more request is complete, and notifies the driver. For
  /// the executing thread.
  void noteDone();
  /// Makes the driver evaluate `isHeld` of held requests again.
  static void noteIdle();

private:
  friend class Engine;
  friend void communication::issue(Stream &, std::unique_ptr<Request>, bool);
  struct Running; ///< a request of the driver

  uint64_t issued = 0;
  const char *lastName = "", *lastDetail = "";
  std::atomic<uint64_t> done{0};

  // Used only by the driver.
  std::deque<std::unique_ptr<Running>> queue;
  double linkFree = 0; ///< when the last delay ends
  double traced = 0;   ///< the end of the last span in a trace
};

namespace communication {

/// Starts the communication thread, which starts the transport; returns when it
/// has. The transport lives until end().
void start(std::unique_ptr<Transport> transport);
/// The transport; null if this rank is alone.
Transport *transport();
/// Issues a request on a stream, which must live until end(). `waits`: the
/// caller waits for it next.
void issue(Stream &stream, std::unique_ptr<Request> request,
           bool waits = false);
/// Returns when the event is complete.
void wait(const Event &event);
/// issue(), then wait().
void run(Stream &stream, std::unique_ptr<Request> request);
/// Runs `body`, which may call MPI, on a thread that may, or on the caller if
/// there is no transport. Returns when it is complete.
void call(const std::function<void()> &body);
/// Returns when all requests are complete and the transport has ended.
void end();
/// Ends all ranks with this code; ends this one if that takes more than 2 s.
[[noreturn]] void abort(int code);

} // namespace communication
} // namespace pcc

#endif // PCC_RUNTIME_CPU_COMMUNICATION_H
