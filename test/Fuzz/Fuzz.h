//===- Fuzz.h - Common parts of the readers' fuzzers ------------*- C++ -*-===//
//
// The runtime ends the process if a file is damaged. Under a fuzzer fail()
// throws instead, and everything else is the runtime's own code.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TEST_FUZZ_FUZZ_H
#define PCC_TEST_FUZZ_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

/// The exception that fail() throws.
struct Failure {};

/// Splits an input into files: each is a u16 length and that many bytes; the
/// last file takes the rest.
class Input {
public:
  Input(const uint8_t *data, size_t size) : at(data), end(data + size) {}

  uint8_t byte() { return at < end ? *at++ : 0; }
  std::string next();
  std::string rest();

private:
  const uint8_t *at, *end;
};

/// A folder in this process's memory, created once.
const std::string &folder();
/// Writes a file into the folder.
void write(const std::string &name, const std::string &bytes);
/// Deletes the folder's files.
void clear();

/// Keeps a value from being optimized away, so that its memory is read.
void use(int64_t value);

} // namespace fuzz

#endif // PCC_TEST_FUZZ_FUZZ_H
