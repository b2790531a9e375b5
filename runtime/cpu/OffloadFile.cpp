//===- OffloadFile.cpp - The file behind an offloaded range ---------------===//

#include "runtime/cpu/OffloadFile.h"

#include "runtime/support/Error.h"
#include "runtime/support/MappedFile.h"
#include "runtime/telemetry/Log.h"
#include "runtime/telemetry/Trace.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

using namespace pcc;

/// The file, and the addresses it is mapped at; none: -1 and null.
static int file = -1;
/// Whether the file's pages are those of another file, of a lower layer.
static bool isLayered = false;
static char *mapped = nullptr;
static int64_t mappedBytes = 0;

static const char *const otherFolder = "--offload-dir names another folder";

/// Exits because a folder cannot be used.
[[noreturn]] static void refuse(const backend::Offload &offload, int error) {
  fail(ExitOutput,
       format("cannot offload %s to '%s': %s", bytesText(offload.bytes).c_str(),
              offload.folder.c_str(), strerror(error)),
       otherFolder);
}

/// Creates a file without a name, so that no kill leaves it behind.
static int createUnnamed(const std::string &folder) {
  int created = open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC,
                     S_IRUSR | S_IWUSR);
  // Some file systems, such as NFS, have only named files.
  if (created >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
    return created;
  std::string name = folder + "/pcc-offload-XXXXXX";
  created = mkostemp(name.data(), O_CLOEXEC);
  if (created >= 0)
    unlink(name.c_str());
  return created;
}

/// Exits if the files of a folder are in memory.
static void requireDisk(const backend::Offload &offload) {
  struct statfs status;
  if (fstatfs(file, &status))
    refuse(offload, errno);
  auto kind = static_cast<unsigned long>(status.f_type);
  isLayered = kind == OVERLAYFS_SUPER_MAGIC;
  if (kind == TMPFS_MAGIC || kind == RAMFS_MAGIC || kind == HUGETLBFS_MAGIC)
    fail(ExitOutput,
         format("cannot offload to '%s': its files are in memory (%s)",
                offload.folder.c_str(),
                kind == TMPFS_MAGIC   ? "tmpfs"
                : kind == RAMFS_MAGIC ? "ramfs"
                                      : "hugetlbfs"),
         "--offload-dir names a folder on a disk");
}

void pcc::mapOffloadFile(char *at, const backend::Offload &offload) {
  file = createUnnamed(offload.folder);
  if (file < 0)
    refuse(offload, errno);
  requireDisk(offload);
  // A limit of file sizes must not end this process by a signal.
  signal(SIGXFSZ, SIG_IGN);
  if (int error = posix_fallocate(file, 0, offload.bytes))
    refuse(offload, error);
  void *memory = mmap(at, offload.bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED, file, 0);
  if (memory == MAP_FAILED)
    refuse(offload, errno);
  mapped = at;
  mappedBytes = offload.bytes;
  madvise(at, offload.bytes, MADV_DONTDUMP); // only a hint
  guardMapping(at, offload.bytes, ExitOutput,
               format("cannot read optimizer state that was offloaded to '%s': "
                      "its disk failed",
                      offload.folder.c_str()));
}

namespace {
/// Whole pages of the file.
struct Pages {
  int64_t begin = 0, end = 0; ///< in bytes
};
} // namespace

/// The pages that hold the part of some memory that is in the file.
static Pages pagesOf(const char *begin, int64_t bytes) {
  static const int64_t page = sysconf(_SC_PAGESIZE);
  int64_t from = std::max<int64_t>(begin - mapped, 0),
          to = std::min(begin + bytes - mapped, mappedBytes);
  if (!mapped || from >= to)
    return {};
  return {from / page * page, (to + page - 1) / page * page};
}

void pcc::readOffloaded(const pcc_kernel &kernel, void *const *args) {
  if (!mapped)
    return;
  // The system ignores all but the beginning of a longer request.
  constexpr int64_t piece = int64_t{1} << 20;
  for (int i = 0; i < kernel.n_args; ++i) {
    Pages pages =
        pagesOf(static_cast<const char *>(args[i]), kernel.arg_bytes[i]);
    for (int64_t at = pages.begin; at < pages.end; at += piece)
      madvise(mapped + at, std::min(piece, pages.end - at), MADV_WILLNEED);
  }
}

void pcc::dropOffloaded(const pcc_kernel &kernel, void *const *args) {
  if (!mapped)
    return;
  for (int i = 0; i < kernel.n_args; ++i)
    dropOffloaded(static_cast<const char *>(args[i]), kernel.arg_bytes[i]);
}

/// Writes pages back, and returns once they are clean; -1 with errno set on
/// failure.
static int writeBack(const Pages &pages) {
  int64_t length = pages.end - pages.begin;
  // sync_file_range() does not reach the file of a lower layer. Elsewhere
  // msync() would also flush the disk's cache, which nothing here needs.
  if (isLayered)
    return msync(mapped + pages.begin, length, MS_SYNC);
  return sync_file_range(file, pages.begin, length,
                         SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                             SYNC_FILE_RANGE_WAIT_AFTER);
}

void pcc::dropOffloaded(const char *begin, int64_t bytes) {
  Pages pages = pagesOf(begin, bytes);
  if (pages.begin == pages.end)
    return;
  TraceSpan span(Track::Compute, "offload");
  span.note("bytes", pages.end - pages.begin);
  int64_t length = pages.end - pages.begin;
  // Only clean pages can be dropped.
  if (writeBack(pages))
    fail(ExitOutput,
         format("cannot write offloaded optimizer state: %s", strerror(errno)));
  madvise(mapped + pages.begin, length, MADV_DONTNEED);
  posix_fadvise(file, pages.begin, length, POSIX_FADV_DONTNEED);
}
