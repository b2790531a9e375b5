//===- StatusBoard.cpp - What became of each rank -------------------------===//

#include "runtime/common/StatusBoard.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace pcc;

static const char *const environmentName = "PCC_STATUS_BOARD";

namespace {
enum State : int32_t { NotStarted, Running, Done, Failed };

struct Entry {
  std::atomic<int32_t> state, pid, terminated;
};

struct Board {
  std::atomic<int32_t> failure; ///< code of the first rank that failed
  int32_t ranks;
  Entry entries[1]; ///< [ranks]
};
} // namespace

static Board *board = nullptr;
static Entry *own = nullptr;
static std::string boardPath;

static Board *mapBoard(int file, size_t bytes) {
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Board *>(memory);
}

bool pcc::createStatusBoard(int ranks) {
  size_t bytes = sizeof(Board) + ranks * sizeof(Entry);
  for (const char *folder : {"/dev/shm", "/tmp"}) {
    std::string path = std::string(folder) + "/pcc-XXXXXX";
    int file = mkstemp(path.data());
    if (file < 0)
      continue;
    if (ftruncate(file, bytes) == 0)
      board = mapBoard(file, bytes);
    close(file);
    if (!board) {
      unlink(path.c_str());
      continue;
    }
    board->ranks = ranks;
    boardPath = path;
    setenv(environmentName, path.c_str(), 1);
    return true;
  }
  return false;
}

void pcc::removeStatusBoard() {
  if (!boardPath.empty())
    unlink(boardPath.c_str());
  boardPath.clear();
}

void pcc::joinStatusBoard(int rank) {
  const char *path = getenv(environmentName);
  if (!path)
    return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return;
  off_t bytes = lseek(file, 0, SEEK_END);
  if (bytes >= static_cast<off_t>(sizeof(Board)))
    board = mapBoard(file, bytes);
  close(file);
  if (!board || rank >= board->ranks)
    return;
  own = &board->entries[rank];
  own->pid = getpid();
  own->state = Running;
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

int pcc::firstFailure() { return board ? board->failure.load() : 0; }

std::vector<LostRank> pcc::lostRanks() {
  std::vector<LostRank> lost;
  for (int rank = 0; board && rank < board->ranks; ++rank) {
    const Entry &entry = board->entries[rank];
    if (entry.state == Running && !entry.terminated)
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
