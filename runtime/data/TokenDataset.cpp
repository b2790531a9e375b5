//===- TokenDataset.cpp - Token files as a dataset ------------------------===//

#include "runtime/data/TokenDataset.h"

#include "runtime/data/Digest.h"
#include "runtime/data/Headerless.h"
#include "runtime/data/Roles.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>

using namespace pcc;

/// Returns the offset from a position of the input to its token. Targets are
/// the following tokens; labels are the tokens themselves, for a model that
/// shifts them inside.
static int tokenShift(Role role) { return role == Role::Targets; }

/// Returns the input with the smallest vocabulary of all stages; null if no
/// input has one.
static const pcc_input *leastVocabulary(const pcc_program &program) {
  const pcc_input *least = nullptr;
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i) {
      const pcc_input &input = program.stages[s].inputs[i];
      if (input.vocab && (!least || input.vocab < least->vocab))
        least = &input;
    }
  return least;
}

TokenDataset::TokenDataset(const pcc_program &program, const std::string &name,
                           const std::vector<std::string> &paths)
    : name(name), seq(program.seq),
      endTokens(program.document_ends,
                program.document_ends + program.n_document_ends),
      starts({0}) {
  if (const pcc_input *ids = leastVocabulary(program)) {
    vocab = ids->vocab;
    bound = boundText(*ids);
  }
  for (const std::string &path : paths) {
    files.push_back(std::make_unique<TokenFile>(path, vocab));
    starts.push_back(starts.back() + files.back()->size());
  }
}

size_t TokenDataset::fileOf(int64_t position) const {
  // An empty file starts where the next one does; the next one is found.
  return std::upper_bound(starts.begin(), starts.end(), position) -
         starts.begin() - 1;
}

int64_t TokenDataset::at(int64_t position) const {
  size_t file = fileOf(position);
  return files[file]->at(position - starts[file]);
}

int64_t TokenDataset::samples() const {
  return size() > 0 ? (size() - 1) / seq : 0;
}

std::string TokenDataset::describe() const {
  std::string format = files.front()->formatName();
  for (const auto &file : files)
    if (format != file->formatName())
      format = "several formats";
  if (files.size() > 1)
    format = std::to_string(files.size()) + " files, " + format;
  std::string text = name + ": " + grouped(size()) + " tokens (" + format + ")";
  bool hasIndex = std::any_of(files.begin(), files.end(), [](const auto &file) {
    return file->hasDocuments();
  });
  return endTokens.empty() ? text
         : hasIndex        ? text + ", documents by its index"
                           : text + ", documents by their last tokens";
}

std::string TokenDataset::needed(int64_t samples) const {
  return "at least " + grouped(samples * seq + 1) + " tokens are needed";
}

std::string TokenDataset::digest() const {
  Digest digest;
  for (const auto &file : files)
    digest.addSampled(file->elements());
  return digest.text();
}

void TokenDataset::refuse(size_t file, int64_t position) const {
  const TokenFile &from = *files[file];
  const Elements &tokens = from.elements();
  std::string other;
  if (from.isHeaderless())
    other = findOtherReading(tokens.data, 2 * tokens.count, vocab);
  if (other.empty())
    other = "was the data prepared with another tokenizer?";
  fail(ExitData,
       format("token %lld at position %lld of '%s' is outside the vocabulary "
              "of %lld",
              static_cast<long long>(from.at(position)),
              static_cast<long long>(position), from.path().c_str(),
              static_cast<long long>(vocab)),
       format("valid tokens are 0 to %lld%s; %s",
              static_cast<long long>(vocab - 1), bound.c_str(), other.c_str()));
}

bool TokenDataset::check(int64_t &budget) const {
  if (vocab == 0)
    return true;
  for (size_t i = 0; i < files.size(); ++i) {
    const Elements &tokens = files[i]->elements();
    int64_t width = infoOf(tokens.type).bytes;
    int64_t end = std::min(tokens.count, budget / width);
    // No id is ignored: -100 has a meaning in labels only.
    int64_t found = tokens.firstOutside(0, end, vocab, vocab - 1);
    if (found >= 0)
      refuse(i, found);
    if (end < tokens.count)
      return false;
    budget -= end * width;
  }
  return true;
}

void TokenDataset::checkSample(int64_t sample) const {
  if (vocab == 0)
    return;
  for (int64_t i = sample * seq; i <= (sample + 1) * seq; ++i) {
    int64_t token = at(i);
    if (token < 0 || token >= vocab)
      refuse(fileOf(i), i - starts[fileOf(i)]);
  }
}

std::vector<char> TokenDataset::documentEnds(int64_t sample) const {
  std::vector<char> ends(seq);
  for (int64_t i = 0; i < seq; ++i) {
    size_t file = fileOf(sample * seq + i);
    int64_t position = sample * seq + i - starts[file];
    const TokenFile &from = *files[file];
    ends[i] = from.hasDocuments()
                  ? from.endsDocument(position)
                  : std::find(endTokens.begin(), endTokens.end(),
                              from.at(position)) != endTokens.end();
  }
  return ends;
}

void TokenDataset::copySample(const pcc_input &input, const Shard &shard,
                              int64_t sample, char *to) const {
  bool isMask = isPaddingMask(input);
  int dim = isMask ? 1 : input.sequence_dim;
  int64_t position =
      sample * seq + tokenShift(roleOf(input)) + shard.start[dim];
  for (int64_t i = 0; i < shard.extent[dim]; ++i) {
    int64_t token = isMask ? 1 : at(position + i);
    Elements one = {Element::I64, reinterpret_cast<const char *>(&token), 1};
    copyElements(one, 0, 1, 1, input.dtype, to);
    to += input.dtype == PCC_I64 ? 8 : 4;
  }
}
