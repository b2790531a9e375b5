//===- SavedFiles.h - The files of a checkpoint -----------------*- C++ -*-===//
//
// trainer_state.json ends with the hashes of the other files and of its own
// text:
//
//   "hashes": {
//     "kind": "xxh128",
//     "block_bytes": 16777216,
//     "files": {
//       "model.safetensors": {         or the shards of the model
//         "bytes": 20123456,
//         "header_bytes": 1024,
//         "header": "...",             hash of these first bytes
//         "blocks": ["...", "..."],    hash of each 16 MiB of the file
//         "pieces": {"exp_avg.w": "...", ...}  only of an optimizer file: its
//                                      metadata of each tensor
//       },
//       ...
//     }
//   },
//   "hash": "..."                      hash of all bytes before this line
// }
//
// Older checkpoints have neither "hashes" nor "hash"; with only one of the two
// the file is damaged. Checkpoints without "pieces" are older, too. In older
// ones the optimizer files are not in a folder of their own.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_SAVEDFILES_H
#define PCC_RUNTIME_MODEL_SAVEDFILES_H

#include "runtime/model/WeightFiles.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pcc {

extern const char *const stateFile; ///< trainer_state.json
extern const char *const modelFile; ///< model.safetensors
extern const char *const indexFile; ///< model.safetensors.index.json
/// The folder of the optimizer files. They are not beside the model, because
/// vLLM takes every *.safetensors of a folder for weights.
extern const char *const optimizerFolder;
/// Returns the name of the optimizer file that a rank writes, with its folder.
std::string optimizerFile(int rank);
/// Returns the name of one of `count` files that hold the model.
std::string shardFile(size_t index, size_t count);

/// The tensors of an optimizer file by name, each with the text of its piece
/// (OptimizerPiece.h).
using OptimizerIndex = std::map<std::string, std::string>;

/// Return the entry of a file in trainer_state.json: of the model file, and of
/// an optimizer file with its index.
nlohmann::ordered_json entryOf(const FileHashes &hashes);
nlohmann::ordered_json entryOf(const FileHashes &hashes,
                               const OptimizerIndex &pieces);
/// Returns the text of trainer_state.json, given its fields and the entries of
/// the checkpoint's other files by name.
std::string stateText(nlohmann::ordered_json fields,
                      const nlohmann::ordered_json &files);

/// The files of a checkpoint, each verified by its hashes when it is read.
class SavedFiles {
public:
  /// Reads trainer_state.json. Exits with ExitOutput if it is invalid or
  /// damaged, or if its step is not that of the folder's name.
  explicit SavedFiles(const std::string &folder);

  /// The checkpoint's folder, as it was given.
  const std::string &folder() const { return path; }
  /// The fields of trainer_state.json; see Checkpoint.h.
  const nlohmann::ordered_json &fields() const { return state; }
  /// The last finished step.
  int64_t step() const { return state["step"].get<int64_t>(); }
  /// Returns whether hashes were saved, so that damage can be detected.
  bool isHashed() const { return !files.empty(); }

  /// Opens one of the files. Exits with ExitOutput if it is missing or is not
  /// the one that was saved.
  std::unique_ptr<SafeTensors> open(const std::string &name,
                                    const char *what) const;
  /// Opens the files of the model in the same way.
  std::unique_ptr<WeightFiles> openModel() const;
  /// Returns the names of the optimizer files.
  std::vector<std::string> optimizerFiles() const;
  /// Returns the index of an optimizer file; null in checkpoints without
  /// "pieces".
  const OptimizerIndex *piecesOf(const std::string &file) const;

private:
  std::string path;
  nlohmann::ordered_json state;
  std::map<std::string, FileHashes> files; ///< empty without hashes
  std::map<std::string, OptimizerIndex> pieces;
  std::string note; ///< for messages about damage: how to continue
};

/// Returns the saved facts about a model file in a checkpoint's folder; nothing
/// for other files, and without hashes. Exits with ExitData if the trainer
/// state is damaged.
std::optional<SavedFile> savedModelFile(const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SAVEDFILES_H
