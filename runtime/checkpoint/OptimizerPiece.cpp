//===- OptimizerPiece.cpp - Position of saved optimizer state -------------===//

#include "runtime/checkpoint/OptimizerPiece.h"

#include <nlohmann/json.hpp>

using namespace pcc;
using json = nlohmann::ordered_json;

std::string OptimizerPiece::text() const {
  json place = {
      {"shape", shape}, {"offset", shard.start}, {"extent", shard.extent}};
  if (!isWhole())
    place["run"] = {elements.begin, elements.end};
  return place.dump();
}

std::vector<int64_t> OptimizerPiece::storedShape() const {
  return isWhole() ? shard.extent : std::vector<int64_t>{elements.size()};
}

/// Reads the list of non-negative integers called `key`. Returns false if there
/// is none.
static bool readList(const json &place, const char *key,
                     std::vector<int64_t> &list) {
  auto found = place.find(key);
  if (found == place.end() || !found->is_array())
    return false;
  for (const json &item : *found) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > INT64_MAX)
      return false;
    list.push_back(item.get<int64_t>());
  }
  return true;
}

/// Returns whether a shard is within a tensor of this shape, and its number of
/// elements does not overflow.
static bool isWithin(const Shard &shard, const std::vector<int64_t> &shape) {
  size_t rank = shape.size();
  if (shard.start.size() != rank || shard.extent.size() != rank)
    return false;
  int64_t elements = 1;
  for (size_t dim = 0; dim < rank; ++dim)
    if (shard.start[dim] > shape[dim] ||
        shard.extent[dim] > shape[dim] - shard.start[dim] ||
        __builtin_mul_overflow(elements, shard.extent[dim], &elements))
      return false;
  return true;
}

std::optional<OptimizerPiece>
pcc::readPiece(const std::string &text, const std::vector<int64_t> *stored) {
  json place = json::parse(text, nullptr, /*allow_exceptions=*/false);
  OptimizerPiece piece;
  if (!place.is_object() || !readList(place, "shape", piece.shape) ||
      !readList(place, "offset", piece.shard.start))
    return std::nullopt;
  if (place.contains("extent")) {
    if (!readList(place, "extent", piece.shard.extent))
      return std::nullopt;
  } else if (stored) {
    piece.shard.extent = *stored;
  }
  if (!isWithin(piece.shard, piece.shape))
    return std::nullopt;
  piece.elements = {0, piece.shard.elements()};
  if (place.contains("run")) {
    std::vector<int64_t> run;
    if (!readList(place, "run", run) || run.size() != 2 || run[0] > run[1] ||
        run[1] > piece.elements.end)
      return std::nullopt;
    piece.elements = {run[0], run[1]};
  }
  if (stored && *stored != piece.storedShape())
    return std::nullopt;
  return piece;
}

/// Returns the indices along a dim that two shards share.
static Span commonIn(const Shard &a, const Shard &b, size_t dim) {
  return common({a.start[dim], a.start[dim] + a.extent[dim]},
                {b.start[dim], b.start[dim] + b.extent[dim]});
}

/// Returns the global indices along dim 0 that a piece's elements span.
static Span rowsOf(const OptimizerPiece &piece) {
  int64_t row = 1;
  for (size_t dim = 1; dim < piece.shard.extent.size(); ++dim)
    row *= piece.shard.extent[dim];
  if (row == 0 || piece.elements.isEmpty())
    return {};
  int64_t start = piece.shard.start[0];
  return {start + piece.elements.begin / row,
          start + (piece.elements.end - 1) / row + 1};
}

bool pcc::mayShare(const OptimizerPiece &a, const OptimizerPiece &b) {
  if (a.elements.isEmpty() || b.elements.isEmpty() ||
      a.shape.size() != b.shape.size())
    return false;
  for (size_t dim = 0; dim < a.shape.size(); ++dim)
    if (commonIn(a.shard, b.shard, dim).isEmpty())
      return false;
  if (a.shard.start == b.shard.start && a.shard.extent == b.shard.extent)
    return !common(a.elements, b.elements).isEmpty();
  return !common(rowsOf(a), rowsOf(b)).isEmpty();
}

/// Row-major index of an element within a shard.
static int64_t indexIn(const Shard &shard, const std::vector<int64_t> &at) {
  int64_t index = 0;
  for (size_t dim = 0; dim < at.size(); ++dim)
    index = index * shard.extent[dim] + at[dim] - shard.start[dim];
  return index;
}

void pcc::forEachCommon(
    const OptimizerPiece &a, const OptimizerPiece &b,
    const std::vector<int64_t> &valid,
    const std::function<void(int64_t, int64_t, int64_t)> &visit) {
  if (!mayShare(a, b))
    return;
  size_t rank = valid.size();
  std::vector<Span> box(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    box[dim] = common(commonIn(a.shard, b.shard, dim), {0, valid[dim]});
    if (dim == 0)
      box[0] = common(box[0], common(rowsOf(a), rowsOf(b)));
    if (box[dim].isEmpty())
      return;
  }
  int64_t count = rank == 0 ? 1 : box[rank - 1].size();
  std::vector<int64_t> at(rank);
  for (size_t dim = 0; dim < rank; ++dim)
    at[dim] = box[dim].begin;
  while (true) {
    int64_t inA = indexIn(a.shard, at), inB = indexIn(b.shard, at);
    Span part = common({0, count},
                       common({a.elements.begin - inA, a.elements.end - inA},
                              {b.elements.begin - inB, b.elements.end - inB}));
    if (!part.isEmpty())
      visit(inA + part.begin, inB + part.begin, part.size());
    int dim = static_cast<int>(rank) - 2;
    for (; dim >= 0 && ++at[dim] == box[dim].end; --dim)
      at[dim] = box[dim].begin;
    if (dim < 0)
      return;
  }
}
