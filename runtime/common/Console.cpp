//===- Console.cpp - Standard output --------------------------------------===//

#include "runtime/common/Console.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace pcc;

static std::atomic<int> failure{0};

void pcc::openConsole() {
  signal(SIGPIPE, SIG_IGN);
  // A new descriptor has the least number that is free.
  int file;
  while ((file = open("/dev/null", O_RDWR)) >= 0 && file <= STDERR_FILENO) {
  }
  close(file);
}

void pcc::print(const std::string &text) {
  for (size_t at = 0; at < text.size() && !failure;) {
    ssize_t n = write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (n >= 0)
      at += n;
    else if (errno == EAGAIN) { // shared with a program that does not wait
      pollfd entry = {STDOUT_FILENO, POLLOUT, 0};
      poll(&entry, 1, -1);
    } else if (errno != EINTR)
      failure = errno;
  }
}

int pcc::consoleError() { return failure; }

bool pcc::isConsoleClosed() {
  // EIO: a terminal that is gone; EBADF: never open for writing.
  return failure == EPIPE || failure == EIO || failure == EBADF;
}
