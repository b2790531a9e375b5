//===- Streams.cpp - Streams and events of the double ---------------------===//

#include "test/Cuda/Double/Streams.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

using namespace fake;

/// A delayed device starts when the host is this many operations ahead, or
/// waits.
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

bool Streams::isFault(const char *name, int64_t &count) {
  return fault == name && count++ == faultAt;
}

CUresult Streams::push(CUstream stream, CUstream_st::Operation operation) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    checkLocked(stream);
    bool works = operation.run && !operation.event && !operation.ended;
    if (works && isFault("swap-stream", operations))
      stream = streams[stream->number % streams.size()].get();
    if (stream->capture) {
      if (!stream->capture->isValid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      addNode(stream)->run = std::move(operation.run);
      return CUDA_SUCCESS;
    }
    stream->queue.push_back(std::move(operation));
    ++pending;
  }
  changed.notify_all();
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

CUgraphNode Streams::addNode(CUstream stream) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->after = stream->next;
  node->lane = stream;
  stream->next = {node.get()};
  stream->capture->graph->nodes.push_back(std::move(node));
  return stream->capture->graph->nodes.back().get();
}

CUresult Streams::checkUnsafe() {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::shared_ptr<Capture> &capture : captures)
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
      capture->isValid = false;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return CUDA_SUCCESS;
}

