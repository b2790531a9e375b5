// Preloaded: the process that should start the ranks of a job hangs instead,
// and ignores signals.

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void hang(void) {
  if (!getenv("PCC_STARTS_RANKS"))
    return;
  int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); ++i)
    signal(numbers[i], SIG_IGN);
  while (1)
    sleep(1);
}
