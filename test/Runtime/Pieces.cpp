//===- Pieces.cpp - Unit tests of ranks' shards and their shares of files -===//
//
// Programs without steps on meshes of 12 ranks in one process. Each rank's
// arena is filled with the shards that the descriptor assigns to it and with
// NaNs elsewhere. The pieces that ranks write must form the whole tensors.
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/OptimizerPiece.h"
#include "runtime/model/BlockPlan.h"
#include "runtime/support/BlockHashes.h"
#include "runtime/support/Hash.h"
#include "test/Runtime/Check.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace pcc;

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

static const pcc_axis axes[] = {{"pp", 2, PCC_PIPELINE_AXIS},
                                {"dp", 3, PCC_DATA_AXIS},
                                {"tp", 2, PCC_TENSOR_AXIS}};
static const int32_t dp[] = {1}, tp[] = {2}, both[] = {1, 2};
static const int32_t none[] = {0, 0, 0, 0}, first[] = {0, 1, 1},
                     last[] = {0, 0, 1};
static const int ranks = 12;

// A bias of prime length; a matrix sharded by columns whose source is a slice
// of the transpose; two thirds of a fused matrix, the last of which is in no
// program tensor; a table of both stages with a padded dim; a number.
static const int64_t prime[] = {13}, matrix[] = {5, 6}, sliced[] = {7, 5},
                     third[] = {4, 3}, fused[] = {4, 9}, table[] = {8, 3},
                     rows[] = {7, 3};
static const int64_t step1[] = {1}, turned[] = {1, 5}, wide[] = {9, 1},
                     step3[] = {3, 1};

static pcc_source sourceOf(const char *name, int32_t rank, const int64_t *shape,
                           int64_t base, const int64_t *stride,
                           const int64_t *valid) {
  pcc_source source = {};
  source.name = source.saved_name = name;
  source.rank = rank;
  source.shape = shape;
  source.base = base;
  source.stride = stride;
  source.valid = valid;
  source.offset = PCC_ABSENT;
  return source;
}
static const pcc_source sources[] = {
    sourceOf("bias", 1, prime, 0, step1, prime),
    sourceOf("turned", 2, sliced, 5, turned, matrix),
    sourceOf("fused", 2, fused, 0, wide, third),
    sourceOf("fused", 2, fused, 3, wide, third),
    sourceOf("table", 2, rows, 0, step3, rows),
    sourceOf("scale", 0, prime, 0, step1, prime)};

/// The bucket of 36 elements is sharded over dp, with the bias at 1 and the
/// matrix at 17, both unaligned. The bucket of 30 is sharded over dp and tp.
static const int64_t smallRow = 36, longRow = 30;
static pcc_bucket bucketOf(int64_t elements, int32_t n, const int32_t *over,
                           int32_t whole, int64_t offset) {
  return {elements, n, over, whole, offset};
}

namespace {
struct Program {
  pcc_bucket buckets[4];
  pcc_tensor tensors[2][8];
  pcc_stage stages[2] = {};
  pcc_program program = {};

  explicit Program(bool isCut);
};
} // namespace

static pcc_tensor tensorOf(const char *name, int32_t kind, pcc_layout layout,
                           int64_t offset, const pcc_source *source,
                           const pcc_bucket *bucket, int64_t place) {
  pcc_tensor tensor = {};
  tensor.name = name;
  tensor.kind = kind;
  tensor.dtype = PCC_F32;
  tensor.layout = layout;
  tensor.arena_offset = offset;
  tensor.source = source;
  tensor.bucket = bucket;
  tensor.bucket_offset = place;
  return tensor;
}

static const int64_t arenaBytes = 4096;

