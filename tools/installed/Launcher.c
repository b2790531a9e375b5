/* Starts the `pcc` of its own folder under its own name, by which pcc selects
   the tool. A link would do, but Python's packages have none. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char own[4096], program[4096];
  ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
  if (argc < 1 || length < 0) {
    fputs("error: /proc/self/exe cannot be read\n", stderr);
    return 1;
  }
  own[length] = 0;
  strcpy(program, own);
  strcpy(strrchr(program, '/') + 1, "pcc");
  argv[0] = own;
  execv(program, argv);
  fprintf(stderr, "%s: error: ", own);
  perror(program);
  return 1;
}
