//===- Writers.cpp - Which ranks can write a checkpoint -------------------===//

#include "runtime/checkpoint/Writers.h"

#include "runtime/Backend.h"
#include "runtime/launch/Machine.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <unistd.h>

using namespace pcc;

std::vector<bool> pcc::findWriters(const std::string &folder,
                                   std::string &error) {
  int ranks = backend::size();
  std::vector<bool> writers(ranks, true);
  if (ranks == 1)
    return writers;
  // A file with a random name, which no other folder contains.
  uint64_t token = 0;
  if (backend::rank() == 0)
    fillRandom(&token, sizeof(token));
  backend::broadcast(&token, sizeof(token), 0);
  std::string path =
      folder + format("/seen-%016llx", static_cast<unsigned long long>(token));
  if (backend::rank() == 0) {
    int file = createDescriptor(path);
    error = file < 0 ? cannotWrite(path) : syncAndClose(file, path);
  }
  backend::maxOverRanks(0);
  std::vector<char> sees(ranks, 1);
  if (backend::rank() != 0) {
    sees[0] = exists(path);
    backend::send(sees.data(), 1, 0);
  } else {
    for (int rank = 1; rank < ranks; ++rank)
      backend::receive(&sees[rank], 1, rank);
    unlink(path.c_str());
  }
  backend::broadcast(sees.data(), ranks, 0);
  for (int rank = 0; rank < ranks; ++rank)
    writers[rank] = sees[rank] != 0;
  return writers;
}
