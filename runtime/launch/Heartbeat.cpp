//===- Heartbeat.cpp - Detection of lost and hung ranks -------------------===//
//
// A thread of each rank exchanges heartbeats with rank 0's on every tick. Rank
// 0 detects a hung job; the other ranks monitor rank 0. A stopped process is
// silent altogether; a process that hangs in a call still sends heartbeats.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Heartbeat.h"

#include "runtime/Backend.h"
#include "runtime/launch/RankConnections.h"
#include "runtime/launch/Stall.h"
#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/support/LastOperations.h"
#include "runtime/support/Thread.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace pcc;

namespace {
enum Kind : int32_t {
  Beat,
  Done,
  GaveUp, ///< failed with the code `number` and printed the error
  End,    ///< the job ends with the code `number`; rank 0 printed the error
  Kill,   ///< the receiver must kill the process `number`
};

struct Message {
  int32_t kind, number;
  uint64_t sum;
  int32_t doing;
  char text[108], last[384]; ///< see Progress
};

/// One end of a connection.
struct Line {
  Peer peer;
  char buffer[sizeof(Message)];
  size_t bytes = 0; ///< of an incomplete message
  bool isOpen = false;
};

struct Heartbeat {
  HeartbeatOptions options;
  double tick = 0;         ///< seconds between heartbeats; 0: there are none
  int order = 0;           ///< as in RankConnections
  uint64_t processes = 0;  ///< this rank's, as in Peer
  bool wasStopped = false; ///< whether this process was stopped recently
  /// On rank 0 one per rank. Elsewhere there is one line, to rank 0, and two
  /// states: of rank 0 and of this rank.
  std::vector<Line> lines;
  std::vector<RankState> states;
};
} // namespace

/// Never freed: its thread ends with the process. Null: there is none.
static Heartbeat *heartbeat = nullptr;

static void sendTo(const Line &line, const Message &message) {
  if (line.peer.socket >= 0)
    send(line.peer.socket, &message, sizeof(message),
         MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void tellAll(Kind kind, int number) {
  Message message = {};
  message.kind = kind;
  message.number = number;
  for (const Line &line : heartbeat->lines)
    sendTo(line, message);
}

//===----------------------------------------------------------------------===//
// The end of a job
//===----------------------------------------------------------------------===//

/// Kills a process after a short delay. The launcher should first see other
/// ranks end with their code, since the first code becomes the job's.
static void killSoon(int pid) {
  // Another thread may hold any lock, so no lock is taken after _Fork().
  if (_Fork() != 0)
    return;
  setsid();
  close_range(0, ~0U, 0);
  timespec moment = {0, 300000000};
  nanosleep(&moment, nullptr);
  kill(pid, SIGKILL);
  _exit(0);
}

/// Ends this process after another rank's end. `code` is the other rank's, or 0
/// if it ended without a message.
[[noreturn]] static void endWith(int lost, int code, bool speaks) {
  if (code == 0) {
    if (speaks)
      announce(format("rank %d was lost; all other ranks end", lost));
    code = ExitCommunication;
  }
  tellAll(GaveUp, code);
  _exit(code);
}

static std::string nameOf(int rank, const Peer &peer) {
  return format("rank %d (process %d on host %s)", rank, peer.pid,
                peer.host.c_str());
}

/// "has made no progress for 600 s, since 2026-11-22 14:37:05, in 'gemm' of
/// step 3". For a silent rank this is its last report.
static std::string stallText(const RankState &state, double now) {
  char since[64] = "";
  tm parts;
  if (localtime_r(&state.movedAt, &parts))
    strftime(since, sizeof(since), "%F %T", &parts);
  return format("has made no progress for %.0f s, since %s, in %s",
                now - state.moved, since, state.progress.text.c_str());
}

static std::string reasonOf(bool isSilent) {
  return isSilent ? "nothing is heard of it: it is stopped, or its host or "
                    "network is dead"
                  : "its process runs, but neither finishes an operation nor "
                    "reads or writes a byte";
}

static std::string noteOf(const std::string &reason) {
  return reason + "; --timeout SECONDS (0: never) is how long to wait";
}

/// Shows where ranks diverged: the last operation of each communicator, once
/// for all ranks that agree. Empty if no rank has issued any.
static std::string lastText() {
  struct Group {
    std::string last;
    std::vector<int> ranks;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < heartbeat->states.size(); ++i) {
    const RankState &state = heartbeat->states[i];
    if (!state.isPresent)
      continue;
    bool isOwn = i > 0 && backend::rank() != 0;
    const std::string &last = state.progress.last;
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](auto &group) { return group.last == last; });
    if (found == groups.end())
      found = groups.insert(groups.end(), {last, {}});
    found->ranks.push_back(isOwn ? backend::rank() : static_cast<int>(i));
  }
  if (groups.empty() || (groups.size() == 1 && groups[0].last.empty()))
    return "";
  const size_t most = 8;
  std::string text = "; issued last: ";
  for (size_t i = 0; i < groups.size() && i < most; ++i)
    text += (i > 0 ? "; " : "") + ranksText(groups[i].ranks) + ": " +
            (groups[i].last.empty() ? "nothing" : groups[i].last);
  return text + (groups.size() > most ? "; and others" : "");
}

