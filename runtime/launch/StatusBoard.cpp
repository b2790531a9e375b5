//===- StatusBoard.cpp - The outcome of each rank -------------------------===//

#include "runtime/launch/StatusBoard.h"

#include "runtime/launch/JobMemory.h"
#include "runtime/support/Error.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <unistd.h>

using namespace pcc;

namespace {
enum State : int32_t { NotStarted, Running, Joined, Done, Failed };

struct Entry {
  std::atomic<int32_t> state, pid, terminated;
};

struct Board {
  std::atomic<int32_t> failure; ///< code of the first rank that failed
  std::atomic<int32_t> asked;   ///< the signal that asked for an end
  int32_t ranks;
  Entry entries[1]; ///< [ranks]
};
} // namespace

static Board *board = nullptr;
static Entry *own = nullptr;

/// Maps the board if this process belongs to a job.
static void openBoard() {
  if (!board && hasJobMemory())
    board = static_cast<Board *>(mapJobMemory(0, kBoardBytes));
}

void pcc::createStatusBoard(int ranks) {
  static_assert(sizeof(Entry) * 65536 < kBoardBytes);
  openBoard();
  if (!board)
    fail(ExitWorld, format("cannot map the memory that the ranks share: %s",
                           strerror(errno)));
  board->ranks = ranks;
}

void pcc::joinStatusBoard(int rank) {
  openBoard();
  if (!board || rank >= board->ranks)
    return;
  own = &board->entries[rank];
  own->pid = getpid();
  own->state = Running;
  addAfterMessage(statusFailed);
}

void pcc::statusJoined() {
  if (own)
    own->state = Joined;
}

void pcc::statusFailed(int code) {
  if (!own)
    return;
  own->state = Failed;
  int32_t none = 0;
  board->failure.compare_exchange_strong(none, code);
}

void pcc::statusDone() {
  if (own)
    own->state = Done;
}

void pcc::statusTerminated() {
  if (own)
    own->terminated = 1;
}

void pcc::statusEnded(int rank) {
  openBoard();
  if (board && rank < board->ranks)
    board->entries[rank].terminated = 1;
}

int pcc::statusAskedToStop() { return board ? board->asked.load() : 0; }

void pcc::askToStop(int signal) { board->asked = signal; }

int pcc::firstFailure() { return board ? board->failure.load() : 0; }

std::vector<LostRank> pcc::lostRanks() {
  std::vector<LostRank> lost;
  for (int rank = 0; board && rank < board->ranks; ++rank) {
    const Entry &entry = board->entries[rank];
    bool runs = entry.state == Running || entry.state == Joined;
    if (runs && !entry.terminated)
      lost.push_back({rank, entry.pid});
  }
  return lost;
}

int pcc::startedRanks() {
  int started = 0;
  for (int rank = 0; board && rank < board->ranks; ++rank)
    started += board->entries[rank].state != NotStarted;
  return started;
}

bool pcc::isJobOver() {
  int ended = 0;
  for (int rank = 0; board && rank < board->ranks; ++rank)
    ended += board->entries[rank].state >= Done;
  return board && (ended == board->ranks || board->failure);
}

int pcc::joinedRanks() {
  int joined = 0;
  for (int rank = 0; board && rank < board->ranks; ++rank)
    joined += board->entries[rank].state > Running;
  return joined;
}
