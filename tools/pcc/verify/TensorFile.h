//===- TensorFile.h - Reads a safetensors file ------------------*- C++ -*-===//
//
// The runtime's reader also verifies hashes, on the threads of a back end,
// which pcc does not link. The files read here were written a moment ago.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_PCC_VERIFY_TENSORFILE_H
#define PCC_TOOLS_PCC_VERIFY_TENSORFILE_H

#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pcc {

/// A mapped safetensors file.
class TensorFile {
public:
  /// A tensor of the file.
  struct Tensor {
    int32_t dtype; ///< a pcc_dtype; -1: of no program
    std::vector<int64_t> shape;
    llvm::StringRef bytes;
  };

  /// Opens a file; returns null if it is none, as trainer_state.json.
  static std::unique_ptr<TensorFile> open(const std::string &path);

  /// The tensors by name, and the strings of "__metadata__".
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> notes;

private:
  std::unique_ptr<llvm::MemoryBuffer> file;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_TENSORFILE_H
