// Preloaded into a program, a file system that has no locks.
#include <errno.h>

int flock(int file, int operation) {
  (void)file, (void)operation;
  errno = ENOLCK;
  return -1;
}
