//===- ReadTensors.cpp - Runs the safetensors reader ----------------------===//
//
// read-tensors FILE HEADER BYTES: writes FILE with this header (its length in
// front) and this many zero bytes after it, then reads it.
//
//===----------------------------------------------------------------------===//

#include "runtime/model/SafeTensors.h"

#include <cstdlib>

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  std::string header = argv[2], zeros(atoi(argv[3]), '\0');
  uint64_t length = header.size();
  FILE *file = fopen(argv[1], "wb");
  if (!file || fwrite(&length, 8, 1, file) != 1 ||
      fputs(header.c_str(), file) < 0 ||
      fwrite(zeros.data(), 1, zeros.size(), file) != zeros.size() ||
      fclose(file))
    return 1;
  pcc::SafeTensors tensors(argv[1], pcc::ExitData, "weights");
  printf("read %lld bytes of 'a'\n",
         static_cast<long long>(tensors.find("a")->bytes));
}
