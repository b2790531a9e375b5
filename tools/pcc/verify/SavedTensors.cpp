//===- SavedTensors.cpp - The tensors of a checkpoint ---------------------===//

#include "tools/pcc/verify/SavedTensors.h"
#include "runtime/checkpoint/OptimizerPiece.h"
#include "runtime/support/DType.h"
#include "llvm/Support/FileSystem.h"
#include <cmath>

using namespace pcc;

static const std::string masterPrefix = "master.";

struct SavedTensors::Piece {
  const TensorFile::Tensor *tensor;
  OptimizerPiece piece;
};

/// Returns the piece that is a whole tensor.
static OptimizerPiece wholeOf(const std::vector<int64_t> &shape) {
  OptimizerPiece whole;
  whole.shape = whole.shard.extent = shape;
  whole.shard.start.assign(shape.size(), 0);
  whole.elements = {0, whole.shard.elements()};
  return whole;
}

SavedTensors::SavedTensors(llvm::StringRef folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (llvm::sys::fs::recursive_directory_iterator at(folder, error), end;
       at != end && !error; at.increment(error))
    if (llvm::sys::fs::is_regular_file(at->path()))
      paths.push_back(at->path());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths)
    if (auto file = TensorFile::open(path))
      add(std::move(file));
  bool hasMasters = false;
  for (auto &[name, pieces] : optimizer)
    if (llvm::StringRef(name).starts_with(masterPrefix)) {
      hasMasters = true;
      names.insert(name.substr(masterPrefix.size()));
    }
  for (auto &[name, pieces] : model) {
    int32_t dtype = pieces.front().tensor->dtype;
    bool isRounded = dtype == PCC_BF16 || dtype == PCC_F16;
    if (!hasMasters || !isRounded)
      names.insert(name);
  }
}

SavedTensors::~SavedTensors() = default;

void SavedTensors::add(std::unique_ptr<TensorFile> opened) {
  files.push_back(std::move(opened));
  const std::map<std::string, std::string> &notes = files.back()->notes;
  for (auto &[name, tensor] : files.back()->tensors) {
    auto note = notes.find(name);
    if (note == notes.end()) {
      model[name].push_back({&tensor, wholeOf(tensor.shape)});
    } else if (auto piece = readPiece(note->second, &tensor.shape)) {
      optimizer[name].push_back({&tensor, *piece});
    }
  }
}

SavedTensor SavedTensors::assemble(const std::vector<Piece> &pieces) const {
  SavedTensor tensor;
  OptimizerPiece whole = wholeOf(pieces.front().piece.shape);
  tensor.shape = whole.shape;
  tensor.values.assign(whole.elements.size(), std::nanf(""));
  for (const Piece &stored : pieces) {
    int32_t dtype = stored.tensor->dtype;
    if (dtype < 0 || stored.piece.shape != whole.shape)
      continue; // its elements stay NaN
    int64_t size = sizeOf(dtype);
    forEachCommon(whole, stored.piece, whole.shape,
                  [&](int64_t in, int64_t from, int64_t count) {
                    int64_t begin = (from - stored.piece.elements.begin) * size;
                    const char *bytes = stored.tensor->bytes.data() + begin;
                    if (isFloat(dtype)) {
                      (void)convert(&tensor.values[in], PCC_F32, 1, bytes,
                                    dtype, 1, count);
                      return;
                    }
                    // Buffers of whole numbers do not change.
                    std::fill_n(&tensor.values[in], count, 0.0F);
                  });
  }
  return tensor;
}

SavedTensor SavedTensors::parameter(const std::string &name) const {
  auto master = optimizer.find(masterPrefix + name);
  if (master != optimizer.end())
    return assemble(master->second);
  auto found = model.find(name);
  return found == model.end() ? SavedTensor() : assemble(found->second);
}

bool SavedTensors::hasState(llvm::StringRef prefix) const {
  return !states(prefix).empty();
}

std::set<std::string> SavedTensors::states(llvm::StringRef prefix) const {
  std::set<std::string> found;
  for (auto &[name, pieces] : optimizer)
    if (llvm::StringRef rest = name;
        rest.consume_front(prefix) && rest.consume_front("."))
      found.insert(rest.str());
  return found;
}

SavedTensor SavedTensors::state(llvm::StringRef prefix,
                                const std::string &name) const {
  auto found = optimizer.find((prefix + "." + name).str());
  return found == optimizer.end() ? SavedTensor() : assemble(found->second);
}
