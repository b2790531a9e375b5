//===- Libraries.h - Libraries of CUDA, opened at run time ------*- C++ -*-===//
//
// A program starts on machines that lack CUDA, so it is linked with none of it.
// Each library has a list of the functions that are called, Driver.def or
// another, and a table of their addresses:
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
// NVIDIA's headers give some functions other names by macros; lists have those
// of the headers, and name both sides.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_LIBRARIES_H
#define PCC_RUNTIME_CUDA_LIBRARIES_H

#include <string>
#include <vector>

/// The name of a function as its library has it.
#define PCC_CUDA_NAME(name) #name

namespace pcc::cuda {

/// A library that was looked for.
class Library {
public:
  /// What it is a part of, which decides where it may be.
  enum class Part { Driver, Toolkit };

  /// Looks for a file in the folders of $PCC_CUDA_LIBRARIES, with colons
  /// between; where the loader looks; and, unless it is a part of the driver,
  /// in the toolkit that pcc was built with and in the packages of the Python
  /// environment.
  Library(const char *file, Part part);

  /// Whether it was found and opened.
  bool isOpen() const { return handle; }
  /// Where it lies.
  const std::string &path() const { return opened; }
  /// The places that it was looked for in, and what was wrong there.
  const std::string &tried() const { return places; }

  /// Ends the program where it was not opened: says so, and that `wayOut`
  /// helps.
  void require(const char *wayOut) const;
  /// Sets `function` to the address of the function of a name, which a library
  /// of the right version has; ends the program otherwise.
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

/// A version of cuDNN or NCCL as people write it: "9.15.1" for 91501.
std::string versionText(size_t version);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_LIBRARIES_H
