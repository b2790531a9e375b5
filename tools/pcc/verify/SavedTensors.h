//===- SavedTensors.h - The tensors of a checkpoint -------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_SAVEDTENSORS_H
#define PCC_TOOLS_PCC_VERIFY_SAVEDTENSORS_H

#include "tools/pcc/verify/TensorFile.h"
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pcc {

/// A tensor of a checkpoint, in f32. Elements that no file has are NaN.
struct SavedTensor {
  std::vector<int64_t> shape;
  std::vector<float> values; ///< row-major
};

/// The tensors of a checkpoint. Those of the optimizer are assembled from the
/// pieces that the ranks wrote.
class SavedTensors {
public:
  /// Opens all safetensors files of a checkpoint's folder.
  explicit SavedTensors(llvm::StringRef folder);
  ~SavedTensors();

  /// Returns the names of the parameters. In low precision and wherever a
  /// master weight is there, it replaces the model's rounded tensor.
  const std::set<std::string> &parameters() const { return names; }
  /// Returns a parameter; empty if there is none of this name.
  SavedTensor parameter(const std::string &name) const;
  /// Returns whether the optimizer has a state of this prefix and parameter:
  /// "exp_avg".
  bool hasState(llvm::StringRef prefix) const;
  /// Returns the parameters with a state of this prefix.
  std::set<std::string> states(llvm::StringRef prefix) const;
  /// Returns the state of a parameter; empty if there is none.
  SavedTensor state(llvm::StringRef prefix, const std::string &name) const;

private:
  struct Piece;
  void add(std::unique_ptr<TensorFile> file);
  SavedTensor assemble(const std::vector<Piece> &pieces) const;

  std::vector<std::unique_ptr<TensorFile>> files;
  std::map<std::string, std::vector<Piece>> model, optimizer;
  std::set<std::string> names;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_SAVEDTENSORS_H
