/* Loaded ahead of the C library: nobody finds a library whose path has
   $HIDDEN_LIBRARY in it, and who asks for it is said. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *dlopen(const char *path, int flags) {
  void *(*open)(const char *, int) =
      (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  const char *hidden = getenv("HIDDEN_LIBRARY");
  if (!path || !hidden || !strstr(path, hidden))
    return open(path, flags);
  fprintf(stderr, "hidden: %s\n", path);
  return open("/hidden", flags); /* sets what dlerror() says */
}
