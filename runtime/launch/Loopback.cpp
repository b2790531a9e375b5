//===- Loopback.cpp - Restricts Open MPI to the loopback ------------------===//

#include "runtime/launch/Loopback.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

int pcc::holdBinds() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {sizeof(code) / sizeof(*code), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    return -1;
  // Without the second flag some kernels slow down the ranks' computation.
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
              SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
              &program));
}

/// Replaces the address of all interfaces by the loopback's; returns false for
/// any other address.
static bool narrow(sockaddr_storage &address, size_t bytes) {
  auto &v4 = reinterpret_cast<sockaddr_in &>(address);
  auto &v6 = reinterpret_cast<sockaddr_in6 &>(address);
  if (address.ss_family == AF_INET && bytes >= sizeof(v4) &&
      v4.sin_addr.s_addr == htonl(INADDR_ANY))
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else if (address.ss_family == AF_INET6 && bytes >= sizeof(v6) &&
           IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr))
    v6.sin6_addr = in6addr_loopback;
  else
    return false;
  return true;
}

void pcc::serveBinds(int listener) {
  seccomp_notif_sizes sizes = {};
  syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
  // The kernel's structs may be longer than in the headers used here.
  std::vector<char> space(
      std::max<size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)));
  auto &request = *reinterpret_cast<seccomp_notif *>(space.data());
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
    return;

  std::string path = "/proc/" + std::to_string(request.pid) + "/mem";
  int memory = open(path.c_str(), O_RDWR | O_CLOEXEC);
  sockaddr_storage address = {};
  size_t bytes = std::min<size_t>(request.data.args[2], sizeof(address));
  auto at = static_cast<off_t>(request.data.args[1]);
  bool done = true;
  // The id check after opening ensures that the memory is the same process's.
  if (memory >= 0 &&
      ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &request.id) == 0 &&
      pread(memory, &address, bytes, at) == static_cast<ssize_t>(bytes) &&
      narrow(address, bytes))
    done = pwrite(memory, &address, bytes, at) == static_cast<ssize_t>(bytes);
  close(memory);

  std::vector<char> answerSpace(
      std::max<size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)));
  auto &answer = *reinterpret_cast<seccomp_notif_resp *>(answerSpace.data());
  answer.id = request.id;
  if (done)
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else
    answer.error = -EADDRNOTAVAIL;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
