//===- Unit.cpp - Unit tests of the runtime without ranks -----------------===//

#include "runtime/Backend.h"
#include "runtime/data/DataOrder.h"
#include "runtime/data/Elements.h"
#include "runtime/data/Headerless.h"
#include "runtime/host/Threads.h"
#include "runtime/model/FileDigest.h"
#include "runtime/model/SourceMap.h"
#include "runtime/model/Weights.h"
#include "runtime/model/WriteShares.h"
#include "runtime/mpi/IdleThreads.h"
#include "runtime/support/BlockHashes.h"
#include "runtime/support/DType.h"
#include "runtime/support/FileNames.h"
#include "runtime/support/Hash.h"
#include "runtime/support/LearningRate.h"
#include "runtime/support/Mesh.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Info.h"
#include "test/Runtime/Check.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <thread>
#include <unistd.h>

using namespace pcc;

static bool near(double a, double b) { return std::fabs(a - b) < 1e-15; }

static void testSchedule() {
  Schedule s;
  CHECK(parseDecay("cosine", s.decay) && !parseDecay("cosin", s.decay));
  s.peak = 1e-3, s.least = 1e-4, s.warmup = 10, s.steps = 110;
  CHECK(near(s.at(1), 1e-4));
  CHECK(near(s.at(5), 5e-4));
  CHECK(near(s.at(10), 1e-3));
  CHECK(near(s.at(60), 5.5e-4));
  CHECK(near(s.at(35), 1e-4 + 9e-4 * (1 + std::sqrt(0.5)) / 2));
  CHECK(near(s.at(110), 1e-4));
  CHECK(near(s.at(200), 1e-4));
  s.decay = Decay::Linear;
  CHECK(near(s.at(10), 1e-3) && near(s.at(60), 5.5e-4));
  CHECK(near(s.at(85), 3.25e-4) && near(s.at(110), 1e-4));
  s.decay = Decay::WarmupStableDecay; // falls from step 88
  CHECK(near(s.at(5), 5e-4) && near(s.at(88), 1e-3));
  CHECK(near(s.at(99), 5.5e-4) && near(s.at(110), 1e-4));
  s.decay = Decay::Constant;
  CHECK(near(s.at(5), 5e-4) && near(s.at(11), 1e-3) && near(s.at(500), 1e-3));
  // No steps remain for a decay, and none for a warm-up.
  s.decay = Decay::Cosine, s.warmup = 110;
  CHECK(near(s.at(110), 1e-3) && near(s.at(111), 1e-4));
  s.warmup = 0, s.steps = 1;
  CHECK(near(s.at(1), 1e-4));
}

static void testOrder() {
  DataOrder plain(10, 4, false, 0);
  CHECK(plain.sample(1, 0) == 0 && plain.sample(1, 3) == 3);
  CHECK(plain.sample(3, 1) == 9 && plain.sample(3, 2) == 0);

  DataOrder mixed(1000, 10, true, 5);
  DataOrder other(1000, 10, true, 6);
  std::set<int64_t> first, second;
  int same = 0, fixed = 0;
  for (int64_t step = 1; step <= 200; ++step)
    for (int64_t i = 0; i < 10; ++i) {
      int64_t n = mixed.sample(step, i);
      CHECK(n >= 0 && n < 1000);
      (step <= 100 ? first : second).insert(n);
      same += n == other.sample(step, i);
      fixed += n == plain.sample(step, i);
      CHECK(step > 100 || n != mixed.sample(step + 100, i) || ++same);
    }
  // Each pass visits every sample once; other seeds and passes differ.
  CHECK(first.size() == 1000 && second.size() == 1000);
  CHECK(same < 20 && fixed < 40);
  // One sample, and counts around a power of four.
  for (int64_t count : {1, 2, 3, 4, 5, 15, 16, 17, 64, 65}) {
    DataOrder few(count, count, true, 1);
    std::set<int64_t> seen;
    for (int64_t i = 0; i < count; ++i)
      seen.insert(few.sample(1, i));
    CHECK(static_cast<int64_t>(seen.size()) == count && *seen.begin() == 0);
  }
}

