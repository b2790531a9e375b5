//===- HugePages.cpp - A file in memory that has huge pages ---------------===//

#include "runtime/launch/HugePages.h"

#include "runtime/support/Error.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace pcc;

/// How long the child may take.
static const int mostMilliseconds = 5000;

namespace {
/// A message of one byte that carries a descriptor.
struct Parcel {
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};

  Parcel() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = space;
    header.msg_controllen = sizeof(space);
  }
};
} // namespace

static bool writeFile(const char *path, const std::string &text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool isWritten = file >= 0 && write(file, text.data(), text.size()) ==
                                    static_cast<ssize_t>(text.size());
  close(file);
  return isWritten;
}

/// Enters a new mount namespace.
static bool enterNamespace() {
  uid_t user = geteuid();
  gid_t group = getegid();
  if (unshare(CLONE_NEWNS) == 0)
    return true;
  // This user becomes root of a user namespace.
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
         writeFile("/proc/self/setgroups", "deny") &&
         writeFile("/proc/self/uid_map", format("0 %u 1", user)) &&
         writeFile("/proc/self/gid_map", format("0 %u 1", group));
}

/// Creates the file in the child; -1 on failure.
static int createIn(const char *folder) {
  // A private mount does not appear in the namespace of the parent.
  if (!enterNamespace() ||
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
      mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV,
            "huge=always,size=0,mode=700"))
    return -1;
  return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int pcc::createHugePagesFile() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
    return -1;
  pid_t child = fork();
  if (child == 0) {
    // A folder that exists everywhere, and that the child does not need.
    int file = createIn("/proc");
    Parcel parcel;
    cmsghdr *content = CMSG_FIRSTHDR(&parcel.header);
    content->cmsg_level = SOL_SOCKET;
    content->cmsg_type = SCM_RIGHTS;
    content->cmsg_len = CMSG_LEN(sizeof(file));
    memcpy(CMSG_DATA(content), &file, sizeof(file));
    if (file >= 0)
      sendmsg(ends[1], &parcel.header, MSG_NOSIGNAL);
    _exit(0);
  }
  // Nothing arrives if the child fails. The child is not awaited here: the end
  // of its namespaces takes tens of milliseconds.
  close(ends[1]);
  int file = -1;
  Parcel parcel;
  pollfd entry = {ends[0], POLLIN, 0};
  bool isThere = child > 0 && poll(&entry, 1, mostMilliseconds) == 1;
  if (isThere && recvmsg(ends[0], &parcel.header, 0) == 1) {
    cmsghdr *content = CMSG_FIRSTHDR(&parcel.header);
    if (content && content->cmsg_len == CMSG_LEN(sizeof(file)))
      memcpy(&file, CMSG_DATA(content), sizeof(file));
  }
  close(ends[0]);
  if (child > 0 && !isThere)
    kill(child, SIGKILL);
  return file;
}
