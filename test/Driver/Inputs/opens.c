// Preloaded: prints the path of each opened model to standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef int (*opener)(const char *, int, ...);

static int opens(const char *name, const char *path, int flags, va_list list) {
  size_t length = strlen(path);
  if (length > 5 && !strcmp(path + length - 5, ".onnx"))
    dprintf(2, "opens %s\n", path);
  int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  return ((opener)dlsym(RTLD_NEXT, name))(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int file = opens("open", path, flags, list);
  va_end(list);
  return file;
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int file = opens("open64", path, flags, list);
  va_end(list);
  return file;
}
