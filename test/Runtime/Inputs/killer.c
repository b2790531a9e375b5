// Preloaded into a program, ends it like SIGKILL before the KILL_AT-th call
// that changes files; of several ranks, only rank KILL_RANK. With
// NO_EXCHANGE=1, the file system cannot exchange names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void count(void) {
  static int calls = 0, at = -1;
  const char *chosen = getenv("KILL_RANK");
  const char *rank = getenv("PCC_RANK");
  if (!rank)
    rank = getenv("OMPI_COMM_WORLD_RANK");
  if (chosen && (!rank || atoi(rank) != atoi(chosen)))
    return;
  if (at < 0)
    at = getenv("KILL_AT") ? atoi(getenv("KILL_AT")) : 0;
  if (++calls == at)
    kill(getpid(), SIGKILL);
}

#define WRAP(type, name, parameters, arguments)                                \
  type name parameters {                                                       \
    static type(*next) parameters;                                             \
    if (!next)                                                                 \
      next = (type(*) parameters)dlsym(RTLD_NEXT, #name);                      \
    count();                                                                   \
    return next arguments;                                                     \
  }

WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, fdopen, (int file, const char *mode), (file, mode))
WRAP(size_t, fwrite, (const void *p, size_t s, size_t n, FILE *f), (p, s, n, f))
WRAP(ssize_t, pwrite, (int file, const void *p, size_t n, off_t at),
     (file, p, n, at))
WRAP(int, ftruncate, (int file, off_t size), (file, size))
WRAP(int, fflush, (FILE * f), (f))
WRAP(int, fclose, (FILE * f), (f))
WRAP(int, fsync, (int file), (file))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, unlinkat, (int folder, const char *name, int flags),
     (folder, name, flags))
WRAP(int, rmdir, (const char *path), (path))
WRAP(int, rename, (const char *from, const char *to), (from, to))

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  static int (*next)(int, const char *, int, const char *, unsigned);
  if (!next)
    next = (int (*)(int, const char *, int, const char *, unsigned))dlsym(
        RTLD_NEXT, "renameat2");
  count();
  if (getenv("NO_EXCHANGE")) {
    errno = EINVAL;
    return -1;
  }
  return next(a, from, b, to, flags);
}
