//===- JobMemory.cpp - The memory that a self-started job shares ----------===//

#include "runtime/launch/JobMemory.h"

#include "runtime/launch/HugePages.h"
#include "runtime/launch/Machine.h"
#include "runtime/support/Error.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace pcc;

/// The descriptor, and a random number.
static const char *const environmentName = "PCC_JOB";

/// -1: not known yet.
static int jobFile = -1;

/// Creates a file with small pages. Returns -1 with errno set on failure.
static int createInMemory() {
  const char *name = "pcc-job";
  // Some systems permit only files that cannot be executed. Kernels before 6.3
  // do not know the flag.
  const unsigned noExec = 8; // MFD_NOEXEC_SEAL
  int file = memfd_create(name, noExec);
  return file < 0 && errno == EINVAL ? memfd_create(name, 0) : file;
}

std::string pcc::createJobMemory(int64_t ranks) {
  // Not closed by exec: the ranks inherit it.
  jobFile = createHugePagesFile();
  if (jobFile < 0)
    jobFile = createInMemory();
  // A limit of file sizes must not end this process by a signal.
  signal(SIGXFSZ, SIG_IGN);
  if (jobFile < 0 || ftruncate(jobFile, arenaOffset(ranks))) {
    int error = errno;
    fail(ExitWorld,
         format("cannot create the memory that the ranks share: %s",
                strerror(error)),
         error == EFBIG
             ? "'ulimit -f' limits the size of files; set it to unlimited"
             : "the system must permit memfd_create(), or a tmpfs in a "
               "namespace");
  }
  uint64_t number;
  fillRandom(&number, sizeof(number));
  std::string value =
      format("%d-%016llx", jobFile, static_cast<unsigned long long>(number));
  setenv(environmentName, value.c_str(), 1);
  return environmentName + ("=" + value);
}

bool pcc::hasJobMemory() {
  if (jobFile >= 0)
    return true;
  const char *value = getenv(environmentName);
  int file = value ? atoi(value) : -1;
  if (file < 0 || fcntl(file, F_GETFD) < 0)
    return false;
  jobFile = file;
  return true;
}

void *pcc::mapJobMemory(int64_t offset, int64_t bytes, void *at) {
  void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (at ? MAP_FIXED : 0), jobFile, offset);
  return memory == MAP_FAILED ? nullptr : memory;
}
