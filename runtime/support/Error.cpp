//===- Error.cpp - Exit codes and fatal errors ----------------------------===//

#include "runtime/support/Error.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace pcc;

static int errorRank = 0, errorSize = 1;
static void (*abortRanks)(int code) = nullptr;
static void (*beforeMessage)() = nullptr;
static bool (*mayClearNow)() = nullptr;
static bool (*isTerminated)() = nullptr;
/// Null after the last one; more entries than libraries register.
static void (*afterMessage[8])(int code) = {};

std::string pcc::format(const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int length = vsnprintf(nullptr, 0, fmt, args);
  va_end(args);
  std::string text(length, '\0');
  vsnprintf(text.data(), length + 1, fmt, again);
  va_end(again);
  return text;
}

static std::string prefix() {
  return errorSize > 1 ? format("[rank %d] ", errorRank) : std::string();
}

void pcc::setErrorRank(int rank, int size, void (*abort)(int code)) {
  errorRank = rank;
  errorSize = size;
  abortRanks = abort;
}

void pcc::setBeforeMessage(void (*clear)(), bool (*isReady)()) {
  mayClearNow = isReady;
  beforeMessage = clear;
}

void pcc::setIsTerminated(bool (*isTold)()) { isTerminated = isTold; }

void pcc::addAfterMessage(void (*tell)(int code)) {
  for (auto &place : afterMessage)
    if (!place || place == tell) {
      place = tell;
      return;
    }
}

static void say(const std::string &message, const std::string &note) {
  std::string text = prefix() + "error: " + message + "\n";
  if (!note.empty())
    text += prefix() + "note: " + note + "\n";
  // One write, so that lines of several ranks do not mix.
  fputs(text.c_str(), stderr);
  fflush(stderr);
}

void pcc::announce(const std::string &message, const std::string &note) {
  if (beforeMessage && mayClearNow())
    beforeMessage();
  say(message, note);
}

void pcc::fail(ExitCode code, const std::string &message,
               const std::string &note) {
  // If rank 0 failed too, its abort reaches this rank during the wait, as
  // SIGTERM or SIGKILL. If it did not, the stagger by rank lets one of the
  // other ranks report first.
  if (errorRank > 0) {
    auto isTold = [] { return isTerminated && isTerminated(); };
    bool asked = isTold(); // before the failure: by the user
    usleep(1500000 + 20000 * (errorRank < 100 ? errorRank : 100));
    if (!asked && isTold())
      _exit(code);
  }

  if (beforeMessage)
    beforeMessage();
  say(message, note);
  for (auto tell : afterMessage)
    if (tell)
      tell(code);
  if (abortRanks)
    abortRanks(code);
  _exit(code);
}

void pcc::warn(const std::string &message) {
  if (beforeMessage)
    beforeMessage();
  fprintf(stderr, "%swarning: %s\n", prefix().c_str(), message.c_str());
}
