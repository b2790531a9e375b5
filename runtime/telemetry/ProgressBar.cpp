//===- ProgressBar.cpp - Progress bar on a terminal -----------------------===//

#include "runtime/telemetry/ProgressBar.h"

#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Console.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace pcc;

/// Whether a bar is on the terminal; error messages erase it, too.
static bool visible = false;

static void erase() {
  if (!visible)
    return;
  print("\r\x1b[K");
  visible = false;
}

int pcc::terminalColumns() {
  const char *kind = getenv("TERM");
  if (!isatty(STDOUT_FILENO) || !kind || !strcmp(kind, "dumb"))
    return 0;
  winsize size = {};
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

static std::string timeText(double seconds) {
  auto whole = static_cast<long long>(seconds + 0.5);
  if (whole >= 3600)
    return format("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  return format("%lld:%02lld", whole / 60, whole % 60);
}

/// Returns the text of a bar, at most `columns` wide: `done` of `total` steps,
/// and the remaining seconds (negative: unknown).
static std::string barText(int64_t done, int64_t total, double seconds,
                           int columns, bool color) {
  double share = total > 0 ? double(done) / total : 1;
  std::string numbers =
      format(" %3d%% %lld/%lld", static_cast<int>(share * 100),
             static_cast<long long>(done), static_cast<long long>(total));
  if (seconds >= 0)
    numbers += ", " + timeText(seconds) + " left";
  // The last column stays empty: some terminals wrap there.
  int room = std::min(columns - 3 - static_cast<int>(numbers.size()), 40);
  if (room < 5)
    return numbers.substr(1, std::max(columns - 1, 0));
  int filled = static_cast<int>(share * room);
  std::string bar = std::string(filled, '=');
  if (color && filled)
    bar = "\x1b[32m" + bar + "\x1b[0m";
  return "[" + bar + std::string(room - filled, ' ') + "]" + numbers;
}

ProgressBar::ProgressBar(int columns, int64_t done, int64_t total)
    : columns(columns), first(done), total(total), begin(steadyNow()) {
  const char *plain = getenv("NO_COLOR");
  color = !plain || !*plain;
  if (columns > 0)
    setBeforeMessage(erase, isConsoleReady);
}

void ProgressBar::show(int64_t done) {
  double time = steadyNow();
  if (columns == 0 || (visible && time - drawn < 0.1 && done < total))
    return;
  double left = -1;
  if (done > first)
    left = (time - begin) / (done - first) * (total - done);
  drawn = time;
  visible = true;
  print("\r" + barText(done, total, left, columns, color) + "\x1b[K");
}

void ProgressBar::hide() { erase(); }
