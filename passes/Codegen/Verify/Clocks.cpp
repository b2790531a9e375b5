//===- Clocks.cpp - Vector clocks of streams ------------------------------===//

#include "passes/Codegen/Verify/Clocks.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace pcc;

void pcc::join(Clock &clock, const Clock &other) {
  for (size_t stream = 0; stream < clock.size(); ++stream)
    clock[stream] = std::max(clock[stream], other[stream]);
}

std::optional<TimedAccess> ClockState::add(const TimedAccess &access,
                                           const Clock &clock, int64_t begin,
                                           int64_t end, bool isWrite) {
  std::optional<TimedAccess> found;
  auto check = [&](const TimedAccess &earlier) {
    if (!found && earlier.stream >= 0 && clock[earlier.stream] < earlier.number)
      found = earlier;
  };
  if (isWrite) {
    histories.visit(begin, end, [&](int64_t, int64_t, const History *history) {
      if (!history)
        return;
      check(history->writer);
      for (const TimedAccess &reader : history->readers)
        check(reader);
    });
    histories.set(begin, end, {access, {}});
    return found;
  }
  histories.change(begin, end, [&](History &history) {
    check(history.writer);
    auto *same = llvm::find_if(history.readers, [&](const TimedAccess &reader) {
      return reader.stream >= access.stream;
    });
    if (same != history.readers.end() && same->stream == access.stream)
      *same = access;
    else
      history.readers.insert(same, access);
  });
  return found;
}

ClockState ClockState::outside(const Ranges &ranges) const {
  return {counts, clocks, events, histories.outside(ranges)};
}

std::vector<int64_t> ClockState::canonicalize() {
  size_t streams = counts.size();
  Clock known = clocks.front();
  for (const Clock &clock : clocks)
    for (size_t stream = 0; stream < streams; ++stream)
      known[stream] = std::min(known[stream], clock[stream]);
  // A stream that waits for the event has a clock of at least `known`.
  for (std::optional<Clock> &event : events)
    if (event)
      join(*event, known);
  Intervals<History> rest;
  for (auto [begin, end, history] : histories.getRuns()) {
    auto isKnown = [&](const TimedAccess &access) {
      return access.stream < 0 || access.number <= known[access.stream];
    };
    if (isKnown(history.writer))
      history.writer = {};
    llvm::erase_if(history.readers, isKnown);
    if (history.writer.stream >= 0 || !history.readers.empty())
      rest.set(begin, end, history);
  }
  histories = std::move(rest);

  // Numbers are only compared with entries of clocks, so their rank among these
  // entries represents them.
  std::vector<std::set<int64_t>> values(streams);
  auto note = [&](const Clock &clock) {
    for (size_t stream = 0; stream < streams; ++stream)
      values[stream].insert(clock[stream]);
  };
  llvm::for_each(clocks, note);
  for (const std::optional<Clock> &event : events)
    if (event)
      note(*event);
  std::vector<std::vector<int64_t>> sorted;
  for (const std::set<int64_t> &set : values)
    sorted.emplace_back(set.begin(), set.end());
  std::vector<int64_t> key;
  auto put = [&](int64_t stream, int64_t number) {
    key.push_back(llvm::lower_bound(sorted[stream], number) -
                  sorted[stream].begin());
  };
  auto putClock = [&](const Clock &clock) {
    for (size_t stream = 0; stream < streams; ++stream)
      put(stream, clock[stream]);
  };
  auto putAccess = [&](const TimedAccess &access) {
    key.push_back(access.stream);
    if (access.stream >= 0)
      put(access.stream, access.number);
  };
  llvm::for_each(clocks, putClock);
  for (const std::optional<Clock> &event : events) {
    key.push_back(event.has_value());
    if (event)
      putClock(*event);
  }
  for (const auto &[begin, end, history] : histories.getRuns()) {
    key.insert(key.end(), {begin, end, int64_t(history.readers.size())});
    putAccess(history.writer);
    llvm::for_each(history.readers, putAccess);
  }
  return key;
}

/// Calls visit(stream, number, other) for all pairs of corresponding numbers of
/// two states. Returns false if the states differ in structure.
static bool
visitBoth(const ClockState &a, const ClockState &b,
          llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
  auto visitClocks = [&](const Clock &one, const Clock &other) {
    for (size_t stream = 0; stream < one.size(); ++stream)
      visit(stream, one[stream], other[stream]);
  };
  for (auto [one, other] : llvm::zip(a.clocks, b.clocks))
    visitClocks(one, other);
  for (auto [one, other] : llvm::zip(a.events, b.events)) {
    if (one.has_value() != other.has_value())
      return false;
    if (one)
      visitClocks(*one, *other);
  }
  auto runsA = a.histories.getRuns(), runsB = b.histories.getRuns();
  if (runsA.size() != runsB.size())
    return false;
  for (auto [one, other] : llvm::zip(runsA, runsB)) {
    const History &then = std::get<2>(one), &now = std::get<2>(other);
    if (std::get<0>(one) != std::get<0>(other) ||
        std::get<1>(one) != std::get<1>(other) ||
        then.writer.stream != now.writer.stream ||
        then.readers.size() != now.readers.size())
      return false;
    if (then.writer.stream >= 0)
      visit(then.writer.stream, then.writer.number, now.writer.number);
    for (auto [reader, later] : llvm::zip(then.readers, now.readers)) {
      if (reader.stream != later.stream)
        return false;
      visit(reader.stream, reader.number, later.number);
    }
  }
  return true;
}

std::optional<Growth> Growth::find(const ClockState &before,
                                   const ClockState &after) {
  Growth growth;
  for (auto [then, now] : llvm::zip(before.counts, after.counts)) {
    growth.step.push_back(now - then);
    growth.old.push_back(-1);
  }
  Clock least(growth.step.size(), std::numeric_limits<int64_t>::max());
  bool isSteady = true;
  bool isAlike =
      visitBoth(before, after, [&](int64_t stream, int64_t then, int64_t now) {
        if (now == then)
          growth.old[stream] = std::max(growth.old[stream], then);
        else if (now - then == growth.step[stream])
          least[stream] = std::min(least[stream], then);
        else
          isSteady = false;
      });
  if (!isAlike || !isSteady)
    return std::nullopt;
  // Numbers that grow must stay above numbers that do not.
  for (auto [old, grown] : llvm::zip(growth.old, least))
    if (grown <= old)
      return std::nullopt;
  return growth;
}

Clock Growth::grow(Clock clock, int64_t times) const {
  for (size_t stream = 0; stream < clock.size(); ++stream)
    clock[stream] = grow(stream, clock[stream], times);
  return clock;
}

void Growth::grow(ClockState &state, int64_t times,
                  const Ranges &separate) const {
  for (size_t stream = 0; stream < step.size(); ++stream)
    state.counts[stream] += times * step[stream];
  for (Clock &clock : state.clocks)
    clock = grow(std::move(clock), times);
  for (std::optional<Clock> &event : state.events)
    if (event)
      event = grow(std::move(*event), times);
  for (auto [begin, end] : between(separate))
    state.histories.changeSet(begin, end, [&](History &history) {
      TimedAccess &writer = history.writer;
      if (writer.stream >= 0)
        writer.number = grow(writer.stream, writer.number, times);
      for (TimedAccess &reader : history.readers)
        reader.number = grow(reader.stream, reader.number, times);
    });
}
