//===- FileNames.h - File names from names in a model -----------*- C++ -*-===//
//
// Inputs and outputs of a model are arrays in files named after them;
// parameters are tensors of a safetensors file. The names come from untrusted
// model files. The compiler refuses invalid names. Independently of this check,
// arrayFile() never leads out of the folder that it is appended to.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_FILENAMES_H
#define PCC_RUNTIME_SUPPORT_FILENAMES_H

#include "runtime/support/Utf8.h"

#include <algorithm>
#include <string>

namespace pcc {

/// Returns the file name for the array of an input or output: the name with '_'
/// in place of '/', '\\' and ':', and ".npy".
inline std::string arrayFile(std::string_view name) {
  std::string file(name);
  for (char &c : file)
    if (c == '/' || c == '\\' || c == ':')
      c = '_';
  return file + ".npy";
}

/// Returns why neither a file nor a tensor may have this name, such as "is
/// empty"; empty if it is valid.
inline std::string nameError(std::string_view name) {
  if (name.empty())
    return "is empty";
  if (name.find('\0') != name.npos)
    return "has a zero byte";
  if (std::any_of(name.begin(), name.end(),
                  [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    return "has a control character, such as a line break";
  for (size_t at = 0; at < name.size();) {
    size_t length = utf8Length(name.substr(at));
    if (length == 0)
      return "is not UTF-8";
    at += length;
  }
  return "";
}

/// Returns why no file can be named after an input or output; empty if the name
/// is valid.
inline std::string arrayNameError(std::string_view name) {
  const size_t longest = 255; // of a file's name, in bytes
  std::string why = nameError(name);
  if (!why.empty())
    return why;
  for (size_t at = 0; at <= name.size();) {
    size_t end = std::min(name.find_first_of("/\\", at), name.size());
    if (name.substr(at, end - at) == "..")
      return "leads out of the data folder";
    at = end + 1;
  }
  size_t bytes = arrayFile(name).size();
  if (bytes > longest)
    return "makes a file name of " + std::to_string(bytes) +
           " bytes, more than the maximum of " + std::to_string(longest);
  return "";
}

/// Returns why a tensor of a safetensors file may not have this name; empty if
/// it is valid.
inline std::string tensorNameError(std::string_view name) {
  if (name == "__metadata__")
    return "is the key of the metadata in a safetensors file, so that no "
           "checkpoint could be read again";
  return nameError(name);
}

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_FILENAMES_H
