// Preloaded into a program, opens unauthenticated connections to each TCP port
// on which it begins to listen: some are silent, some send a byte or nonsense.
// Writes the ports' addresses to the file STRANGERS. STRANGERS_COUNT: the
// number of connections.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int listen(int listener, int backlog) {
  int (*next)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "listen");
  int result = next(listener, backlog);
  struct sockaddr_in address;
  socklen_t length = sizeof(address);
  if (getsockname(listener, (struct sockaddr *)&address, &length) ||
      address.sin_family != AF_INET)
    return result;
  FILE *log = fopen(getenv("STRANGERS"), "a");
  fprintf(log, "%s\n", inet_ntoa(address.sin_addr));
  fclose(log);
  char nonsense[100];
  memset(nonsense, 'x', sizeof(nonsense));
  const char *count = getenv("STRANGERS_COUNT");
  for (int i = 0; i < (count ? atoi(count) : 200); ++i) {
    int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(stranger, (struct sockaddr *)&address, length) == 0 && i % 3)
      send(stranger, nonsense, i % 3 == 1 ? 1 : sizeof(nonsense), 0);
  }
  return result;
}
