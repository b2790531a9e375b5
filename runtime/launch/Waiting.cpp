//===- Waiting.cpp - How long waiting threads occupy a core ---------------===//

#include "runtime/launch/Waiting.h"

#include <cstdlib>
#include <cstring>
#include <sys/auxv.h>
#include <unistd.h>

// libgomp's spin iterations before a sleep, and OpenMP's wait policy.
static const char *const spins = "GOMP_SPINCOUNT";
static const char *const policy = "OMP_WAIT_POLICY";

static bool isOf(const char *entry, const char *name) {
  size_t length = strlen(name);
  return !strncmp(entry, name, length) && entry[length] == '=';
}

void pcc::limitSpins(char **argv, char **environment) {
  size_t count = 0;
  for (; environment[count]; ++count)
    if (isOf(environment[count], spins) || isOf(environment[count], policy))
      return;
  // Without an interpreter entry the program was started as an argument of the
  // dynamic linker, and /proc/self/exe is the linker.
  if (!getauxval(AT_BASE))
    return;
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length <= 0 || length == sizeof(self))
    return;
  self[length] = 0;
  // Constructors of libraries have not run: memory must not be allocated.
  auto **extended =
      static_cast<char **>(__builtin_alloca((count + 3) * sizeof(char *)));
  memcpy(extended, environment, count * sizeof(char *));
  char limit[] = "GOMP_SPINCOUNT=20000", ours[] = "PCC_LIMITS_SPINS=1";
  extended[count] = limit;
  extended[count + 1] = ours;
  extended[count + 2] = nullptr;
  execve(self, argv, extended);
}

void pcc::stopSpinsOfRanks() {
  if (getenv("PCC_LIMITS_SPINS"))
    unsetenv(spins);
  else if (getenv(spins))
    return;
  setenv(policy, "passive", 0);
}
