// Preloaded into a program, emulates a file system without locks.
#include <errno.h>

int flock(int file, int operation) {
  (void)file, (void)operation;
  errno = ENOLCK;
  return -1;
}