/// The operation that this rank is in while it waits for a hung rank.
static std::string ownText() {
  return format("; rank %d is in ", backend::rank()) + readProgress().text;
}

/// Ends the job, which these ranks have stalled.
[[noreturn]] static void endJob(const std::vector<int> &victims) {
  statusFailed(ExitCommunication);
  for (int victim : victims) {
    const Peer &peer = heartbeat->lines[victim].peer;
    bool isNear = peer.processes == heartbeat->processes;
    if (isNear && peer.pid != getpid())
      killSoon(peer.pid);
    // In another pid namespace another rank there does it, or else the
    // launcher.
    for (const Line &line : heartbeat->lines)
      if (!isNear && line.peer.processes == peer.processes &&
          line.peer.pid != peer.pid) {
        Message message = {};
        message.kind = Kill;
        message.number = peer.pid;
        sendTo(line, message);
        break;
      }
  }
  tellAll(End, ExitCommunication);
  if (heartbeat->options.launcherWaits) {
    // Only the launcher can end a rank that is alone on its host. The main
    // thread may keep MPI from telling the launcher.
    startThread([] {
      sleep(5);
      _exit(ExitCommunication);
    }).detach();
    backend::abortRanks(ExitCommunication);
  }
  _exit(ExitCommunication);
}

//===----------------------------------------------------------------------===//
// Rank 0
//===----------------------------------------------------------------------===//

/// The ranks and their operations, for a stall in which all ranks wait.
static std::string waitingText() {
  std::string text;
  int named = 0;
  const std::vector<RankState> &states = heartbeat->states;
  for (int rank = 0; rank < static_cast<int>(states.size()); ++rank)
    if (states[rank].isPresent && named++ < 8)
      text += format("%srank %d in %s", text.empty() ? "" : ", ", rank,
                     states[rank].progress.text.c_str());
  return text + (named > 8 ? ", and others" : "");
}

static void judge(double now) {
  const std::vector<RankState> &states = heartbeat->states;
  Stall stall = findStall(states, now, heartbeat->options.timeout);
  if (!stall.found)
    return;
  if (stall.ranks.empty()) {
    announce(format("no rank has made progress for %lld s; all ranks end",
                    static_cast<long long>(heartbeat->options.timeout)),
             noteOf("each waits for others, as over a dead network: " +
                    waitingText() + lastText()));
    endJob({});
  }
  std::string who, more;
  for (int rank : stall.ranks) {
    std::string name = nameOf(rank, heartbeat->lines[rank].peer);
    if (who.empty())
      who = name + " " + stallText(states[rank], now);
    else
      more += (more.empty() ? "; likewise " : ", ") + name;
  }
  bool isOther = stall.ranks.front() != backend::rank();
  announce(who + more + "; all ranks end",
           noteOf(reasonOf(stall.isSilent) + (isOther ? ownText() : "") +
                  lastText()));
  endJob(stall.ranks);
}

//===----------------------------------------------------------------------===//
// The other ranks
//===----------------------------------------------------------------------===//

