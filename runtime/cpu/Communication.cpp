//===- Communication.cpp - Issues requests to the engine ------------------===//

#include "runtime/cpu/Communication.h"

#include "runtime/cpu/Engine.h"
#include "runtime/cpu/Running.h"
#include "runtime/support/Clock.h"

#include <unistd.h>

using namespace pcc;

/// Never freed: other threads may abort while the process ends.
static Engine *engine = nullptr;

void Stream::noteDone() {
  done.store(done.load() + 1);
  noteIdle();
}

void Stream::noteIdle() {
  if (engine)
    engine->lookAgain();
}

void communication::start(std::unique_ptr<Transport> transport) {
  engine = new Engine(std::move(transport));
  engine->start();
}

Transport *communication::transport() {
  return engine ? engine->transport.get() : nullptr;
}

void communication::issue(Stream &stream, std::unique_ptr<Request> request,
                          bool waits) {
  ++stream.issued;
  request->issuedAt = steadyNow();
  stream.lastName = request->name;
  stream.lastDetail = request->detail;
  if (engine)
    engine->issue(stream, std::move(request), waits);
  else
    Engine::runHere(stream, std::move(request));
}

void communication::wait(const Event &event) {
  if (event.stream && !event.stream->hasDone(event.count))
    engine->wait(event);
}

void communication::run(Stream &stream, std::unique_ptr<Request> request) {
  issue(stream, std::move(request), /*waits=*/true);
  wait(stream.recorded());
}

void communication::call(const std::function<void()> &body) {
  if (!engine || !engine->transport->isPolled())
    return body();
  auto request = std::make_unique<Request>();
  request->post = [&body](int64_t, int, int, Posted &) {
    body();
    return false;
  };
  run(engine->calls, std::move(request));
}

void communication::end() {
  if (!engine)
    return;
  engine->end();
  engine = nullptr;
}

void communication::abort(int code) {
  if (Engine *running = engine)
    running->abort(code);
  _exit(code);
}
