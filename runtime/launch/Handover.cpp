//===- Handover.cpp - Ranks that write to their parent's streams ----------===//

#include "runtime/launch/Handover.h"

#include "runtime/support/Error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace pcc;

static const int streams[] = {STDOUT_FILENO, STDERR_FILENO};

namespace {
/// A message of one byte that carries two file descriptors.
struct Parcel {
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(streams))] = {};
  msghdr header = {};

  Parcel() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = space;
    header.msg_controllen = sizeof(space);
  }
};
} // namespace

/// Binds or connects a new socket to the one in the folder; -1 with errno set.
template <typename Function>
static int openSocket(const std::string &folder, int flags, Function attach) {
  // The folder's path may be longer than a socket address allows.
  int base = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof(address.sun_path),
           "/proc/self/fd/%d/streams", base);
  int error = 0;
  if (base < 0 || made < 0 ||
      attach(made, reinterpret_cast<sockaddr *>(&address), sizeof(address)))
    error = errno;
  close(base);
  if (error)
    close(made);
  errno = error;
  return error ? -1 : made;
}

int pcc::offerStreams(const std::string &folder) {
  int made = openSocket(folder, SOCK_NONBLOCK, bind);
  if (made >= 0 && listen(made, SOMAXCONN) == 0)
    return made;
  int error = errno;
  close(made);
  errno = error;
  return -1;
}

void pcc::serveStreams(int socket) {
  for (int rank; (rank = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;
       close(rank)) {
    Parcel parcel;
    cmsghdr *content = CMSG_FIRSTHDR(&parcel.header);
    content->cmsg_level = SOL_SOCKET;
    content->cmsg_type = SCM_RIGHTS;
    content->cmsg_len = CMSG_LEN(sizeof(streams));
    memcpy(CMSG_DATA(content), streams, sizeof(streams));
    // If the rank is gone, other code reports it.
    sendmsg(rank, &parcel.header, MSG_NOSIGNAL);
  }
}

void pcc::takeStreams(const std::string &folder) {
  // With `stty tostop` a terminal stops background processes that print, and
  // mpirun's process groups all count as background.
  signal(SIGTTOU, SIG_IGN);
  int socket = openSocket(folder, 0, connect);
  Parcel parcel;
  cmsghdr *content = nullptr;
  if (socket >= 0 && recvmsg(socket, &parcel.header, 0) == 1)
    content = CMSG_FIRSTHDR(&parcel.header);
  if (!content || content->cmsg_len != CMSG_LEN(sizeof(streams)))
    fail(ExitCommunication,
         format("this rank's parent process cannot be reached through '%s': %s",
                folder.c_str(),
                socket < 0 ? strerror(errno) : "it does not answer"));
  int given[2];
  memcpy(given, CMSG_DATA(content), sizeof(given));
  for (int i = 0; i < 2; ++i) {
    dup2(given[i], streams[i]);
    close(given[i]);
  }
  close(socket);
}