/// Every sample has weight 1 / samples, in batches that are whole or repeat
/// samples.
static void testOnce() {
  for (int64_t batch = 1; batch <= 24; ++batch)
    for (int64_t count = 1; count <= 60; ++count) {
      DataOrder order = DataOrder::once(count, batch, true);
      std::vector<double> share(count);
      int64_t used = 0;
      for (int64_t step = 1; step <= order.steps(); ++step) {
        int64_t different = order.samplesIn(step);
        CHECK(batch % different == 0 && order.samplesUpTo(step) > used);
        used = order.samplesUpTo(step);
        for (int64_t sample : order.samplesOf(step))
          share[sample] += double(different) / batch;
      }
      CHECK(used == count || order.steps() == count / batch + 16);
      for (int64_t i = 0; i < count; ++i)
        CHECK(near(share[i], i < used));
      DataOrder whole = DataOrder::once(count, batch, false);
      CHECK(whole.steps() == count / batch);
    }
  DataOrder eleven = DataOrder::once(11, 4, true);
  CHECK(eleven.steps() == 4 && eleven.samplesIn(2) == 4);
  CHECK(eleven.samplesOf(3) == std::vector<int64_t>({8, 9, 8, 9}));
  CHECK(eleven.samplesOf(4) == std::vector<int64_t>({10, 10, 10, 10}));
}

/// Numbers in a file's format, `width` bytes each.
static std::string bytesOf(const std::vector<uint64_t> &numbers, int width,
                           bool isBig = false) {
  std::string bytes;
  for (uint64_t number : numbers)
    for (int i = 0; i < width; ++i)
      bytes += static_cast<char>(number >> 8 * (isBig ? width - 1 - i : i));
  return bytes;
}

static void testHeaderless() {
  auto reason = [](const std::string &bytes) {
    return findFormatMismatch(bytes.data(), bytes.size()).reason;
  };
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != text.npos;
  };
  // Vocabularies from bytes to the largest ones; some ids are 0.
  for (uint64_t vocab : {2, 10, 17, 65, 256, 50257, 65536, 70000, 262144}) {
    for (size_t count : {8, 33, 1000, 300001}) {
      std::vector<uint64_t> ids;
      for (size_t i = 0; i < count; ++i)
        ids.push_back(i % 7 ? mix(i + vocab) % (vocab - 1) + 1 : 0);
      CHECK(has(reason(bytesOf(ids, 4)), "looks like 32-bit tokens:"));
      CHECK(has(reason(bytesOf(ids, 4, true)), "32-bit tokens in big-endian"));
      CHECK(has(reason(bytesOf(ids, 8)), "looks like 64-bit tokens:"));
      CHECK(has(reason(bytesOf(ids, 8, true)), "64-bit tokens in big-endian"));
      if (vocab <= 65536)
        CHECK(reason(bytesOf(ids, 2)).empty());
    }
  }
  // Only padding, or few tokens, are not conclusive.
  CHECK(reason(std::string(4096, '\0')).empty());
  CHECK(reason(bytesOf({7, 1, 3}, 4)).empty() && reason("").empty());
  CHECK(has(reason("What is text, \xc3\xa4\xe2\x82\xac, is not tokens."),
            "is text"));
  CHECK(reason(bytesOf(std::vector<uint64_t>(100, 0x2064), 2) + '\1').empty());
  CHECK(has(reason("\x93NUMPY\1"), "is a .npy array"));
  CHECK(has(reason(std::string("PK\3\4\0\0", 6)), "zip archive"));
  CHECK(has(reason(bytesOf({20240520, 1, 5}, 4, true)), "big-endian numbers"));
  CHECK(has(reason(bytesOf({20240522, 1, 5}, 4)), "evaluation file"));
  // The suggested cause of tokens outside the vocabulary.
  std::string swapped = bytesOf({1, 20, 60, 3}, 2, true);
  CHECK(
      has(findOtherReading(swapped.data(), swapped.size(), 65), "big-endian"));
  std::string narrow = bytesOf({1, 20, 60, 3}, 1);
  CHECK(has(findOtherReading(narrow.data(), narrow.size(), 65), "a byte each"));
  CHECK(findOtherReading(narrow.data(), narrow.size(), 60).empty());
}

