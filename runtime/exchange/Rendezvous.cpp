//===- Rendezvous.cpp - How ranks without MPI find rank 0 -----------------===//

#include "runtime/exchange/Rendezvous.h"

#include "runtime/launch/ExecRanks.h"
#include "runtime/launch/Interfaces.h"
#include "runtime/launch/Machine.h"
#include "runtime/support/Error.h"
#include "runtime/support/Hash.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <netdb.h>
#include <sstream>

using namespace pcc;

/// The number of possible ports if none is given.
static const int portsInQuestion = 16;

static std::string get(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

std::string pcc::firstHost(const std::string &list) {
  std::string name;
  for (size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      name += list[i];
      continue;
    }
    size_t end = std::min(list.find_first_of(",-]", i), list.size());
    name += list.substr(i + 1, end - i - 1);
    i = std::min(list.find(']', i), list.size());
  }
  return name;
}

std::vector<in_addr_t> pcc::addressesOfUri(const std::string &uri) {
  std::vector<in_addr_t> found;
  const std::string scheme = ";tcp://";
  size_t begin = uri.find(scheme);
  if (begin == std::string::npos)
    return found;
  begin += scheme.size();
  std::istringstream names(
      uri.substr(begin, uri.find_first_of(":;", begin) - begin));
  for (std::string name; std::getline(names, name, ',');) {
    in_addr address = {};
    if (inet_pton(AF_INET, name.c_str(), &address) == 1)
      found.push_back(address.s_addr);
  }
  return found;
}

static std::vector<in_addr_t> resolve(const std::string &name) {
  addrinfo hints = {}, *results = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  std::vector<in_addr_t> found;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &results))
    return found;
  for (addrinfo *i = results; i; i = i->ai_next)
    found.push_back(
        reinterpret_cast<sockaddr_in *>(i->ai_addr)->sin_addr.s_addr);
  freeaddrinfo(results);
  return found;
}

static bool isLoopback(in_addr_t host) { return ntohl(host) >> 24 == 127; }

static std::vector<in_addr_t> ownAddresses() {
  std::vector<in_addr_t> own;
  for (const Address &address : interfaceAddresses())
    own.push_back(address.host);
  return own;
}

static uint64_t hashOf(const std::string &text) {
  return mix(fnv1a(text.data(), text.size()));
}

/// A text that all ranks of a job derive from their environment and that
/// differs from the texts of other jobs.
static std::string nameOfJob(const Launch &launch) {
  std::vector<const char *> names;
  switch (launch.launcher) {
  case Launcher::Torchrun:
    names = {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_ADDR",
             "MASTER_PORT"};
    break;
  case Launcher::Slurm:
  case Launcher::SlurmNoPMIx:
    names = {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT",
             "SLURM_CLUSTER_NAME"};
    break;
  default:
    // The first variable is a secret of the job.
    names = {"OMPI_MCA_orte_precondition_transports", "PMIX_NAMESPACE"};
  }
  std::string text = get("PCC_EXCHANGE_SECRET");
  for (const char *name : names)
    text += "\n" + get(name);
  return text;
}

static Secret secretOf(const std::string &job) {
  Secret secret;
  uint64_t words[2] = {hashOf("secret " + job), hashOf(job + " secret")};
  static_assert(sizeof(words) == sizeof(secret.bytes));
  memcpy(secret.bytes, words, sizeof(words));
  return secret;
}

/// Derives the ports from the job's name. They are below the system's ephemeral
/// ports.
static void drawPorts(Rendezvous &rendezvous, const std::string &job) {
  const int first = 20000, count = 12000;
  int at = first + static_cast<int>(hashOf("port " + job) % count);
  for (int i = 0; i < portsInQuestion; ++i)
    rendezvous.ports.push_back(at + i);
}

static int portNumber(const std::string &text, const std::string &name) {
  char *end;
  long port = strtol(text.c_str(), &end, 10);
  if (text.empty() || *end || port < 1 || port > 65535)
    fail(ExitWorld,
         format("%s: '%s' is not a port", name.c_str(), text.c_str()),
         "PCC_EXCHANGE=HOST:PORT, the same for all ranks, says where they find "
         "rank 0");
  return static_cast<int>(port);
}

/// Takes MASTER_PORT or, if torchrun's agent listens there itself, the ports
/// next to it.
static void takeMasterPort(Rendezvous &rendezvous) {
  int port = portNumber(get("MASTER_PORT"), "MASTER_PORT");
  if (get("TORCHELASTIC_USE_AGENT_STORE") != "True") {
    rendezvous.ports = {static_cast<uint16_t>(port)};
    return;
  }
  int step = port + portsInQuestion > 65535 ? -1 : 1;
  for (int i = 1; i <= portsInQuestion; ++i)
    rendezvous.ports.push_back(port + step * i);
}

