//===- Files.cpp - Durable files and folders ------------------------------===//

#include "runtime/common/Files.h"

#include "runtime/common/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace pcc;

[[noreturn]] static void cannot(const char *what, const std::string &path) {
  fail(ExitOutput,
       format("cannot %s '%s': %s", what, path.c_str(), strerror(errno)));
}

void pcc::syncAndClose(FILE *file, const std::string &path) {
  if (fflush(file) || fsync(fileno(file)) || fclose(file))
    cannot("write", path);
}

void pcc::writeFile(const std::string &path, const std::string &text) {
  FILE *file = fopen(path.c_str(), "wb");
  if (!file || fwrite(text.data(), 1, text.size(), file) != text.size())
    cannot("write", path);
  syncAndClose(file, path);
}

void pcc::syncFolder(const std::string &path) {
  int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    cannot("open", path);
  // Some file systems have nothing to flush for a folder and say EINVAL.
  if (fsync(folder) && errno != EINVAL)
    cannot("write", path);
  close(folder);
}

void pcc::makeFolders(const std::string &path) {
  for (size_t slash = 1; slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0777) && errno != EEXIST)
      cannot("make folder", part);
  }
  if (!isFolder(path)) {
    errno = ENOTDIR;
    cannot("make folder", path);
  }
}

void pcc::removeFolder(const std::string &path) {
  if (!exists(path))
    return;
  for (const std::string &name : listFolder(path))
    if (unlink((path + "/" + name).c_str()))
      cannot("remove", path + "/" + name);
  if (rmdir(path.c_str()))
    cannot("remove", path);
}

void pcc::replaceFolder(const std::string &from, const std::string &to,
                        const std::string &aside) {
  if (!exists(to))
    return replaceFile(from, to);
  // rename() refuses a folder with files; an exchange leaves no moment without
  // a complete one.
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_EXCHANGE) == 0)
    return removeFolder(from);
  replaceFile(to, aside);
  replaceFile(from, to);
  removeFolder(aside);
}

void pcc::replaceFile(const std::string &from, const std::string &to) {
  if (rename(from.c_str(), to.c_str()))
    cannot("rename", from);
}

std::string pcc::folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

bool pcc::exists(const std::string &path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

bool pcc::isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::vector<std::string> pcc::listFolder(const std::string &path) {
  std::vector<std::string> names;
  DIR *folder = opendir(path.c_str());
  if (!folder)
    return names;
  while (const dirent *entry = readdir(folder)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(name);
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}
