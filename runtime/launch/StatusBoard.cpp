//===- StatusBoard.cpp - The outcome of each rank -------------------------===//

#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace pcc;

static const char *const environmentName = "PCC_STATUS_BOARD";

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

static Board *mapBoard(int file, size_t bytes) {
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Board *>(memory);
}

std::string pcc::createStatusBoard(const std::string &folder, int ranks) {
  size_t bytes = sizeof(Board) + ranks * sizeof(Entry);
  std::string path = folder + "/status";
  int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 && ftruncate(file, bytes) == 0)
    board = mapBoard(file, bytes);
  if (!board)
    fail(ExitWorld,
         format("cannot write '%s': %s", path.c_str(), strerror(errno)));
  close(file);
  board->ranks = ranks;
  setenv(environmentName, path.c_str(), 1);
  return environmentName + ("=" + path);
}

std::string pcc::jobFolder() {
  const char *path = getenv(environmentName);
  return path ? folderOf(path) : "";
}

/// Maps the board if the environment names one.
static void openBoard() {
  const char *path = getenv(environmentName);
  if (board || !path)
    return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return;
  off_t bytes = lseek(file, 0, SEEK_END);
  if (bytes >= static_cast<off_t>(sizeof(Board)))
    board = mapBoard(file, bytes);
  close(file);
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