static void testFileNames() {
  CHECK(arrayFile("input_ids") == "input_ids.npy");
  CHECK(arrayFile("../a\\b:0") == ".._a_b_0.npy");
  for (const char *good : {"ids", "a/b:0", "onnx::x", "\xc3\xa4", "..x", "x.."})
    CHECK(arrayNameError(good).empty() && tensorNameError(good).empty());
  for (const char *bad : {"", "a\nb", "\x1b[2J", "\xff", "\xc3", "a\x7f",
                          "\xed\xa0\x80", "\xc0\xaf"})
    CHECK(!arrayNameError(bad).empty() && !tensorNameError(bad).empty());
  CHECK(!nameError(std::string_view("a\0b", 3)).empty());
  for (const char *out : {"..", "../ids", "a/../../b", "/..", "..\\b"})
    CHECK(!arrayNameError(out).empty() && tensorNameError(out).empty());
  CHECK(arrayNameError(std::string(251, 'a')).empty());
  CHECK(!arrayNameError(std::string(252, 'a')).empty());
  CHECK(!tensorNameError("__metadata__").empty());
}

static void testRandom() {
  CHECK(fnv1a("", 0) == 0xcbf29ce484222325u);
  CHECK(fnv1a("foobar", 6) == 0x85944171f73967e8u); // the published vector
  double sum = 0, squares = 0, fourth = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    double x = randomNormal(42, i);
    sum += x, squares += x * x, fourth += x * x * x * x;
  }
  CHECK(std::fabs(sum / n) < 0.01);
  CHECK(std::fabs(squares / n - 1) < 0.02);
  CHECK(std::fabs(fourth / n - 3) < 0.15);
  CHECK(randomNormal(42, 1) != randomNormal(43, 1));
}

/// Converts one value to a type and back.
static double through(int32_t dtype, double value) {
  char bytes[8];
  double back;
  CHECK(convert(bytes, dtype, 1, &value, PCC_F64, 1, 1));
  CHECK(convert(&back, PCC_F64, 1, bytes, dtype, 1, 1));
  return back;
}

static void testConversion() {
  double inf = std::numeric_limits<double>::infinity();
  CHECK(through(PCC_F32, 0.1) == 0.1f);
  CHECK(through(PCC_F16, 0.1) == 0.0999755859375);
  CHECK(through(PCC_F16, 65504) == 65504 && through(PCC_F16, 65520) == inf);
  CHECK(through(PCC_F16, 2049) == 2048 && through(PCC_F16, 2051) == 2052);
  CHECK(through(PCC_F16, -0x1p-24) == -0x1p-24); // the least subnormal
  CHECK(through(PCC_F16, 0.0) == 0 && through(PCC_F16, -0.0) == 0);
  CHECK(std::signbit(through(PCC_F16, -0.0)));
  CHECK(through(PCC_F16, 0x1p-25) == 0 && through(PCC_F16, 0x1p-14) == 0x1p-14);
  CHECK(through(PCC_F16, 0x1.ffcp-15 + 0x1p-26) == 0x1p-14); // a carry
  CHECK(through(PCC_BF16, 1.00390625) == 1);                 // a tie, to even
  CHECK(through(PCC_BF16, 1.01171875) == 1.015625);          // a tie, to even
  CHECK(std::isnan(through(PCC_F16, NAN)));
  CHECK(std::isnan(through(PCC_BF16, NAN)));
  float from[] = {1, 2, 3, 4}, to[] = {0, 0, 0, 0};
  CHECK(convert(to, PCC_F32, 2, from, PCC_F32, 3, 2));
  CHECK(to[0] == 1 && to[1] == 0 && to[2] == 4);
  CHECK(!convert(to, PCC_F32, 1, from, PCC_I32, 1, 1));
  CHECK(dtypeNamed("BF16") == PCC_BF16 && dtypeNamed("U4") == -1);
  CHECK(dtypeNamed("U8") == -1 && dtypeOfONNX(16) == PCC_BF16);
  CHECK(dtypeOfONNX(12) == -1 && !findElement(&ElementInfo::descr, ""));
  CHECK(findElement(&ElementInfo::descr, "<u2")->type == Element::U16);
}

