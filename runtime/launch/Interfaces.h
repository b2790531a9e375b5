//===- Interfaces.h - The addresses of this host ----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_INTERFACES_H
#define PCC_RUNTIME_LAUNCH_INTERFACES_H

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <vector>

namespace pcc {

/// An IPv4 address of an interface, in network byte order.
struct Address {
  /// The interface's address, and the netmask.
  in_addr_t host = 0, mask = 0;
};

/// The addresses of this host's interfaces that are up, without the loopback.
/// Interfaces that Open MPI was told not to use are excluded: its environment
/// variables of btl_tcp_if_include and btl_tcp_if_exclude, or else those of
/// oob_tcp.
std::vector<Address> interfaceAddresses();

/// Whether `list` contains the interface's name, or a network such as
/// 10.0.0.0/8 that contains the address.
bool isListed(const std::string &list, const std::string &name, in_addr_t host);

/// The addresses of `own` through which other hosts, given by their addresses,
/// can be reached: those on shared networks, otherwise those that the system
/// would route through. All of `own` if neither is known.
std::vector<Address>
sharedAddresses(const std::vector<Address> &own,
                const std::vector<std::vector<Address>> &others);

/// The addresses of a process's host, to be sent to another process.
struct HostAddresses {
  /// The most addresses that are sent.
  static constexpr int greatestCount = 16;
  /// A hash of the network namespace: equal if the loopback is shared.
  uint64_t network = 0;
  int32_t count = 0; ///< of the addresses
  Address addresses[greatestCount] = {};
};
/// A hash of this process's network namespace.
uint64_t ownNetwork();
/// This process's.
HostAddresses ownHostAddresses();
/// The addresses, in network byte order, at which the first of these processes
/// should listen for the others: the loopback if they share it.
std::vector<in_addr_t>
chooseListeningAddresses(const std::vector<HostAddresses> &processes);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_INTERFACES_H
