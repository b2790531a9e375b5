//===- SavedFiles.h - The files of a checkpoint -----------------*- C++ -*-===//
//
// trainer_state.json ends with the hashes of the other files and of its own
// text:
//
//   "hashes": {
//     "kind": "xxh128",
//     "block_bytes": 16777216,
//     "files": {
//       "model.safetensors": {
//         "bytes": 20123456,
//         "header_bytes": 1024,
//         "header": "...",             of these first bytes
//         "blocks": ["...", "..."],    of each 16 MiB from the file's start
//         "pieces": {"exp_avg.w": "...", ...}  of an optimizer file: what its
//                                      metadata says of each tensor
//       },
//       ...
//   },
//   "hash": "..."                      of all bytes before this line
// }
//
// Older checkpoints have neither field. One of the two alone is damage. Those
// without "pieces" are older, too.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_SAVEDFILES_H
#define PCC_RUNTIME_MODEL_SAVEDFILES_H

#include "runtime/model/SafeTensors.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pcc {

extern const char *const stateFile; ///< trainer_state.json
extern const char *const modelFile; ///< model.safetensors
/// The name of the file that a rank writes.
std::string optimizerFile(int rank);

/// By the name of a tensor of an optimizer file, where it lies in the whole.
using OptimizerIndex = std::map<std::string, std::string>;

/// What trainer_state.json has of a file, and of one of the optimizer.
nlohmann::ordered_json entryOf(const FileHashes &hashes);
nlohmann::ordered_json entryOf(const FileHashes &hashes,
                               const OptimizerIndex &pieces);
/// The text of trainer_state.json, given its fields and, by name, the entries
/// of the files beside it.
std::string stateText(nlohmann::ordered_json fields,
                      const nlohmann::ordered_json &files);

/// The files of a checkpoint, each compared with its hashes when it is read.
class SavedFiles {
public:
  /// Reads trainer_state.json. Exits with ExitOutput if it is none, is damaged
  /// or is of another step than the folder's name.
  explicit SavedFiles(const std::string &folder);

  /// The checkpoint's folder, without a slash at its end.
  const std::string &folder() const { return path; }
  /// All of trainer_state.json but the hashes; see Checkpoint.h.
  const nlohmann::ordered_json &fields() const { return state; }
  /// The last step that is done.
  int64_t step() const { return state["step"].get<int64_t>(); }
  /// Whether hashes were saved, so that damage is noticed.
  bool isHashed() const { return !files.empty(); }

  /// Opens one of the files. Exits with ExitOutput if it is missing or is not
  /// the one that was saved.
  std::unique_ptr<SafeTensors> open(const std::string &name,
                                    const char *what) const;
  /// The names of those that hold optimizer state.
  std::vector<std::string> optimizerFiles() const;
  /// What one of these holds; null where the checkpoint does not say it.
  const OptimizerIndex *piecesOf(const std::string &file) const;

private:
  std::string path;
  nlohmann::ordered_json state;
  std::map<std::string, FileHashes> files; ///< empty: without hashes
  std::map<std::string, OptimizerIndex> pieces;
  std::string note; ///< what to do if something is damaged
};

/// Opens a file of tensors as initial values; compared with its hashes if it is
/// the model of a checkpoint. Exits with ExitData.
std::unique_ptr<SafeTensors> openInitial(const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SAVEDFILES_H
