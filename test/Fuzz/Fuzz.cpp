//===- Fuzz.cpp - Common parts of the fuzzers of the runtime's readers ----===//

#include "test/Fuzz/Fuzz.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace pcc;

//===----------------------------------------------------------------------===//
// Error.h
//===----------------------------------------------------------------------===//

std::string pcc::format(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char text[4096];
  vsnprintf(text, sizeof(text), fmt, args);
  va_end(args);
  return text;
}

void pcc::fail(ExitCode, const std::string &, const std::string &) {
  throw fuzz::Failure();
}
void pcc::warn(const std::string &) {}
void pcc::setErrorRank(int, int, void (*)(int)) {}
void pcc::announce(const std::string &, const std::string &) {}
void pcc::setBeforeMessage(void (*)(), bool (*)()) {}
void pcc::setIsTerminated(bool (*)()) {}
void pcc::addAfterMessage(void (*)(int)) {}

//===----------------------------------------------------------------------===//
// Backend.h: one rank
//===----------------------------------------------------------------------===//

int backend::rank() { return 0; }
int backend::size() { return 1; }
void *backend::openView(char *memory, int64_t, Access) { return memory; }
void backend::closeView(void *, char *, int64_t, Access) {}
void backend::broadcast(void *, int64_t, int) {}
void backend::send(const void *, int64_t, int) {}
void backend::receive(void *, int64_t, int) {}
int backend::maxOverRanks(int value) { return value; }
int backend::threads() { return 1; }
void backend::parallelFor(int64_t n,
                          const std::function<void(int64_t, int64_t)> &body) {
  body(0, n);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

std::string fuzz::Input::next() {
  size_t length = byte();
  length |= size_t{byte()} << 8;
  length = std::min(length, static_cast<size_t>(end - at));
  std::string text(reinterpret_cast<const char *>(at), length);
  at += length;
  return text;
}

std::string fuzz::Input::rest() {
  std::string text(reinterpret_cast<const char *>(at), end - at);
  at = end;
  return text;
}

const std::string &fuzz::folder() {
  // Never destroyed: the handler below needs it after all destructors.
  static const std::string *path = [] {
    char name[] = "/dev/shm/pcc-fuzz-XXXXXX";
    if (!mkdtemp(name))
      abort();
    atexit([] {
      clear();
      rmdir(folder().c_str());
    });
    return new std::string(name);
  }();
  return *path;
}

void fuzz::write(const std::string &name, const std::string &bytes) {
  FILE *file = fopen((folder() + "/" + name).c_str(), "wb");
  if (!file || fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
    abort();
  fclose(file);
}

void fuzz::clear() {
  for (const std::string &name : listFolder(folder()))
    unlink((folder() + "/" + name).c_str());
}

void fuzz::use(int64_t value) {
  [[maybe_unused]] static volatile int64_t sink;
  sink = value;
}