Program::Program(bool isCut) {
  buckets[0] = bucketOf(smallRow, 1, dp, 1, 0);
  buckets[1] = bucketOf(smallRow, 1, dp, 0, 1024);
  buckets[2] = bucketOf(longRow, 2, both, 0, 2048);
  buckets[3] = bucketOf(longRow, 2, both, 1, 2048);
  const pcc_layout vector = {1, prime, none, nullptr},
                   columns = {2, matrix, last, tp},
                   thirds = {2, third, none, nullptr},
                   tableRows = {2, table, first, tp},
                   number = {0, nullptr, none, nullptr};
  auto in = [&](int bucket) { return isCut ? &buckets[bucket] : nullptr; };
  const pcc_tensor stage0[] = {
      tensorOf("bias", PCC_PARAM, vector, 0, &sources[0], in(0), 1),
      tensorOf("turned", PCC_PARAM, columns, 64, &sources[1], in(0), 17),
      tensorOf("m.bias", PCC_STATE, vector, 1024, &sources[0], in(1), 1),
      tensorOf("m.turned", PCC_STATE, columns, 1088, &sources[1], in(1), 17),
      tensorOf("table", PCC_PARAM, tableRows, 2048, &sources[4], nullptr, 0),
      tensorOf("grad.bias", PCC_SCRATCH, vector, 3000, nullptr, nullptr, 0)};
  const pcc_tensor stage1[] = {
      tensorOf("table", PCC_PARAM, tableRows, 0, &sources[4], nullptr, 0),
      tensorOf("q", PCC_PARAM, thirds, 2048, &sources[2], in(2), 0),
      tensorOf("k", PCC_PARAM, thirds, 2112, &sources[3], in(2), 13),
      tensorOf("scale", PCC_PARAM, number, 2304, &sources[5], in(2), 29)};
  std::copy(std::begin(stage0), std::end(stage0), tensors[0]);
  std::copy(std::begin(stage1), std::end(stage1), tensors[1]);
  for (int s = 0; s < 2; ++s) {
    stages[s].arena_bytes = arenaBytes;
    stages[s].tensors = tensors[s];
    stages[s].n_tensors = s == 0 ? 6 : 4;
  }
  program.n_axes = 3;
  program.axes = axes;
  program.n_stages = 2;
  program.stages = stages;
}

