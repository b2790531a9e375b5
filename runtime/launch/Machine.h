//===- Machine.h - Where this process runs ----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_MACHINE_H
#define PCC_RUNTIME_LAUNCH_MACHINE_H

#include <cstddef>
#include <string>

namespace pcc {

/// The name of this host as the system has it, to tell hosts apart and for
/// messages.
std::string hostName();

/// A text that this start of the machine's system has alone.
std::string bootId();

/// A text that processes have in common if they share the system's namespace
/// of this kind: with "net" a loopback, with "pid" the ids of processes.
std::string namespaceId(const char *kind);

/// Fills memory with the system's random numbers.
void fillRandom(void *memory, size_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_MACHINE_H