/// Rows convert like single elements: every bf16 and fp16 number to f32, and as
/// many f32 numbers and their neighbors back.
static void testRows() {
  for (int32_t dtype : {PCC_BF16, PCC_F16}) {
    std::vector<uint16_t> all(1 << 16), back(3 << 16), one(3 << 16);
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<uint16_t>(i);
    std::vector<float> wide(all.size()), single(all.size());
    widen(wide.data(), all.data(), dtype, all.size());
    convert(single.data(), PCC_F32, 1, all.data(), dtype, 1, all.size());
    std::vector<float> many;
    for (size_t i = 0; i < all.size(); ++i) {
      CHECK(wide[i] == single[i] ||
            (wide[i] != wide[i] && single[i] != single[i]));
      // Halfway to the next number, where ties are, and right next to that.
      float next = i + 1 < all.size() ? single[i + 1] : single[i];
      float middle = single[i] / 2 + next / 2;
      many.insert(many.end(),
                  {middle, std::nextafterf(middle, INFINITY), single[i]});
    }
    narrow(back.data(), dtype, many.data(), many.size());
    convert(one.data(), dtype, 1, many.data(), PCC_F32, 1, many.size());
    for (size_t i = 0; i < many.size(); ++i) {
      float got, expected;
      convert(&got, PCC_F32, 1, &back[i], dtype, 1, 1);
      convert(&expected, PCC_F32, 1, &one[i], dtype, 1, 1);
      CHECK(back[i] == one[i] || (std::isnan(got) && std::isnan(expected)));
      if (i % 3 == 2 && !std::isnan(many[i]))
        CHECK(back[i] == all[i / 3]);
    }
    // A row whose length is no multiple of a vector's, at an odd element.
    std::vector<float> piece(11, -1);
    widen(piece.data(), all.data() + 15361, dtype, 10);
    for (int i = 0; i < 10; ++i)
      CHECK(piece[i] == single[15361 + i]);
    CHECK(piece[10] == -1);
  }
}

static void testMesh() {
  const pcc_axis axes[] = {{"s", 2, PCC_PIPELINE_AXIS},
                           {"dp", 3, PCC_DATA_AXIS},
                           {"tp", 4, PCC_TENSOR_AXIS}};
  pcc_program program = {};
  program.n_axes = 3;
  program.axes = axes;
  CHECK(worldSize(program) == 24 && meshText(program) == "s=2 dp=3 tp=4");
  for (int64_t rank = 0; rank < 24; ++rank)
    CHECK(rankOf(program, coordinatesOf(program, rank)) == rank);
  Coordinates at = coordinatesOf(program, 1 * 12 + 2 * 4 + 3);
  CHECK((at == Coordinates{1, 2, 3}) && stageOf(program, at) == 1);
  CHECK(stageAxis(program) == 0);
  program.n_axes = 2;
  program.axes = axes + 1;
  CHECK(stageAxis(program) == -1 && stageOf(program, {1, 2}) == 0);
  program.n_axes = 3;
  program.axes = axes;

  // [24, 6] with the first dim over dp (major) and tp.
  const int64_t shape[] = {24, 6};
  const int32_t begin[] = {0, 2, 2}, used[] = {1, 2};
  pcc_layout layout = {2, shape, begin, used};
  Shard shard = shardOf(program, layout, at);
  CHECK(shard.start[0] == (2 * 4 + 3) * 2 && shard.extent[0] == 2);
  CHECK(shard.start[1] == 0 && shard.extent[1] == 6 && shard.elements() == 12);
}

