//===- ExportFolder.h - Folders of exported models --------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_EXPORTFOLDER_H
#define PCC_TOOLS_PCC_DIRECTORY_EXPORTFOLDER_H

#include "tools/pcc/Directory/DirectoryFiles.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <optional>

namespace pcc {

/// What an export was made from, and its files: the contents of export.json.
struct ExportRecord {
  std::string source; ///< the directory's absolute path, in UTF-8
  std::vector<FileStamp> sourceFiles;
  std::map<std::string, std::string> options;
  std::map<std::string, std::string> versions;
  std::vector<FileStamp> files; ///< of the export, without export.json
};

/// The name of the record in an export's folder.
inline constexpr llvm::StringLiteral kRecordFile = "export.json";

/// The name of the model in an export's folder.
inline constexpr llvm::StringLiteral kModelFile = "model.onnx";

/// Reads the record of a folder; nothing if it has none that is valid.
std::optional<ExportRecord> readRecord(llvm::StringRef folder);

/// Writes the record of a folder; returns the error, or an empty text.
std::string writeRecord(llvm::StringRef folder, const ExportRecord &record);

/// Why an export with the record `wanted`, which has no files, does not equal
/// the one in `folder`, whose record is `found`; an empty text if it does.
/// Without `withVersions` those of Python's packages may differ.
std::string whyOutdated(llvm::StringRef folder, const ExportRecord &found,
                        const ExportRecord &wanted, bool withVersions);

/// The stamps of a folder's files other than the record, below it as well.
std::vector<FileStamp> stampsIn(llvm::StringRef folder);

/// An unfinished folder next to its destination. Removed unless it is moved
/// there.
class UnfinishedFolder {
public:
  /// Creates it, and removes those that killed processes left for the same
  /// destination. error() says why that failed.
  explicit UnfinishedFolder(llvm::StringRef destination);
  UnfinishedFolder(const UnfinishedFolder &) = delete;
  UnfinishedFolder &operator=(const UnfinishedFolder &) = delete;
  ~UnfinishedFolder();

  const std::string &path() const { return folder; }
  const std::string &error() const { return problem; }

  /// Moves the folder to its destination, and removes what is there in the same
  /// step. Returns the error, or an empty text.
  std::string finish();

private:
  std::string destination, folder, problem;
  int lock = -1; ///< held while this process lives
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_EXPORTFOLDER_H
