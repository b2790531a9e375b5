//===- Symbols.h - Names of functions of this executable --------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_SYMBOLS_H
#define PCC_RUNTIME_TELEMETRY_SYMBOLS_H

#include <cstdint>
#include <map>
#include <string>

namespace pcc {

/// The functions of this executable by address, from its own symbol table;
/// compiled kernels are local symbols, which dladdr() does not know.
class Symbols {
public:
  /// Knows nothing where the executable was stripped.
  Symbols();

  /// The function's name without its parameters; empty if it is not known.
  std::string nameOf(const void *function) const;

private:
  std::map<uint64_t, std::string> names;
};

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_SYMBOLS_H
