//===- Machine.cpp - The system of this process ---------------------------===//

#include "runtime/launch/Machine.h"

#include "runtime/support/Error.h"

#include <cstdio>
#include <sys/random.h>
#include <unistd.h>

using namespace pcc;

std::string pcc::hostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::string pcc::bootId() {
  char line[256] = "";
  if (FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re")) {
    if (!fgets(line, sizeof(line), file))
      line[0] = 0;
    fclose(file);
  }
  std::string text = line;
  return text.substr(0, text.find('\n'));
}

std::string pcc::namespaceId(const char *kind) {
  std::string path = std::string("/proc/self/ns/") + kind;
  char link[64];
  ssize_t length = readlink(path.c_str(), link, sizeof(link));
  return bootId() + " " + std::string(link, length > 0 ? length : 0);
}

void pcc::fillRandom(void *memory, size_t bytes) {
  // getrandom() returns up to 256 bytes without interruption.
  if (getrandom(memory, bytes, 0) != static_cast<ssize_t>(bytes))
    fail(ExitInternal, "the system has no random numbers");
}
