// Delays the start of every callback of Open MPI's PMIx component by LATE_MS
// milliseconds of work, as on a host whose cores are busy.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void (*callback)(int, short, void *);
typedef int (*assign)(void *, void *, int, short, callback, void *);

struct late {
  callback call;
  void *argument;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void begin(int socket, short events, void *argument) {
  struct late *late = argument;
  double start = now();
  while (now() - start < atof(getenv("LATE_MS")) * 1e-3) {
  }
  late->call(socket, events, late->argument);
  static const char said[] = "a late event\n";
  write(2, said, sizeof(said) - 1);
}

int event_assign(void *event, void *base, int socket, short events,
                 callback call, void *argument) {
  assign next = (assign)dlsym(RTLD_NEXT, "event_assign");
  Dl_info info;
  if (!dladdr((void *)call, &info) || !strstr(info.dli_fname, "mca_pmix"))
    return next(event, base, socket, events, call, argument);
  struct late *late = malloc(sizeof(*late));
  late->call = call;
  late->argument = argument;
  return next(event, base, socket, events, begin, late);
}
