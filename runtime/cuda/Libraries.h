//===- Libraries.h - CUDA libraries, loaded at run time ---------*- C++ -*-===//
//
// A program starts on machines without CUDA, so it is linked with none of its
// libraries. Each library has a list of the functions that are called, such as
// Driver.def, and a table of their addresses:
//
//   struct Driver {
//   #define PCC_FUNCTION(name) decltype(&::name) name;
//   #include "runtime/cuda/Driver.def"
//   };
//
//   Library library("libcuda.so.1", ...);
//   #define PCC_FUNCTION(name) library.find(PCC_CUDA_NAME(name), table.name);
//   #include "runtime/cuda/Driver.def"
//
// NVIDIA's headers rename some functions by macros; the lists have the headers'
// names, and both sides go through the macros.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_LIBRARIES_H
#define PCC_RUNTIME_CUDA_LIBRARIES_H

#include <string>
#include <vector>

/// The symbol of a function in its library.
#define PCC_CUDA_NAME(name) #name

namespace pcc::cuda {

/// A library that is searched for.
class Library {
public:
  /// Determines where it may be.
  enum class Part { Driver, Toolkit };

  /// Searches for a file in the folders of $PCC_CUDA_LIBRARIES, separated by
  /// colons; then in the loader's paths; and, unless it is part of the driver,
  /// in the toolkit that pcc was built with and in the packages of the Python
  /// environment.
  Library(const char *file, Part part);

  /// Whether it was found and opened.
  bool isOpen() const { return handle; }
  const std::string &path() const { return opened; }
  /// The places that were searched, with errors.
  const std::string &tried() const { return places; }

  /// Exits with an error and the hint `hint` if it was not opened.
  void require(const char *hint) const;
  /// Sets `function` to the address of the named function; exits if the library
  /// lacks it, which then has a wrong version.
  template <typename Function>
  void find(const char *name, Function &function) const {
    function = reinterpret_cast<Function>(address(name));
  }

private:
  bool open(const std::string &path);
  void *address(const char *name) const;

  const char *file;
  void *handle = nullptr;
  std::string opened, places;
};

/// Formats a version of cuDNN or NCCL: "9.15.1" for 91501.
std::string versionText(size_t version);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_LIBRARIES_H
