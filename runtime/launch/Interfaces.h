//===- Interfaces.h - The addresses of this host ----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_INTERFACES_H
#define PCC_RUNTIME_LAUNCH_INTERFACES_H

#include <netinet/in.h>
#include <string>
#include <vector>

namespace pcc {

/// An IPv4 address of an interface, in network byte order.
struct Address {
  /// The interface's own address, and the netmask: 1 where a bit belongs to the
  /// network.
  in_addr_t host = 0, mask = 0;
};

/// The addresses of this host's interfaces that are up, without the loopback's.
/// What Open MPI was told to use (btl_tcp_if_include, btl_tcp_if_exclude, or
/// else of oob_tcp), in its environment variables, decides which count.
std::vector<Address> interfaceAddresses();

/// Whether `list` has an interface of this name or a network, such as
/// 10.0.0.0/8, that this address is in.
bool isListed(const std::string &list, const std::string &name, in_addr_t host);

/// Those of `own` that other hosts, given by theirs, are reached through: of
/// the networks that they share, or else as the system would route. All of
/// `own` where neither tells.
std::vector<Address>
sharedAddresses(const std::vector<Address> &own,
                const std::vector<std::vector<Address>> &others);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_INTERFACES_H
