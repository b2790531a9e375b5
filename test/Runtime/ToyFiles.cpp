//===- ToyFiles.cpp - Writes the files that the toy program reads ---------===//
//
// toy-files DIR writes DIR/toy.bin (weights), and token files of 2001 tokens
// below 101: tokens.bin (uint16), llmc.bin and llmc32.bin (llm.c's versions).
//
//===----------------------------------------------------------------------===//

#include "test/Runtime/Toy.h"

#include <cstdio>
#include <cstdlib>
#include <string>

static void write(const std::string &path, const void *data, size_t bytes) {
  FILE *file = fopen(path.c_str(), "wb");
  if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file))
    exit(1);
}

template <typename T>
static std::vector<char> withHeader(int32_t magic, int32_t version,
                                    const std::vector<T> &tokens) {
  std::vector<char> bytes(1024 + tokens.size() * sizeof(T));
  int32_t header[3] = {magic, version, static_cast<int32_t>(tokens.size())};
  memcpy(bytes.data(), header, sizeof(header));
  memcpy(&bytes[1024], tokens.data(), tokens.size() * sizeof(T));
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::string dir = std::string(argv[1]) + "/";
  std::vector<char> model = toy::modelBytes();
  write(dir + "toy.bin", model.data(), model.size());

  // Mostly successors, so that there is something to learn.
  std::vector<uint16_t> tokens(2001);
  for (size_t i = 1; i < tokens.size(); ++i) {
    uint64_t bits = pcc::mix(i);
    tokens[i] = bits % 4 ? (tokens[i - 1] * 7 + 3) % toy::V : bits / 4 % toy::V;
  }
  write(dir + "tokens.bin", tokens.data(), tokens.size() * 2);
  std::vector<char> file = withHeader(20240520, 1, tokens);
  write(dir + "llmc.bin", file.data(), file.size());
  std::vector<uint32_t> wide(tokens.begin(), tokens.end());
  file = withHeader(20240801, 7, wide);
  write(dir + "llmc32.bin", file.data(), file.size());
}
