//===- Concatenation.cpp - Positions in concatenated files ----------------===//

#include "runtime/data/Concatenation.h"

#include "runtime/data/TokenDataset.h"
#include "runtime/support/Files.h"

#include <algorithm>

using namespace pcc;

/// Whether all paths name files that exist.
static bool areFiles(const std::vector<std::string> &paths) {
  return std::all_of(paths.begin(), paths.end(), [](const std::string &path) {
    return exists(path) && !isFolder(path);
  });
}

/// Returns the files whose concatenation has the digest of `whole`; none: they
/// are not found.
static std::vector<std::string>
findFiles(const pcc_program &program, const SourcePosition &whole,
          const std::vector<SourcePosition> &sources) {
  std::vector<std::string> before = splitPaths(whole.path), now;
  for (const SourcePosition &source : sources)
    now.push_back(source.path);
  for (const std::vector<std::string> &paths : {before, now})
    if (areFiles(paths) &&
        TokenDataset(program, whole.path, paths).digest() == whole.digest)
      return paths;
  return {};
}

FilePositions pcc::splitFiles(const pcc_program &program,
                              const SourcePosition &whole, int64_t seq,
                              const std::vector<SourcePosition> &sources) {
  FilePositions split;
  if (whole.digest.empty() || whole.samples == 0 || seq == 0 ||
      program.seq == 0) {
    split.problem = "the checkpoint does not identify them";
    return split;
  }
  std::vector<std::string> paths = findFiles(program, whole, sources);
  if (paths.empty()) {
    split.problem = "they have moved or changed";
    return split;
  }
  int64_t passes = whole.position() / whole.samples;
  int64_t done = whole.position() % whole.samples * seq; // tokens of this pass
  for (size_t i = 0; i < paths.size(); ++i) {
    TokenDataset file(program, paths[i], {paths[i]});
    int64_t tokens = std::clamp<int64_t>(done, 0, file.tokens());
    done -= file.tokens();
    if (file.samples() == 0)
      continue;
    SourcePosition source;
    source.path = paths[i];
    source.digest = file.digest();
    source.samples = file.samples();
    source.number = static_cast<int64_t>(i);
    int64_t taken = std::min(tokens / program.seq, file.samples());
    source.start = passes * file.samples() + taken;
    // The rest of a file is less than a sample.
    if (taken < file.samples())
      source.seen = tokens % program.seq;
    split.sources.push_back(source);
  }
  return split;
}
