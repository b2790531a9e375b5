//===- Streams.cpp - Streams and events of the double ---------------------===//

#include "test/Cuda/Double/Streams.h"

#include <cstdlib>
#include <sstream>

using namespace fake;

/// A device that is late begins when the host is so far ahead, or waits.
static const int64_t farAhead = 2000;

Streams &fake::streams() {
  static auto &streams = *new Streams;
  return streams;
}

Streams::Streams() {
  const char *seed = getenv("PCC_DOUBLE_SEED");
  uint64_t drawn = seed ? strtoull(seed, nullptr, 10) : 0;
  late = static_cast<Late>(drawn % 3);
  chance.seed(drawn);
  if (const char *given = getenv("PCC_DOUBLE_FAULT"))
    std::istringstream(given) >> fault >> faultAt;
  std::thread([this] { run(); }).detach();
}

void Streams::checkLocked(CUstream stream) const {
  for (const auto &known : streams)
    if (known.get() == stream)
      return;
  refuse("no such stream");
}

CUstream Streams::create() {
  std::lock_guard<std::mutex> lock(mutex);
  streams.push_back(std::make_unique<CUstream_st>());
  streams.back()->number = static_cast<int>(streams.size());
  return streams.back().get();
}

void Streams::check(CUstream stream) const { checkLocked(stream); }

void Streams::push(CUstream stream, CUstream_st::Operation operation) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    checkLocked(stream);
    bool works = operation.run && !operation.event && !operation.ended;
    if (works && fault == "swap-stream" && operations++ == faultAt)
      stream = streams[stream->number % streams.size()].get();
    stream->queue.push_back(std::move(operation));
    ++pending;
  }
  changed.notify_all();
}

void Streams::record(CUevent event, CUstream stream) {
  uint64_t record;
  {
    std::lock_guard<std::mutex> lock(mutex);
    record = ++event->records;
    event->pending.insert(record);
  }
  CUstream_st::Operation operation;
  operation.ended = event;
  operation.endedRecord = record;
  push(stream, std::move(operation));
}

void Streams::wait(CUstream stream, CUevent event) {
  CUstream_st::Operation operation;
  {
    std::lock_guard<std::mutex> lock(mutex);
    // As the driver has it: the last record so far; of none, nothing.
    operation.event = event;
    operation.record = event->records;
    if (fault == "drop-wait" && waits++ == faultAt)
      operation.record = 0;
  }
  if (operation.record)
    push(stream, std::move(operation));
}

void Streams::synchronize(CUevent event) {
  std::unique_lock<std::mutex> lock(mutex);
  uint64_t record = event->records;
  ++waiting;
  changed.notify_all();
  changed.wait(lock, [&] { return event->isOver(record); });
  --waiting;
}

bool Streams::isOver(CUevent event) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isAsked = !event->isOver(event->records);
    if (!isAsked)
      return true;
  }
  changed.notify_all();
  return false;
}

/// A stream that may go on; null: none may.
CUstream Streams::choose() {
  std::vector<CUstream> ready;
  for (const auto &stream : streams) {
    if (stream->queue.empty())
      continue;
    const CUstream_st::Operation &next = stream->queue.front();
    if (!next.event || next.event->isOver(next.record))
      ready.push_back(stream.get());
  }
  if (ready.empty())
    return nullptr;
  CUstream chosen = ready[chance() % ready.size()];
  if (late != Late::Streams)
    return chosen;
  for (CUstream stream : ready)
    if (stream == favourite && chance() % 32)
      return stream;
  return favourite = chosen;
}

void Streams::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    CUstream stream = nullptr;
    changed.wait(lock, [&] {
      bool begins =
          late != Late::Device || waiting || isAsked || pending > farAhead;
      return begins && (stream = choose());
    });
    CUstream_st::Operation next = std::move(stream->queue.front());
    stream->queue.pop_front();
    --pending;
    if (next.run) {
      // The stream stays at it: only this thread takes operations.
      lock.unlock();
      next.run();
      lock.lock();
    }
    if (next.ended) {
      next.ended->pending.erase(next.endedRecord);
      changed.notify_all();
    }
  }
}
