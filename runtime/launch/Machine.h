//===- Machine.h - The system of this process -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_MACHINE_H
#define PCC_RUNTIME_LAUNCH_MACHINE_H

#include <cstddef>
#include <string>

namespace pcc {

/// The name of this host, to distinguish hosts and for messages.
std::string hostName();

/// A text that is unique to the current boot of the machine.
std::string bootId();

/// A text that processes share if they are in the same namespace of a kind:
/// "net" for the loopback, "pid" for process ids.
std::string namespaceId(const char *kind);

/// Fills memory with random bytes of the system.
void fillRandom(void *memory, size_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_MACHINE_H