static void testElements() {
  const int16_t numbers[] = {5, -100, 7, 300, -1};
  Elements elements = {Element::I16, reinterpret_cast<const char *>(numbers),
                       5};
  CHECK(elements.integer(1) == -100 && elements.real(3) == 300);
  CHECK(elements.firstOutside(0, 5, 301, -1) == 1);
  CHECK(elements.firstOutside(0, 5, 301, -100) == 4);
  CHECK(elements.firstOutside(0, 4, 301, -100) == -1);
  CHECK(elements.firstOutside(0, 4, 300, -100) == 3);
  CHECK(elements.firstOutside(3, 3, 1, 0) == -1);
  // Beyond the first block of elements, and the first of several invalid ones.
  std::vector<uint16_t> many(100000, 9);
  many[70001] = many[90000] = 10;
  Elements wide = {Element::U16, reinterpret_cast<const char *>(many.data()),
                   100000};
  CHECK(wide.firstOutside(0, 100000, 10, 9) == 70001);
  CHECK(wide.firstOutside(0, 100000, 11, 9) == -1);
  const int64_t far[] = {4, -1, 4294967295, -2147483648, 4294967296};
  Elements longs = {Element::I64, reinterpret_cast<const char *>(far), 5};
  CHECK(firstTooWide(longs, 0, 5, PCC_I32) == 4);
  CHECK(firstTooWide(longs, 0, 4, PCC_I32) == -1);
  CHECK(firstTooWide(longs, 1, 3, PCC_I16) == 2);
  CHECK(firstTooWide(longs, 0, 5, PCC_I64) == -1);
  CHECK(firstTooWide(longs, 0, 5, PCC_BOOL) == -1);
  const uint64_t huge = ~uint64_t{0};
  Elements large = {Element::U64, reinterpret_cast<const char *>(&huge), 1};
  CHECK(large.firstOutside(0, 1, INT64_MAX, 0) == 0);
  int64_t to[2];
  CHECK(copyElements(elements, 1, 2, 2, PCC_I64, reinterpret_cast<char *>(to)));
  CHECK(to[0] == -100 && to[1] == 300);
  float real;
  CHECK(copyElements(elements, 3, 1, 1, PCC_F32,
                     reinterpret_cast<char *>(&real)));
  CHECK(real == 300);
  bool flag;
  CHECK(copyElements(elements, 1, 1, 1, PCC_BOOL,
                     reinterpret_cast<char *>(&flag)));
  CHECK(flag);
  Elements reals = {Element::F32, reinterpret_cast<const char *>(&real), 1};
  CHECK(!copyElements(reals, 0, 1, 1, PCC_I64, reinterpret_cast<char *>(to)));
}

static void testSourceMap() {
  // A slice of a transposed source: program [3 (2 valid), 4] at column 1 of a
  // source [4, 5].
  const int64_t shape[] = {3, 4}, sourceShape[] = {4, 5}, stride[] = {1, 5},
                valid[] = {2, 4};
  const int32_t begin[] = {0, 0, 0};
  pcc_source source = {};
  source.name = source.saved_name = "w";
  source.rank = 2;
  source.shape = sourceShape;
  source.base = 1;
  source.stride = stride;
  source.valid = valid;
  pcc_tensor tensor = {};
  tensor.name = "p";
  tensor.layout = {2, shape, begin, nullptr};
  tensor.source = &source;
  SourceMap map(tensor);
  CHECK(map.name == "w" && map.elements() == 20 && map.covered() == 8);

  std::vector<int64_t> found(12, -1);
  auto collect = [&](const Shard &shard) {
    forEachRun(map, shard,
               [&](int64_t local, int64_t index, int64_t count, int64_t step) {
                 for (int64_t i = 0; i < count; ++i)
                   found[local + i] = index + i * step;
               });
  };
  collect({{0, 0}, {3, 4}});
  CHECK((found ==
         std::vector<int64_t>{1, 6, 11, 16, 2, 7, 12, 17, -1, -1, -1, -1}));
  found.assign(12, -1);
  collect({{1, 2}, {2, 2}});
  CHECK(found[0] == 12 && found[1] == 17 && found[2] == -1);
  found.assign(12, -1);
  collect({{2, 0}, {1, 4}}); // padding only
  CHECK(found[0] == -1);

  // The same parts of the model's tensor [5, 4]; the file contains its
  // transpose.
  source.transposed = 1;
  CHECK(SourceMap(tensor, SourceMap::File).shape == map.shape);
  map = SourceMap(tensor);
  CHECK((map.shape == std::vector<int64_t>{5, 4}));
  found.assign(12, -1);
  collect({{0, 0}, {3, 4}});
  CHECK((found ==
         std::vector<int64_t>{4, 5, 6, 7, 8, 9, 10, 11, -1, -1, -1, -1}));
  const char rows[] = "abcdef";
  char columns[7] = "";
  transpose(rows, 2, 3, 1, columns);
  CHECK(!strcmp(columns, "adbecf"));
}

