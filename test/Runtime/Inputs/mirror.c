// Preloaded into a program: its first sockets that connect to a port of this
// host without a listener are connected with themselves. The system does this
// if it chooses that port as the socket's own. Writes their number to the file
// MIRRORS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int connect(int socket, const struct sockaddr *to, socklen_t length) {
  int (*next)(int, const struct sockaddr *, socklen_t) =
      (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT,
                                                              "connect");
  static int count = 0;
  if (to->sa_family == AF_INET && count < 3 &&
      ((const struct sockaddr_in *)to)->sin_addr.s_addr ==
          htonl(INADDR_LOOPBACK) &&
      bind(socket, to, length) == 0) {
    ++count;
    FILE *log = fopen(getenv("MIRRORS"), "a");
    fprintf(log, "one\n");
    fclose(log);
  }
  return next(socket, to, length);
}