CUresult Streams::beginCapture(CUstream stream, CUstreamCaptureMode mode) {
  std::lock_guard<std::mutex> lock(mutex);
  checkLocked(stream);
  if (stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  static uint64_t count = 0;
  auto capture = std::make_shared<Capture>();
  capture->origin = stream;
  capture->mode = mode;
  capture->number = ++count;
  capture->streams = {stream};
  captures.push_back(capture);
  stream->capture = capture;
  return CUDA_SUCCESS;
}

CUresult Streams::endCapture(CUstream stream, CUgraph *graph) {
  std::lock_guard<std::mutex> lock(mutex);
  *graph = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) {
    capture->isValid = false;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  std::set<CUgraphNode> joined = pastOf(stream->next);
  bool isJoined = true;
  for (CUstream part : capture->streams) {
    for (CUgraphNode node : part->next)
      isJoined &= joined.count(node) != 0;
    part->next.clear();
    part->capture = nullptr;
  }
  capture->isOver = true;
  captures.erase(std::find(captures.begin(), captures.end(), capture));
  if (!capture->isValid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!isJoined)
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  *graph = capture->graph.release();
  return CUDA_SUCCESS;
}

CUresult Streams::waitInCapture(CUstream stream, CUevent event) {
  std::shared_ptr<Capture> &mine = stream->capture;
  if (!event->capture) {
    mine->isValid = false;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (event->capture->isOver) {
    if (mine)
      mine->isValid = false;
    return CUDA_ERROR_CAPTURED_EVENT;
  }
  if (mine && mine != event->capture) {
    mine->isValid = event->capture->isValid = false;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (!event->capture->isValid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!mine) {
    mine = event->capture;
    mine->streams.push_back(stream);
  }
  stream->next.insert(event->places.begin(), event->places.end());
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

CUresult Streams::record(CUevent event, CUstream stream, bool isExternal) {
  CUstream_st::Operation operation;
  {
    std::lock_guard<std::mutex> lock(mutex);
    checkLocked(stream);
    if (isExternal && !stream->capture)
      refuse("an external record where nothing is captured");
    if (stream->capture) {
      if (!stream->capture->isValid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      if (isExternal) {
        addNode(stream)->records = event;
      } else {
        event->capture = stream->capture;
        event->places = stream->next;
      }
      return CUDA_SUCCESS;
    }
    event->capture = nullptr;
    event->places.clear();
    operation.ended = event;
    operation.endedRecord = ++event->records;
    event->pending.insert(event->records);
  }
  return push(stream, std::move(operation));
}

CUresult Streams::wait(CUstream stream, CUevent event, bool isExternal) {
  CUstream_st::Operation operation;
  {
    std::lock_guard<std::mutex> lock(mutex);
    checkLocked(stream);
    bool isJoin = stream->capture && stream->capture->origin == stream;
    if (isExternal ? isFault("drop-external", externals)
                   : isFault("drop-wait", waits) ||
                         (isJoin && isFault("drop-join", joins)))
      return CUDA_SUCCESS;
    if (isExternal) {
      if (!stream->capture)
        refuse("an external wait where nothing is captured");
      if (event->capture)
        refuse("an external wait for an event of a capture");
      if (!stream->capture->isValid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      addNode(stream)->waits = event;
      return CUDA_SUCCESS;
    }
    if (stream->capture || event->capture)
      return waitInCapture(stream, event);
    // As in the driver: wait for the last record so far; without one there is
    // no wait.
    operation.event = event;
    operation.record = event->records;
  }
  return operation.record ? push(stream, std::move(operation)) : CUDA_SUCCESS;
}

CUresult Streams::synchronize(CUevent event) {
  std::unique_lock<std::mutex> lock(mutex);
  if (event->capture) {
    event->capture->isValid = false;
    return CUDA_ERROR_CAPTURED_EVENT;
  }
  uint64_t record = event->records;
  ++waiting;
  changed.notify_all();
  changed.wait(lock, [&] { return event->isOver(record); });
  --waiting;
  return CUDA_SUCCESS;
}

CUresult Streams::synchronize() {
  std::unique_lock<std::mutex> lock(mutex);
  if (!captures.empty())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  ++waiting;
  changed.notify_all();
  changed.wait(lock, [&] { return pending == 0; });
  --waiting;
  return CUDA_SUCCESS;
}

CUresult Streams::query(CUevent event) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (event->capture) {
      event->capture->isValid = false;
      return CUDA_ERROR_CAPTURED_EVENT;
    }
    isAsked = !event->isOver(event->records);
    if (!isAsked)
      return CUDA_SUCCESS;
  }
  changed.notify_all();
  return CUDA_ERROR_NOT_READY;
}

CUresult Streams::launch(CUgraphExec graph, CUstream stream) {
  CUstream_st::Operation operation;
  {
    std::lock_guard<std::mutex> lock(mutex);
    checkLocked(stream);
    if (stream->capture)
      refuse("a graph within a graph");
    if (isFault("swap-graph", launches) && lastLaunched)
      graph = lastLaunched;
    lastLaunched = graph;
    operation.graph = fake::launch(graph);
  }
  return push(stream, std::move(operation));
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

std::vector<Streams::Ready> Streams::findReady() {
  std::vector<Ready> ready;
  for (const auto &stream : streams) {
    if (stream->queue.empty())
      continue;
    const CUstream_st::Operation &next = stream->queue.front();
    // Launches of one graph are serialized.
    bool mayBegin =
        !next.graph || (next.graph->isBegun ? next.graph->left == 0
                                            : !next.graph->graph->isRunning);
    if (mayBegin && (!next.event || next.event->isOver(next.record)))
      ready.push_back({stream.get(), nullptr, nullptr});
  }
  for (const std::shared_ptr<Run> &run : runs)
    for (CUgraphNode node : run->ready)
      if (!node->waits || node->waits->isOver(run->records.at(node)))
        ready.push_back({node->lane, run, node});
  return ready;
}

/// Chooses executable work; returns false if there is none.
bool Streams::choose(Ready &chosen) {
  std::vector<Ready> ready = findReady();
  if (ready.empty())
    return false;
  chosen = ready[chance() % ready.size()];
  if (late != Late::Streams)
    return true;
  for (const Ready &other : ready)
    if (other.stream && other.stream == favourite && chance() % 32) {
      chosen = other;
      return true;
    }
  favourite = chosen.stream;
  return true;
}

void Streams::finish(Run &run, CUgraphNode node) {
  if (node->records)
    node->records->pending.erase(run.records.at(node));
  for (CUgraphNode user : run.graph->users[node])
    if (--run.missing[user] == 0)
      run.ready.push_back(user);
  --run.left;
}

void Streams::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    Ready next;
    changed.wait(lock, [&] {
      bool begins =
          late != Late::Device || waiting || isAsked || pending > farAhead;
      return begins && choose(next);
    });
    // A stream or launch stays at its current operation: only this thread
    // dequeues.
    auto perform = [&](const std::function<void()> &run) {
      if (!run)
        return;
      lock.unlock();
      run();
      lock.lock();
    };
    if (next.run) {
      auto &ready = next.run->ready;
      ready.erase(std::find(ready.begin(), ready.end(), next.node));
      perform(next.node->run);
      finish(*next.run, next.node);
      changed.notify_all();
      continue;
    }
    CUstream stream = next.stream;
    if (std::shared_ptr<Run> graph = stream->queue.front().graph;
        graph && !graph->isBegun) {
      graph->isBegun = graph->graph->isRunning = true;
      runs.push_back(graph);
      continue;
    }
    CUstream_st::Operation done = std::move(stream->queue.front());
    stream->queue.pop_front();
    --pending;
    perform(done.run);
    if (done.graph) {
      done.graph->graph->isRunning = false;
      runs.erase(std::find(runs.begin(), runs.end(), done.graph));
    }
    if (done.ended)
      done.ended->pending.erase(done.endedRecord);
    changed.notify_all();
  }
}