static void testHashes() {
  // As xxh128sum prints them.
  CHECK(hashText("", 0) == "99aa06d3014798d86001c324468d497f");
  CHECK(hashText("pcc", 3) == "79ee80d1f590a7ad9012e30c18b6ff63");
  // All CPUs compute the same hash; blocks do not depend on the pieces in which
  // a file is written.
  std::string bytes(2 * hashedBlock + 5, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(mix(i / 8) >> i % 8 * 8);
  alignas(PCC_XXH3_ALIGNMENT) char state[PCC_XXH3_BYTES];
  uint64_t hash[2];
  pcc_xxh3_any.reset(state);
  pcc_xxh3_any.update(state, bytes.data(), 100003);
  pcc_xxh3_any.digest(state, hash);
  CHECK(format("%016llx%016llx", static_cast<unsigned long long>(hash[0]),
               static_cast<unsigned long long>(hash[1])) ==
        hashText(bytes.data(), 100003));
  BlockHasher hasher;
  for (int64_t at = 0, piece = 1, size = bytes.size(); at < size;
       at += piece, piece = std::min(2 * piece + 1, size - at))
    hasher.add(bytes.data() + at, piece);
  FileHashes hashes = hasher.finish();
  CHECK(hashes.bytes == static_cast<int64_t>(bytes.size()));
  CHECK(hashes.blocks.size() == 3);
  CHECK(hashes.blocks[1] == hashText(&bytes[hashedBlock], hashedBlock));
  CHECK(hashes.blocks[2] == hashText(&bytes[2 * hashedBlock], 5));
  BlockHasher exact;
  exact.add(bytes.data(), 2 * hashedBlock);
  CHECK(exact.finish().blocks.size() == 2);
  CHECK(BlockHasher().finish().blocks.empty());
}

/// Whether changing the byte at `place` changes the digest.
static bool notices(std::string &file, size_t place) {
  uint64_t before = fileDigest(file.data(), file.size());
  file[place] ^= 4;
  uint64_t after = fileDigest(file.data(), file.size());
  file[place] ^= 4;
  CHECK(fileDigest(file.data(), file.size()) == before);
  return before != after;
}

static void testDigest() {
  // A short file as a whole.
  std::string file(digest::samples * digest::sampleBytes, 'w');
  CHECK(notices(file, 0) && notices(file, 1234567));
  CHECK(fileDigest(file.data(), file.size() - 1) !=
        fileDigest(file.data(), file.size()));
  // The ends of a long one, and every 5th page.
  file.assign(5 * file.size(), 'w');
  CHECK(notices(file, 65535) && !notices(file, 65536 + 4096));
  CHECK(notices(file, file.size() - 65536) && notices(file, 500 * 4096));
  CHECK(notices(file, 501 * 4096 - 1) && !notices(file, 501 * 4096));
  // The header of safetensors.
  uint64_t length = 100000;
  memcpy(&file[0], &length, 8);
  CHECK(!notices(file, 90000));
  file[8] = '{';
  CHECK(notices(file, 90000) && notices(file, 8 + length - 1) &&
        !notices(file, 8 + length));
  // The digest of an ONNX file covers everything but its weights: nodes after
  // them, too.
  std::string tensor, node, graph, model;
  wire::putBytes(tensor, 8, "weight");
  wire::putBytes(tensor, 9, std::string(12345678, 'w'));
  wire::putBytes(node, 1, "input");
  wire::putBytes(graph, 5, tensor);
  wire::putBytes(graph, 5, tensor);
  size_t between = graph.size();
  wire::putBytes(graph, 1, node);
  wire::putBytes(graph, 5, tensor);
  wire::putNumber(model, 1, 8);
  wire::putBytes(model, 7, graph);
  size_t at = model.size() - graph.size() + between;
  // A byte that is neither at an end nor in a sample.
  size_t page = at / 4096, pages = model.size() / 4096;
  CHECK((page * 1024 + pages - 1) / pages * pages / 1024 != page);
  CHECK(notices(model, at + 3) && notices(model, at + node.size()));
  CHECK(!notices(model, (page + 2) * 4096) ||
        !notices(model, (page + 3) * 4096));
}

static void testThreads() {
  // Two processes on cores {0, 1}, a third alone on core 2.
  const unsigned char masks[] = {3, 3, 4};
  CHECK(fairThreads(masks, 1, 3, 0) == 1 && fairThreads(masks, 1, 3, 2) == 1);
  const unsigned char wide[] = {0xff, 0xff};
  CHECK(fairThreads(wide, 1, 2, 0) == 4);
  CHECK(fairThreads(wide, 2, 1, 0) == 16);
  const unsigned char crowded[] = {1, 1, 1};
  CHECK(fairThreads(crowded, 1, 3, 1) == 1);
}

static void testIdleThreads() {
  std::set<int> before = threadIds();
  CHECK(before.count(getpid()));
  std::atomic<bool> works{true}, ends{false};
  std::thread thread([&] {
    while (works) {
    }
    while (!ends)
      usleep(10000);
  });
  std::set<int> started;
  for (int id : threadIds())
    if (!before.count(id))
      started.insert(id);
  CHECK(started.size() == 1);
  CHECK(!waitUntilIdle(started, 20));
  works = false;
  CHECK(waitUntilIdle(started, 10000));
  ends = true;
  thread.join();
  // A process that has ended is idle, too.
  CHECK(waitUntilIdle(started, 0) && waitUntilIdle({}, 0));
}

static void testText() {
  CHECK(grouped(0) == "0" && grouped(999) == "999");
  CHECK(grouped(1234567) == "1,234,567" && grouped(-123456) == "-123,456");
  CHECK(numberText("%.2f", -NAN) == "nan" && numberText("%g", NAN) == "nan");
  CHECK(numberText("%.2f", 1.5) == "1.50");
  CHECK(bytesText(1536) == "1.5 KiB" && bytesText(3 << 20) == "3.0 MiB");
}

static void testProducts() {
  pcc_tensor tensors[2] = {};
  tensors[0].kind = PCC_SCRATCH, tensors[0].dtype = PCC_BF16;
  tensors[1].kind = PCC_PARAM, tensors[1].dtype = PCC_F32;
  pcc_stage stage = {};
  stage.n_tensors = 2, stage.tensors = tensors;
  pcc_program program = {};
  program.n_stages = 1, program.stages = &stage;
  CHECK(gemmText(program).empty());
  tensors[1].dtype = PCC_F16;
  CHECK(gemmText(program) == "f16: widened to f32");
  tensors[1].dtype = PCC_BF16;
  CHECK(gemmText(program) == "bf16: " + backend::gemmText(PCC_BF16));
  tensors[1].kind = PCC_COPY;
  CHECK(gemmText(program) == "bf16: " + backend::gemmText(PCC_BF16));
}

static void testCopies() {
  const int64_t shape[] = {3};
  const int32_t noAxes[] = {0, 0};
  pcc_layout layout = {1, shape, noAxes, nullptr};
  pcc_tensor tensors[3] = {};
  tensors[0].name = "copy.w", tensors[0].of = "w", tensors[0].kind = PCC_COPY;
  tensors[0].dtype = PCC_BF16, tensors[0].arena_offset = 64;
  tensors[1].name = "w", tensors[1].kind = PCC_PARAM;
  tensors[2].name = "grad.w", tensors[2].of = "w";
  tensors[2].kind = PCC_SCRATCH, tensors[2].arena_offset = 128;
  for (pcc_tensor &tensor : tensors)
    tensor.layout = layout;
  pcc_stage stage = {};
  stage.arena_bytes = 192, stage.n_tensors = 3, stage.tensors = tensors;
  pcc_program program = {};
  program.n_stages = 1, program.stages = &stage;
  alignas(64) char arena[192] = {};
  // The second value is halfway between two numbers and rounds to the even one.
  const float values[] = {1, 1.01171875f, -3.3895314e38f};
  memcpy(arena, values, sizeof(values));
  roundWorkingCopies(program, stage, {}, arena);
  const uint16_t expected[] = {0x3f80, 0x3f82, 0xff7f};
  CHECK(!memcmp(arena + 64, expected, sizeof(expected)));
  CHECK(!memcmp(arena, values, sizeof(values)));
  for (int i = 76; i < 192; ++i)
    CHECK(arena[i] == 0);
  // Working copies are never saved.
  WriteShares division(program, {true});
  CHECK(division.sharesOf(0)[0].isEmpty());
  CHECK(division.sharesOf(0)[1].size() == 3);
}

int main() {
  testSchedule();
  testOrder();
  testOnce();
  testHeaderless();
  testFileNames();
  testRandom();
  testConversion();
  testRows();
  testMesh();
  testElements();
  testSourceMap();
  testThreads();
  testIdleThreads();
  testText();
  testProducts();
  testCopies();
  testHashes();
  testDigest();
  return checkResult();
}
