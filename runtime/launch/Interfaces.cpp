//===- Interfaces.cpp - The addresses of this host ------------------------===//

#include "runtime/launch/Interfaces.h"

#include "runtime/launch/Machine.h"
#include "runtime/support/Hash.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <ifaddrs.h>
#include <net/if.h>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

using namespace pcc;

bool pcc::isListed(const std::string &list, const std::string &name,
                   in_addr_t host) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    size_t slash = item.find('/');
    in_addr network = {};
    if (slash == std::string::npos) {
      if (item == name)
        return true;
      continue;
    }
    int bits = atoi(item.c_str() + slash + 1);
    if (bits < 0 || bits > 32 ||
        inet_pton(AF_INET, item.substr(0, slash).c_str(), &network) != 1)
      continue;
    uint32_t mask = bits == 0 ? 0 : ~uint32_t{0} << (32 - bits);
    if (((ntohl(network.s_addr) ^ ntohl(host)) & mask) == 0)
      return true;
  }
  return false;
}

/// Whether Open MPI may use an interface.
static bool isWanted(const std::string &name, in_addr_t host) {
  for (const char *part : {"btl_tcp", "oob_tcp"}) {
    std::string prefix = std::string("OMPI_MCA_") + part;
    if (const char *list = getenv((prefix + "_if_include").c_str()))
      return isListed(list, name, host);
    if (const char *list = getenv((prefix + "_if_exclude").c_str()))
      return !isListed(list, name, host);
  }
  return true;
}

static in_addr_t hostOf(const sockaddr *address) {
  return reinterpret_cast<const sockaddr_in *>(address)->sin_addr.s_addr;
}

std::vector<Address> pcc::interfaceAddresses() {
  std::vector<Address> found;
  ifaddrs *interfaces = nullptr;
  if (getifaddrs(&interfaces))
    return found;
  for (ifaddrs *i = interfaces; i; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !i->ifa_netmask ||
        !(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK))
      continue;
    Address address = {hostOf(i->ifa_addr), hostOf(i->ifa_netmask)};
    if (isWanted(i->ifa_name, address.host))
      found.push_back(address);
  }
  freeifaddrs(interfaces);
  return found;
}

/// The local address from which the system would reach `other`; 0: none.
static in_addr_t routeTo(in_addr_t other) {
  int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = other;
  socklen_t length = sizeof(address);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  // Nothing is sent: connect() on a datagram socket only looks up the route.
  bool found = socket >= 0 && connect(socket, generic, length) == 0 &&
               getsockname(socket, generic, &length) == 0;
  close(socket);
  return found ? address.sin_addr.s_addr : 0;
}

std::vector<Address>
pcc::sharedAddresses(const std::vector<Address> &own,
                     const std::vector<std::vector<Address>> &others) {
  std::vector<Address> shared;
  auto add = [&](const Address &address) {
    bool isNew =
        std::none_of(shared.begin(), shared.end(), [&](const Address &known) {
          return known.host == address.host;
        });
    if (isNew)
      shared.push_back(address);
  };
  // A container bridge has the same address on every host.
  auto isOfMany = [&](in_addr_t host) {
    for (const std::vector<Address> &other : others)
      for (const Address &address : other)
        if (address.host == host)
          return true;
    return false;
  };
  for (const std::vector<Address> &other : others) {
    bool found = false;
    for (const Address &mine : own)
      for (const Address &theirs : other)
        if (((mine.host ^ theirs.host) & mine.mask) == 0 &&
            mine.mask == theirs.mask && !isOfMany(mine.host)) {
          add(mine);
          found = true;
        }
    for (size_t i = 0; !found && i < other.size(); ++i) {
      in_addr_t from = routeTo(other[i].host);
      for (const Address &mine : own)
        if (mine.host == from && !isOfMany(from)) {
          add(mine);
          found = true;
        }
    }
  }
  return shared.empty() ? own : shared;
}

uint64_t pcc::ownNetwork() {
  std::string network = namespaceId("net");
  return fnv1a(network.data(), network.size());
}

HostAddresses pcc::ownHostAddresses() {
  HostAddresses own;
  own.network = ownNetwork();
  for (const Address &address : interfaceAddresses())
    if (own.count < HostAddresses::greatestCount)
      own.addresses[own.count++] = address;
  return own;
}

std::vector<in_addr_t>
pcc::chooseListeningAddresses(const std::vector<HostAddresses> &processes) {
  auto addressesOf = [](const HostAddresses &host) {
    return std::vector<Address>(host.addresses, host.addresses + host.count);
  };
  std::vector<std::vector<Address>> others;
  for (const HostAddresses &process : processes)
    if (process.network != processes[0].network)
      others.push_back(addressesOf(process));
  if (others.empty())
    return {htonl(INADDR_LOOPBACK)};
  std::vector<in_addr_t> found;
  for (const Address &address :
       sharedAddresses(addressesOf(processes[0]), others))
    found.push_back(address.host);
  return found;
}
