//===- Console.cpp - Standard output --------------------------------------===//

#include "runtime/telemetry/Console.h"

#include "runtime/support/Progress.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace pcc;

static std::atomic<int> failure{0};
static std::atomic<bool> isPrinting{false};

void pcc::openConsole() {
  signal(SIGPIPE, SIG_IGN);
  // open() returns the lowest free descriptor.
  int file;
  while ((file = open("/dev/null", O_RDWR)) >= 0 && file <= STDERR_FILENO) {
  }
  close(file);
}

/// Waits up to `milliseconds` until standard output accepts bytes or has
/// failed. Returns false on timeout.
static bool isWritable(int milliseconds) {
  pollfd entry = {STDOUT_FILENO, POLLOUT, 0};
  return poll(&entry, 1, milliseconds) == 1;
}

void pcc::print(const std::string &text) {
  isPrinting = true;
  for (size_t at = 0; at < text.size() && !failure;) {
    // Waiting for a slow reader (less, Ctrl-S) is not a hang.
    if (!isWritable(1000)) {
      advance();
      continue;
    }
    // A writable pipe accepts this many bytes without blocking.
    size_t bytes = std::min<size_t>(text.size() - at, PIPE_BUF);
    ssize_t n = write(STDOUT_FILENO, text.data() + at, bytes);
    if (n >= 0)
      at += n;
    else if (errno != EAGAIN && errno != EINTR)
      failure = errno;
  }
  isPrinting = false;
}

bool pcc::isConsoleReady() { return !isPrinting && isWritable(0); }

int pcc::consoleError() { return failure; }

bool pcc::isConsoleClosed() {
  // EIO: the terminal was closed; EBADF: never open for writing.
  return failure == EPIPE || failure == EIO || failure == EBADF;
}
