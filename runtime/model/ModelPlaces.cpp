//===- ModelPlaces.cpp - Where the model's files may be -------------------===//

#include "runtime/model/ModelPlaces.h"

#include "runtime/Program.h"
#include "runtime/support/Files.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

using namespace pcc;
namespace fs = std::filesystem;

/// Returns the folder of this executable, with a slash at its end; empty if it
/// is not known.
static std::string executableFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? folderOf(std::string(path, length)) : "";
}

static const pcc_origin *origin() {
  const pcc_origin *const volatile made = &pcc_the_origin;
  return made;
}

std::vector<std::string> pcc::modelPlaces(const std::string &file) {
  std::vector<std::string> places;
  auto add = [&](const std::string &place) {
    if (std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  };
  std::string here = executableFolder();
  fs::path before;
  if (origin()) {
    before = (fs::path(origin()->folder) / file).lexically_normal();
    for (const char *folder : {origin()->program, origin()->real_program})
      if (!here.empty())
        add((here / before.lexically_relative(folder)).lexically_normal());
  }
  add(file);
  if (file[0] != '/')
    add(here + file);
  if (!before.empty())
    add(before);
  return places;
}
