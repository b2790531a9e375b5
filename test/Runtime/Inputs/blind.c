// Preloaded into a program, hides from rank BLIND the file by which ranks
// detect whether they share a folder: as if each host had a separate disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int lstat(const char *path, struct stat *status) {
  const char *rank = getenv("PCC_RANK"), *blind = getenv("BLIND");
  if (rank && blind && !strcmp(rank, blind) && strstr(path, "/seen-")) {
    errno = ENOENT;
    return -1;
  }
  int (*next)(const char *, struct stat *) =
      (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "lstat");
  return next(path, status);
}
