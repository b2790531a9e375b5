//===- Libraries.cpp - CUDA libraries, loaded at run time -----------------===//

#include "runtime/cuda/Libraries.h"

#include "runtime/support/Error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <unistd.h>

using namespace pcc;
using namespace pcc::cuda;

static std::vector<std::string> splitPath(const char *text) {
  std::vector<std::string> parts;
  std::string all = text ? text : "";
  for (size_t begin = 0; begin < all.size();) {
    size_t end = std::min(all.find(':', begin), all.size());
    if (end > begin)
      parts.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The paths that match a shell pattern, in order.
static std::vector<std::string> match(const std::string &pattern) {
  std::vector<std::string> paths;
  glob_t found;
  if (!glob(pattern.c_str(), 0, nullptr, &found))
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

/// The folder of a file, and those of its link targets: a python3 on the PATH
/// may be a link into an environment.
static std::vector<std::string> foldersOf(std::string path) {
  const int mostLinks = 16;
  std::vector<std::string> folders;
  for (int links = 0; links < mostLinks; ++links) {
    std::string folder = path.substr(0, path.rfind('/'));
    folders.push_back(folder);
    char target[4096];
    ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length <= 0)
      break;
    std::string next(target, length);
    path = next[0] == '/' ? next : folder + "/" + next;
  }
  return folders;
}

/// The folders of NVIDIA's packages for Python: in the active environment, in
/// those of the interpreters on the PATH, and in the user's.
static std::vector<std::string> packageFolders() {
  std::vector<std::string> roots, folders;
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char *root = getenv(name))
      roots.push_back(root);
  for (const std::string &folder : splitPath(getenv("PATH")))
    if (std::string python = folder + "/python3"; !access(python.c_str(), X_OK))
      for (const std::string &place : foldersOf(python))
        roots.push_back(place + "/..");
  if (const char *home = getenv("HOME"))
    roots.push_back(std::string(home) + "/.local");
  for (const std::string &root : roots)
    for (const char *kind : {"site-packages", "dist-packages"})
      for (const std::string &folder :
           match(root + "/lib/python3*/" + kind + "/nvidia"))
        folders.push_back(folder);
  return folders;
}

bool Library::open(const std::string &path) {
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  link_map *map = nullptr;
  if (handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map))
    opened = map->l_name;
  else if (handle)
    opened = path;
  return handle;
}

Library::Library(const char *file, Part part) : file(file) {
  auto tryFolder = [&](const std::string &folder) {
    std::string path = folder + "/" + file;
    bool isThere = !access(path.c_str(), F_OK);
    if (isThere && open(path))
      return true;
    places += (places.empty() ? "" : ", ") + folder;
    if (isThere)
      places += format(" (%s)", dlerror());
    return false;
  };
  for (const std::string &folder : splitPath(getenv("PCC_CUDA_LIBRARIES")))
    if (tryFolder(folder))
      return;
  if (open(file))
    return;
  std::string why = dlerror();
  places += std::string(places.empty() ? "" : ", ") + "where the loader looks";
  // A message about the file's bare name says only that it was not found.
  // Others name a file that was found but not loaded, or a dependency of it.
  if (why.rfind(std::string(file) + ":", 0) != 0)
    places += " (" + why + ")";
  if (part == Part::Driver)
    return;
  for (const std::string &folder : splitPath(PCC_CUDA_FOLDERS))
    if (tryFolder(folder))
      return;
  // Of all packages, only those with the file: there may be many folders.
  for (const std::string &package : packageFolders()) {
    for (const std::string &path : match(package + "/*/lib/" + file))
      if (tryFolder(path.substr(0, path.rfind('/'))))
        return;
    places += ", " + package;
  }
}

void Library::require(const char *hint) const {
  if (!handle)
    fail(ExitDevice,
         format("%s was not found: looked in %s", file, places.c_str()), hint);
}

void *Library::address(const char *name) const {
  void *found = dlsym(handle, name);
  if (!found)
    fail(ExitDevice, format("'%s' has no function %s", opened.c_str(), name),
         "another version of the library is installed than the program was "
         "made for; PCC_CUDA_LIBRARIES names folders that are looked into "
         "first");
  return found;
}

std::string cuda::versionText(size_t version) {
  return format("%zu.%zu.%zu", version / 10000, version / 100 % 100,
                version % 100);
}
