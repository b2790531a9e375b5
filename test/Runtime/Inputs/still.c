// Preloaded into a program, slows it down, stops it, or makes it hang: SLOW_MS:
// each write takes that much longer; SLOW_FLUSH_MS: so does each flush of a
// model. STILL=stop|hang: rank STILL_RANK is stopped, or waits forever, when it
// reads or flushes a file whose path contains STILL_AT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void slow(const char *variable) {
  if (getenv(variable))
    usleep(1000 * atoi(getenv(variable)));
}

static void stand(const char *path) {
  const char *how = getenv("STILL"), *rank = getenv("PCC_RANK");
  if (!rank)
    rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!how || !rank || strcmp(rank, getenv("STILL_RANK")) ||
      !strstr(path, getenv("STILL_AT")))
    return;
  // So that a heartbeat has told other ranks this rank's operation.
  usleep(500000);
  if (!strcmp(how, "stop"))
    kill(getpid(), SIGSTOP);
  else
    while (1)
      pause();
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file) {
  size_t (*next)(const void *, size_t, size_t, FILE *) =
      (size_t (*)(const void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT,
                                                              "fwrite");
  if (file != stdout && file != stderr)
    slow("SLOW_MS");
  return next(data, size, count, file);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
  ssize_t (*next)(int, const void *, size_t, off_t) =
      (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  slow("SLOW_MS");
  return next(file, data, size, at);
}

int fsync(int file) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof(path) - 1) > 0)
    stand(path);
  if (strstr(path, "model"))
    slow("SLOW_FLUSH_MS");
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return next(file);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!(flags & O_CREAT))
    stand(path);
  int (*next)(const char *, int, ...) =
      (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}