[[noreturn]] static void failUnknown(const std::string &source) {
  fail(ExitWorld,
       "the ranks cannot find rank 0: no IPv4 address is known for " + source,
       "set PCC_EXCHANGE to rank 0's host, or its address");
}

static void takeHost(Rendezvous &rendezvous, const std::string &name) {
  rendezvous.hosts = resolve(name);
  if (rendezvous.hosts.empty())
    failUnknown(rendezvous.source);
}

/// Takes the host of rank 0 from the launcher.
static void takeLaunchersHost(const Launch &launch, Rendezvous &rendezvous) {
  switch (launch.launcher) {
  case Launcher::Torchrun:
    rendezvous.source = "MASTER_ADDR '" + get("MASTER_ADDR") + "'";
    return takeHost(rendezvous, get("MASTER_ADDR"));
  case Launcher::Slurm:
  case Launcher::SlurmNoPMIx: {
    std::string host = firstHost(get("SLURM_STEP_NODELIST"));
    rendezvous.source = "the step's first host '" + host + "'";
    rendezvous.isGuess = true;
    return takeHost(rendezvous, host);
  }
  default:
    rendezvous.source = "the host of mpirun";
    rendezvous.isGuess = true;
    rendezvous.hosts = addressesOfUri(get("OMPI_MCA_orte_hnp_uri"));
  }
  if (rendezvous.hosts.empty())
    fail(ExitWorld, "the ranks cannot find rank 0: mpirun does not tell them",
         "set PCC_EXCHANGE to rank 0's host: 'mpirun -x PCC_EXCHANGE=HOST'");
}

Rendezvous pcc::findRendezvous(const Launch &launch) {
  Rendezvous rendezvous;
  if (launch.launcher == Launcher::SelfStarted) {
    ExecRendezvous place = takeExecRendezvous(launch.rank == 0);
    rendezvous.secret = place.secret;
    if (place.listener >= 0)
      rendezvous.listeners = {place.listener};
    rendezvous.hosts = {htonl(INADDR_LOOPBACK)};
    rendezvous.ports = {place.port};
    rendezvous.source = "the parent process";
    return rendezvous;
  }
  std::string job = nameOfJob(launch);
  rendezvous.secret = secretOf(job);
  std::string given = get("PCC_EXCHANGE");
  size_t colon = given.find(':');
  if (colon != given.rfind(':')) // an IPv6 address
    failUnknown("PCC_EXCHANGE '" + given + "'");
  if (colon != std::string::npos)
    rendezvous.ports = {static_cast<uint16_t>(
        portNumber(given.substr(colon + 1), "PCC_EXCHANGE"))};
  else if (launch.launcher == Launcher::Torchrun)
    takeMasterPort(rendezvous);
  else
    drawPorts(rendezvous, job);
  if (!given.empty()) {
    rendezvous.source = "PCC_EXCHANGE '" + given + "'";
    takeHost(rendezvous, given.substr(0, colon));
  } else if (launch.localSize == launch.size) {
    rendezvous.source = "this host";
    rendezvous.hosts = {htonl(INADDR_LOOPBACK)};
  } else {
    takeLaunchersHost(launch, rendezvous);
  }
  // On some hosts the host's own name resolves to the loopback.
  bool isHere =
      std::all_of(rendezvous.hosts.begin(), rendezvous.hosts.end(), isLoopback);
  if (isHere && launch.localSize > 0 && launch.localSize < launch.size)
    rendezvous.hosts = ownAddresses();
  return rendezvous;
}

std::vector<in_addr_t> pcc::listeningAddresses(const Rendezvous &rendezvous) {
  std::vector<in_addr_t> own = ownAddresses(), found;
  for (in_addr_t host : rendezvous.hosts)
    if (isLoopback(host) ||
        std::find(own.begin(), own.end(), host) != own.end())
      found.push_back(host);
  if (!found.empty())
    return found;
  if (rendezvous.isGuess)
    fail(ExitWorld,
         format("rank 0 runs on host '%s', but the others look for it at %s",
                hostName().c_str(), rendezvous.source.c_str()),
         "set PCC_EXCHANGE to rank 0's host, as by 'mpirun -x "
         "PCC_EXCHANGE=HOST'");
  // The name may be a service's that leads to this host.
  return own;
}