static const pcc_stage &stageAt(const pcc_program &program,
                                const Coordinates &at) {
  return program.stages[stageOf(program, at)];
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// The elements of forEachRun(): (in the shard, in the source).
static std::set<std::pair<int64_t, int64_t>>
elementsOf(const SourceMap &map, const Shard &shard, Span part, Span window) {
  std::set<std::pair<int64_t, int64_t>> found;
  forEachRun(map, shard, part, window,
             [&](int64_t local, int64_t index, int64_t count, int64_t step) {
               CHECK(count > 0);
               for (int64_t i = 0; i < count; ++i)
                 CHECK(found.insert({local + i, index + i * step}).second);
             });
  return found;
}

static void testRuns() {
  // [3, 4, 2] of which [3, 3, 2] are valid, with ascending, descending and
  // mixed strides.
  const int64_t shape[] = {3, 4, 2}, valid[] = {3, 3, 2}, whole[] = {40};
  const int64_t strides[][3] = {{8, 2, 1},  {1, 3, 9},  {-8, 2, 1},
                                {6, -2, 1}, {2, 6, -1}, {0, 2, 1}};
  const int64_t bases[] = {3, 0, 20, 5, 1, 7};
  for (int form = 0; form < 6; ++form) {
    pcc_source source =
        sourceOf("s", 1, whole, bases[form], strides[form], valid);
    pcc_tensor tensor = tensorOf("t", PCC_PARAM, {3, shape, none, nullptr}, 0,
                                 &source, nullptr, 0);
    SourceMap map(tensor);
    for (const Shard &shard :
         {Shard{{0, 0, 0}, {3, 4, 2}}, Shard{{1, 2, 0}, {2, 2, 2}}}) {
      int64_t elements = shard.elements();
      auto all = elementsOf(map, shard, {0, elements}, {0, 40});
      CHECK(all.size() == (elements == 24 ? 18u : 4u));
      for (int64_t begin = 0; begin < elements; ++begin)
        for (int64_t end = begin; end <= elements; end += 3)
          for (Span window : {Span{0, 40}, Span{4, 11}, Span{12, 13}}) {
            std::set<std::pair<int64_t, int64_t>> expected;
            Span bounds = boundsOf(map, shard, {begin, end});
            for (auto [local, index] : all)
              if (local >= begin && local < end) {
                CHECK(index >= bounds.begin && index < bounds.end);
                if (index >= window.begin && index < window.end)
                  expected.insert({local, index});
              }
            CHECK(elementsOf(map, shard, {begin, end}, window) == expected);
          }
    }
  }
}

/// Every element of every tensor is owned by exactly one rank. No rank writes
/// much more than others with the same shards.
static void testDivision(bool isCut, const std::vector<bool> &writers) {
  Program made(isCut);
  const pcc_program &program = made.program;
  WriteShares division(program, writers);
  std::map<std::string, std::map<int64_t, int>> written;
  for (int rank = 0; rank < ranks; ++rank) {
    Coordinates at = coordinatesOf(program, rank);
    const pcc_stage &stage = stageAt(program, at);
    for (int i = 0; i < stage.n_tensors; ++i) {
      const pcc_tensor &tensor = stage.tensors[i];
      Span share = division.sharesOf(rank)[i];
      Span kept = storedRange(program, tensor, at).elements;
      CHECK(share.isEmpty() ||
            (share.begin >= kept.begin && share.end <= kept.end));
      CHECK(share.isEmpty() || writers[rank] || isCut);
      Shard shard = shardOf(program, tensor.layout, at);
      for (int64_t e = share.begin; e < share.end; ++e) {
        int64_t global = 0, rest = e;
        for (int dim = 0, left = 1; dim < tensor.layout.rank; ++dim) {
          left = 1;
          for (int inner = dim + 1; inner < tensor.layout.rank; ++inner)
            left *= shard.extent[inner];
          global = global * tensor.layout.shape[dim] + shard.start[dim] +
                   rest / left;
          rest %= left;
        }
        ++written[tensor.name][global];
      }
    }
  }
  const std::pair<const char *, size_t> sizes[] = {
      {"bias", 13},  {"turned", 30}, {"m.bias", 13}, {"m.turned", 30},
      {"table", 24}, {"q", 12},      {"k", 12},      {"scale", 1}};
  for (auto [name, size] : sizes) {
    CHECK(written[name].size() == size);
    for (auto [element, count] : written[name])
      CHECK(count == 1);
  }
  CHECK(!written.count("grad.bias"));
}

static void testShares() {
  // Without buckets, the tensors that dp ranks replicate are divided evenly: 13
  // + 12 of tp, of the parameters, and of the moments.
  Program made(/*isCut=*/false);
  WriteShares division(made.program, std::vector<bool>(ranks, true));
  std::vector<int64_t> moments(6);
  for (int rank = 0; rank < 6; ++rank)
    for (int tensor : {2, 3})
      moments[rank] += division.sharesOf(rank)[tensor].size();
  // bias: 13 elements among 6 ranks; turned: 15 of each tp rank among 3.
  for (int64_t size : moments)
    CHECK(size == 7 || size == 8);
  // Other ranks write the share of a rank that cannot write.
  std::vector<bool> writers(ranks, true);
  writers[1] = writers[3] = false;
  WriteShares some(made.program, writers);
  CHECK(some.sharesOf(1)[3].isEmpty() && some.sharesOf(3)[3].isEmpty());
  CHECK(some.sharesOf(5)[3].size() == 15);
}

static float valueOf(size_t source, int64_t index) {
  return static_cast<float>(1000 * (source + 1) + index);
}

/// Fills the arenas with the ranks' shards and assembles the source tensors
/// from windows of them.
static void testWhole(bool isCut) {
  Program made(isCut);
  const pcc_program &program = made.program;
  std::vector<SourceTensor> all = sourceTensors(program, SavedTypes::Source);
  CHECK(all.size() == 5);
  std::vector<std::vector<char>> arenas(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    arenas[rank].resize(arenaBytes);
    auto *values = reinterpret_cast<float *>(arenas[rank].data());
    std::fill_n(values, arenaBytes / 4, NAN);
    Coordinates at = coordinatesOf(program, rank);
    const pcc_stage &stage = stageAt(program, at);
    for (int i = 0; i < stage.n_tensors; ++i) {
      const pcc_tensor &tensor = stage.tensors[i];
      if (tensor.kind != PCC_PARAM)
        continue;
      SourceMap map(tensor);
      size_t number = 0;
      while (all[number].map.name != map.name)
        ++number;
      StoredRange kept = storedRange(program, tensor, at);
      forEachRun(
          map, shardOf(program, tensor.layout, at), kept.elements,
          {0, map.elements()},
          [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
            for (int64_t i = 0; i < count; ++i)
              values[kept.offset / 4 + local + i - kept.elements.begin] =
                  valueOf(number, index + i * stride);
          });
    }
  }
  WriteShares division(program, std::vector<bool>(ranks, true));
  for (size_t number = 0; number < all.size(); ++number) {
    const SourceTensor &source = all[number];
    int64_t elements = source.map.elements();
    std::vector<float> whole(elements, 0);
    std::vector<SourcePart> parts = partsOf(program, division, source);
    for (int64_t begin = 0; begin < elements; begin += 4)
      for (const SourcePart &part : parts) {
        Span window = {begin, std::min(begin + 4, elements)};
        std::vector<char> packed;
        pack(arenas[part.rank].data(), part, window, packed);
        CHECK(static_cast<int64_t>(packed.size()) == packedBytes(part, window));
        const char *end =
            unpack(part, window, packed.data(),
                   reinterpret_cast<char *>(whole.data() + begin));
        CHECK(end == packed.data() + packed.size());
      }
    for (int64_t i = 0; i < elements; ++i) {
      bool isHeld = source.map.name == "turned"  ? i >= 5
                    : source.map.name == "fused" ? i % 9 < 6
                                                 : true;
      CHECK(whole[i] == (isHeld ? valueOf(number, i) : 0));
    }
  }
}

static void testPlaces() {
  Program made(/*isCut=*/true);
  const pcc_program &program = made.program;
  // The bias is at 1 in a bucket of 36 that has three shards: its elements are
  // at 1 to 12 in the first, at 12 to 14 in the second, and none in the third.
  const pcc_tensor &bias = made.tensors[0][0], &moment = made.tensors[0][2];
  StoredRange run = storedRange(program, bias, {0, 1, 0});
  CHECK((run.elements == Span{11, 13}) && run.offset == 48);
  run = storedRange(program, moment, {0, 1, 0});
  CHECK((run.elements == Span{11, 13}) && run.offset == 1024);
  CHECK(storedRange(program, moment, {0, 2, 1}).elements.isEmpty());
  CHECK((storedRange(program, moment, {0, 0, 1}).elements == Span{0, 11}));
  CHECK(storedRange(program, moment, {0, 0, 1}).offset == 1024 + 4);
}

static void testPieces() {
  // All rectangles of two small partitions of [5, 7], and runs of them.
  std::vector<OptimizerPiece> pieces;
  for (const Shard &shard :
       {Shard{{0, 0}, {5, 7}}, Shard{{0, 0}, {3, 7}}, Shard{{3, 0}, {2, 7}},
        Shard{{0, 0}, {5, 4}}, Shard{{0, 4}, {5, 3}}, Shard{{1, 2}, {3, 3}}})
    for (int64_t begin : {0, 1, 5})
      for (int64_t end : {int64_t{5}, int64_t{8}, shard.elements()})
        pieces.push_back({{5, 7}, shard, {begin, end}});
  const std::vector<int64_t> valid = {4, 7};
  auto globals = [&](const OptimizerPiece &piece) {
    std::map<int64_t, int64_t> found; // by element of the whole
    for (int64_t e = piece.elements.begin; e < piece.elements.end; ++e) {
      int64_t row = piece.shard.start[0] + e / piece.shard.extent[1];
      int64_t column = piece.shard.start[1] + e % piece.shard.extent[1];
      if (row < valid[0] && column < valid[1])
        found[row * 7 + column] = e;
    }
    return found;
  };
  for (const OptimizerPiece &a : pieces) {
    std::vector<int64_t> stored = a.storedShape();
    std::optional<OptimizerPiece> read = readPiece(a.text(), &stored);
    CHECK(read && read->text() == a.text());
    CHECK(readPiece(a.text(), nullptr).has_value());
    stored.push_back(1);
    CHECK(!readPiece(a.text(), &stored));
    for (const OptimizerPiece &b : pieces) {
      auto inA = globals(a), inB = globals(b);
      std::map<int64_t, int64_t> expected, found;
      for (auto [global, local] : inA)
        if (inB.count(global))
          expected[local] = inB[global];
      forEachCommon(a, b, valid,
                    [&](int64_t fromA, int64_t fromB, int64_t count) {
                      for (int64_t i = 0; i < count; ++i)
                        CHECK(found.insert({fromA + i, fromB + i}).second);
                    });
      CHECK(found == expected);
      CHECK(mayShare(a, b) || expected.empty());
    }
  }
  OptimizerPiece number = {{}, {}, {0, 1}};
  int64_t count = 0;
  forEachCommon(number, number, {},
                [&](int64_t, int64_t, int64_t n) { count += n; });
  CHECK(count == 1);

  // The format of older files.
  const std::vector<int64_t> shape = {2, 7};
  CHECK(readPiece(R"({"shape":[5,7],"offset":[3,0]})", &shape)->isWhole());
  const char *const bad[] = {
      "",
      "[]",
      "{",
      R"({"shape":[5,7]})",
      R"({"shape":[5,7],"offset":[4,0]})",
      R"({"shape":[5,7],"offset":[3]})",
      R"({"shape":[5,7],"offset":[-1,0]})",
      R"({"shape":[5,7],"offset":[3,0],"extent":[3,7]})",
      R"({"shape":[5,7],"offset":[3,0],"extent":[2,6]})",
      R"({"shape":[5,7],"offset":[3,0],"extent":[2,7],"run":[1,15]})",
      R"({"shape":[5,7],"offset":[3,0],"extent":[2,7],"run":[3,2]})",
      R"({"shape":[5,7],"offset":[3,0],"extent":[2,7],"run":[1]})",
      R"({"shape":[5,7],"offset":[3,0],"extent":[2,7],"run":[1,9]})",
      R"({"shape":[5,7],"offset":[3,0],"extent":"2"})"};
  for (const char *text : bad)
    CHECK(!readPiece(text, &shape));
}

/// A model of several blocks; only its plan is made.
static void testBlocks() {
  const int64_t large[] = {6000, 12000}, back[] = {1, 6000};
  const pcc_source source = sourceOf("w", 2, large, 0, back, large);
  const pcc_source plain = sourceOf("v", 2, large, 0, large + 1, large);
  const int64_t straight[] = {12000, 1};
  pcc_source v = plain, w = source;
  const int64_t turnedShape[] = {12000, 6000};
  w.shape = turnedShape;
  v.stride = straight;
  const pcc_layout columns = {2, large, last, tp};
  const pcc_tensor tensors[] = {
      tensorOf("w", PCC_PARAM, columns, 0, &w, nullptr, 0),
      tensorOf("v", PCC_PARAM, columns, 0, &v, nullptr, 0)};
  pcc_stage stages[2] = {};
  for (int s = 0; s < 2; ++s) {
    stages[s].tensors = tensors + s;
    stages[s].n_tensors = 1;
  }
  pcc_program program = Program(false).program;
  program.stages = stages;
  std::vector<SourceTensor> all = sourceTensors(program, SavedTypes::Source);
  std::vector<bool> writers(ranks, true);
  BlockPlan plan(program, all, 100, writers);
  CHECK(plan.fileBytes() == 100 + 2 * 4 * 6000 * 12000);
  CHECK(plan.placeOf(0) == 100 && plan.placeOf(1) == 100 + 4 * 6000 * 12000);
  std::map<int, int64_t> owned;
  std::set<std::pair<int64_t, int>> inRound;
  int64_t round = 0;
  for (const BlockPlan::Block &block : plan.blocks()) {
    ++owned[block.owner];
    CHECK(block.round == round || block.round == round + 1);
    round = block.round;
    CHECK(inRound.insert({round, block.owner}).second);
    bool has = false;
    for (const SourcePart *part : block.parts)
      has = has || part->rank == block.owner;
    CHECK(has);
  }
  CHECK(plan.blocks().size() == 35 && owned.size() == 12);
  for (auto [rank, count] : owned)
    CHECK(count >= 2 && count <= 4);
  // A rank that cannot write owns nothing.
  for (int rank : {1, 4, 11})
    writers[rank] = false;
  BlockPlan fewer(program, all, 100, writers);
  for (const BlockPlan::Block &block : fewer.blocks())
    CHECK(writers[block.owner]);
}

int main() {
  testRuns();
  testPlaces();
  std::vector<bool> writers(ranks, true);
  for (bool isCut : {false, true}) {
    testDivision(isCut, writers);
    testWhole(isCut);
  }
  for (int rank : {0, 3, 4, 7, 8})
    writers[rank] = false;
  testDivision(false, writers);
  testDivision(true, writers);
  testShares();
  testPieces();
  testBlocks();
  return checkResult();
}
