//===- TokenFile.cpp - Memory-mapped token data ---------------------------===//

#include "runtime/common/TokenFile.h"

#include "runtime/common/Error.h"

#include <cstring>

using namespace pcc;

TokenFile::TokenFile(const std::string &path)
    : file(path, ExitData, "data file", "--data names a file of tokens") {
  const int64_t headerBytes = 256 * 4;
  int32_t header[3] = {};
  if (file.size() >= headerBytes)
    memcpy(header, file.data(), sizeof(header));
  if (!memcmp(file.data(), "MMIDIDX", file.size() < 7 ? 0 : 7) &&
      file.size() >= 7)
    fail(ExitData,
         format("'%s' is the index of a Megatron data set, which "
                "this program cannot read",
                path.c_str()),
         "it reads llm.c .bin files and headerless uint16 tokens");

  if (header[0] != 20240520 && header[0] != 20240801) {
    if (file.size() % 2)
      fail(ExitData, format("'%s' is neither an llm.c .bin nor a sequence of "
                            "uint16 tokens: its %lld bytes are odd",
                            path.c_str(), static_cast<long long>(file.size())));
    kind = "uint16";
    first = file.data();
    tokens = file.size() / 2;
    return;
  }
  kind = "llm.c";
  wide = header[0] == 20240801;
  int expected = wide ? 7 : 1;
  if (header[1] != expected)
    fail(ExitData, format("'%s' is an llm.c file of version %d; version %d is "
                          "known",
                          path.c_str(), header[1], expected));
  first = file.data() + headerBytes;
  tokens = header[2];
  int64_t held = (file.size() - headerBytes) / (wide ? 4 : 2);
  if (tokens < 0 || tokens > held)
    fail(ExitData,
         format("'%s' is cut off: its header counts %lld tokens, the file "
                "holds %lld",
                path.c_str(), static_cast<long long>(tokens),
                static_cast<long long>(held)));
}
