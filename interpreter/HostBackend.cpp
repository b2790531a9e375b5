//===- HostBackend.cpp - The runtime's backend for one host rank ----------===//
//
// The functions of a backend that the runtime's code for weights and inputs
// calls. Memory is accessible by the host, all work runs on the calling thread,
// and there are no other ranks.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>

using namespace pcc;

int backend::rank() { return 0; }
int backend::size() { return 1; }
void backend::abortRanks(int code) { _Exit(code); }

void *backend::openView(char *memory, int64_t, Access) { return memory; }
void backend::closeView(void *, char *, int64_t, Access) {}

void backend::broadcast(void *, int64_t, int) {}
void backend::send(const void *, int64_t, int) {
  llvm_unreachable("there is no other rank");
}
void backend::receive(void *, int64_t, int) {
  llvm_unreachable("there is no other rank");
}
int backend::maxOverRanks(int value) { return value; }

int backend::threads() { return 1; }
void backend::parallelFor(int64_t n,
                          const std::function<void(int64_t, int64_t)> &body) {
  body(0, n);
}
