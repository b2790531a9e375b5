//===- IdleThreads.cpp - Waiting for idle threads -------------------------===//

#include "runtime/mpi/IdleThreads.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <unistd.h>

using namespace pcc;

std::set<int> pcc::threadIds() {
  std::set<int> ids;
  DIR *folder = opendir("/proc/self/task");
  if (!folder)
    return ids;
  while (dirent *entry = readdir(folder))
    if (int id = atoi(entry->d_name))
      ids.insert(id);
  closedir(folder);
  return ids;
}

/// True if the thread is running or ready to run; false also if it has ended.
static bool runs(int thread) {
  char path[64], text[512];
  snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = '\0';
  // "id (name) state ...", where the name may hold anything.
  const char *name = strrchr(text, ')');
  return name && !strncmp(name, ") R", 3);
}

bool pcc::waitUntilIdle(const std::set<int> &threads, int milliseconds) {
  // A thread may wake another one that was checked before. So all must sleep in
  // two successive passes.
  int quiet = 0;
  for (int waited = 0; quiet < 2; ++waited) {
    bool busy = false;
    for (int thread : threads)
      busy |= runs(thread);
    quiet = busy ? 0 : quiet + 1;
    if (!busy)
      continue;
    if (waited >= milliseconds)
      return false;
    usleep(1000);
  }
  return true;
}
