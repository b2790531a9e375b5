//===- FileNames.h - Names of models as names of files ----------*- C++ -*-===//
//
// Inputs and outputs of a model are arrays in files, parameters tensors of a
// safetensors file. Their names come from files that anyone may have made. The
// compiler refuses those that do not do, and whatever it let pass, arrayFile()
// is in the folder that it is looked for in.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_FILENAMES_H
#define PCC_RUNTIME_SUPPORT_FILENAMES_H

#include "runtime/support/Utf8.h"

#include <algorithm>
#include <string>

namespace pcc {

/// The file that has the array of an input or output, in whatever folder: the
/// name with '_' in the place of what separates folders, and ".npy".
inline std::string arrayFile(std::string_view name) {
  std::string file(name);
  for (char &c : file)
    if (c == '/' || c == '\\' || c == ':')
      c = '_';
  return file + ".npy";
}

/// Why neither a file nor a tensor may have this name, such as "is empty";
/// empty: both may.
inline std::string whyNoName(std::string_view name) {
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

/// Why no file may be called after an input or output; empty: one may.
inline std::string whyNoArrayFile(std::string_view name) {
  const size_t longest = 255; // of a file's name, in bytes
  std::string why = whyNoName(name);
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
           " bytes, of which file systems take " + std::to_string(longest);
  return "";
}

/// Why a tensor of a safetensors file may not have this name; empty: it may.
inline std::string whyNoTensorName(std::string_view name) {
  if (name == "__metadata__")
    return "is what a safetensors file calls its notes, so that no checkpoint "
           "could be read again";
  return whyNoName(name);
}

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_FILENAMES_H
