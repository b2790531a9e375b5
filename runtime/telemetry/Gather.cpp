//===- Gather.cpp - Writes one file with texts of all ranks ---------------===//

#include "runtime/telemetry/Gather.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

using namespace pcc;

void pcc::writeGathered(const std::string &path, const std::string &begin,
                        const std::string &own, const std::string &end) {
  if (backend::rank() != 0) {
    int64_t length = own.size();
    backend::send(&length, sizeof(length), 0);
    backend::send(own.data(), length, 0);
    return;
  }
  std::string text = begin + own;
  for (int rank = 1; rank < backend::size(); ++rank) {
    text += ",\n";
    int64_t length = 0;
    backend::receive(&length, sizeof(length), rank);
    size_t at = text.size();
    text.resize(at + length);
    backend::receive(&text[at], length, rank);
  }
  std::string written = isDevice(path) ? path : path + ".tmp";
  std::string error = writeFile(written, text + end);
  if (!error.empty())
    fail(ExitOutput, error);
  if (written != path)
    replaceFile(written, path);
}
