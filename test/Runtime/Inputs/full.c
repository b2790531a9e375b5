// Preloaded into a program, fails to flush files whose path contains $FULL,
// like a full disk. With GONE, runs that command once instead.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fsync(int file) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof(path) - 1) > 0 && getenv("FULL") &&
      strstr(path, getenv("FULL"))) {
    if (!getenv("GONE")) {
      errno = ENOSPC;
      return -1;
    }
    char command[256];
    snprintf(command, sizeof(command), "%s", getenv("GONE"));
    unsetenv("FULL");
    unsetenv("LD_PRELOAD");
    if (system(command))
      abort();
  }
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return next(file);
}