/// Ends the job if rank 0 is silent and this rank makes no progress. The ranks
/// do so one after another, so that the first reports it.
static void judgeRankZero(double now) {
  const RankState &zero = heartbeat->states[0], &own = heartbeat->states[1];
  const int greatestOrder = 5;
  double limit =
      heartbeat->options.timeout + std::min(heartbeat->order, greatestOrder);
  if (!zero.isPresent || now - zero.heard < limit || now - own.moved < limit)
    return;
  if (heartbeat->order < greatestOrder)
    announce(nameOf(0, heartbeat->lines[0].peer) + " " + stallText(zero, now) +
                 "; all ranks end",
             noteOf(reasonOf(/*isSilent=*/true) + ownText() + lastText()));
  endJob({0});
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

static void act(int rank, const Message &message, double now) {
  RankState &state = heartbeat->states[rank];
  switch (message.kind) {
  case Beat: {
    Progress progress;
    progress.sum = message.sum;
    progress.doing = static_cast<Activity>(message.doing);
    progress.text.assign(message.text,
                         strnlen(message.text, sizeof(message.text)));
    progress.last.assign(message.last,
                         strnlen(message.last, sizeof(message.last)));
    state.hear(progress, now);
    break;
  }
  case Done:
    state.isPresent = false;
    break;
  case GaveUp:
    state.isPresent = false;
    if (!heartbeat->options.hasParent)
      endWith(rank, message.number, false);
    break;
  case Kill:
    killSoon(message.number);
    break;
  case End:
    statusTerminated();
    _exit(message.number);
  }
}

/// Handles the end of a connection. The job ends if the rank sent neither Done
/// nor GaveUp before, unless a parent process watches the ranks.
static void onLoss(int rank, double now) {
  RankState &state = heartbeat->states[rank];
  bool wasPresent = state.isPresent;
  state.isPresent = false;
  // The socket stays open: the main thread may be sending.
  heartbeat->lines[rank].isOpen = false;
  if (!wasPresent || heartbeat->options.hasParent)
    return;
  // One of the ranks that see it reports it, unless rank 0 hung: then the rank
  // that ended it has reported it.
  bool speaks = backend::rank() == (rank == 0 ? 1 : 0);
  double timeout = heartbeat->options.timeout;
  if (rank == 0 && timeout > 0 &&
      (now - state.heard > timeout / 2 || heartbeat->wasStopped))
    speaks = false;
  endWith(rank, 0, speaks);
}

static void readFrom(int rank, double now) {
  Line &line = heartbeat->lines[rank];
  while (line.isOpen) {
    ssize_t n = recv(line.peer.socket, line.buffer + line.bytes,
                     sizeof(line.buffer) - line.bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (n <= 0)
      return onLoss(rank, now);
    line.bytes += n;
    if (line.bytes < sizeof(Message))
      continue;
    line.bytes = 0;
    Message message;
    memcpy(&message, line.buffer, sizeof(message));
    act(rank, message, now);
  }
}

static void beat(double now) {
  Message message = {};
  Progress progress = readProgress();
  progress.last = lastOperations(sizeof(message.last));
  heartbeat->states[backend::rank() == 0 ? 0 : 1].hear(progress, now);
  message.kind = Beat;
  message.sum = progress.sum;
  message.doing = static_cast<int32_t>(progress.doing);
  snprintf(message.text, sizeof(message.text), "%s", progress.text.c_str());
  snprintf(message.last, sizeof(message.last), "%s", progress.last.c_str());
  for (const Line &line : heartbeat->lines) {
    // If the other side does not read, nothing more is sent, so that no message
    // is sent in part.
    int unsent = 0;
    if (line.isOpen && !ioctl(line.peer.socket, SIOCOUTQ, &unsent) &&
        unsent < 4096)
      sendTo(line, message);
  }
}

static void watch() {
  bool first = backend::rank() == 0;
  RunningClock clock(heartbeat->tick);
  double next = 0;
  while (true) {
    std::vector<pollfd> entries;
    for (const Line &line : heartbeat->lines)
      // poll skips -1
      entries.push_back({line.isOpen ? line.peer.socket : -1, POLLIN, 0});
    int wait = -1;
    if (heartbeat->tick > 0)
      wait = static_cast<int>(std::max(0.0, next - steadyNow()) * 1000) + 1;
    if (poll(entries.data(), entries.size(), wait) < 0)
      continue;
    double steady = steadyNow();
    bool isWoken = clock.update(steady);
    heartbeat->wasStopped |= isWoken;
    for (size_t i = 0; i < entries.size(); ++i)
      if (entries[i].fd >= 0 && entries[i].revents)
        readFrom(static_cast<int>(i), clock.now());
    if (heartbeat->tick == 0)
      continue;
    // Ranks that were stopped together with this one may not run again yet.
    if (isWoken)
      for (RankState &state : heartbeat->states)
        state.restart(clock.now());
    if (steady < next)
      continue;
    next = steady + heartbeat->tick;
    heartbeat->wasStopped = isWoken;
    beat(clock.now());
    if (first)
      judge(clock.now());
    else
      judgeRankZero(clock.now());
  }
}

void pcc::startHeartbeat(const HeartbeatOptions &options) {
  if (backend::size() == 1)
    return;
  RankConnections connections = connectRanks();
  if (connections.peers.empty()) {
    if (backend::rank() == 0)
      warn("the ranks cannot connect by TCP: if one dies or hangs, only "
           "the launcher can end the others");
    return;
  }
  heartbeat = new Heartbeat;
  addAfterMessage(endHeartbeat);
  heartbeat->options = options;
  heartbeat->order = connections.order;
  heartbeat->processes = connections.processes;
  if (options.timeout > 0)
    heartbeat->tick = std::clamp(options.timeout / 20.0, 0.05, 1.0);
  for (const Peer &peer : connections.peers)
    heartbeat->lines.push_back({peer, {}, 0, peer.socket >= 0});
  heartbeat->states.resize(std::max<size_t>(connections.peers.size(), 2));
  startThread(watch).detach();
}

void pcc::endHeartbeat(int code) {
  if (heartbeat)
    tellAll(code == 0 ? Done : GaveUp, code);
}
