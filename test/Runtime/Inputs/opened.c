// Preloaded into a program, adds a line "RANK FILE" to $OPENED for each
// optimizer file that a rank opens for reading.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  int (*next)(const char *, int, ...) =
      (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  const char *name = strstr(path, "optim-rank-");
  if (name && (flags & O_ACCMODE) == O_RDONLY && getenv("OPENED")) {
    char line[128];
    const char *rank = getenv("PCC_RANK");
    int size =
        snprintf(line, sizeof(line), "%s %.16s\n", rank ? rank : "0", name);
    int file = next(getenv("OPENED"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (write(file, line, size) != size)
      abort();
    close(file);
  }
  return next(path, flags, mode);
}
