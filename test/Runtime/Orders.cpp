//===- Orders.cpp - Inputs in head-tail order -----------------------------===//

#include "runtime/data/DataOrder.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/Inputs.h"
#include "runtime/support/HeadTail.h"
#include "test/Runtime/Check.h"

using namespace pcc;

namespace {
/// A dataset whose values say where they are: 1000 times the sample plus the
/// row-major index within it.
class Places : public Dataset {
public:
  const std::string &path() const override { return name; }
  int64_t samples() const override { return 10; }
  std::string describe() const override { return name; }
  std::string needed(int64_t) const override { return ""; }
  std::string digest() const override { return name; }
  bool check(int64_t &) const override { return true; }
  void checkSample(int64_t) const override {}
  std::string findNotFinite(int64_t) const override { return ""; }
  std::optional<std::vector<ArrayValues>>
  findValues(const std::vector<int64_t> &, bool) const override {
    return std::nullopt;
  }
  std::vector<char> documentEnds(int64_t) const override { return {}; }
  void copySample(const pcc_input &input, const Shard &shard, int64_t sample,
                  char *to) const override {
    copy(input, shard, 0, 1000 * sample, to);
  }
  bool copyConstant(const pcc_input &input, const Shard &shard,
                    char *to) const override {
    copy(input, shard, 0, 0, to);
    return true;
  }

private:
  /// Copies dims from `dim` on, of the element `at` of those before.
  static void copy(const pcc_input &input, const Shard &shard, int dim,
                   int64_t at, char *&to) {
    if (dim == input.layout.rank) {
      *reinterpret_cast<int64_t *&>(to) = at;
      to += 8;
      return;
    }
    if (dim == input.batch_dim)
      return copy(input, shard, dim + 1, at, to);
    int64_t below = 1;
    for (int d = dim + 1; d < input.layout.rank; ++d)
      below *= d == input.batch_dim ? 1 : input.layout.shape[d];
    for (int64_t i = 0; i < shard.extent[dim]; ++i)
      copy(input, shard, dim + 1, at + (shard.start[dim] + i) * below, to);
  }

  std::string name = "places";
};

/// A program of ranks cp x tp, which both split sequences.
struct Program {
  pcc_axis axes[2];
  pcc_program program = {};
  Program(int64_t cp, int64_t tp)
      : axes{{"cp", cp, PCC_SEQUENCE_AXIS}, {"tp", tp, PCC_TENSOR_AXIS}} {
    program.n_axes = 2;
    program.axes = axes;
    program.microbatches = program.data_parallel = 1;
    program.micro_batch = 2;
  }
};

/// An input of int64 with one dim over both axes.
struct Input {
  std::vector<int64_t> shape;
  std::vector<int32_t> begin;
  int32_t axes[2] = {0, 1};
  pcc_input input = {};

  Input(const char *role, std::vector<int64_t> extents, int sharded, int batch,
        int ranks, int dims)
      : shape(extents) {
    for (int i = 0; i <= static_cast<int>(shape.size()); ++i)
      begin.push_back(i > sharded ? 2 : 0);
    input.role = role;
    input.name = "x";
    input.dtype = PCC_I64;
    input.batch_dim = batch;
    input.sequence_dim = sharded;
    input.order_ranks = ranks;
    input.order_dims = dims;
  }
  std::vector<int64_t> fill(const Program &of, int64_t rank) {
    input.layout = {static_cast<int32_t>(shape.size()), shape.data(),
                    begin.data(), axes};
    Coordinates at = coordinatesOf(of.program, rank);
    std::vector<int64_t> values(
        shardOf(of.program, input.layout, at).elements(), -1);
    DataOrder order(10, 2, /*shuffle=*/false, 0);
    fillInput(of.program, input, at, 0, reinterpret_cast<char *>(values.data()),
              Places(), order, 1);
    return values;
  }
};

using Numbers = std::vector<int64_t>;
} // namespace

static void testPositions() {
  Numbers two, three;
  for (int64_t i = 0; i < 8; ++i)
    two.push_back(headTailPosition(i, 8, 2));
  for (int64_t i = 0; i < 12; ++i)
    three.push_back(headTailPosition(i, 12, 3));
  CHECK((two == Numbers{0, 1, 6, 7, 2, 3, 4, 5}));
  CHECK((three == Numbers{0, 1, 10, 11, 2, 3, 8, 9, 4, 5, 6, 7}));
  Program of(2, 1);
  Input positions("positions", {8}, 0, -1, 2, 1);
  CHECK((positions.fill(of, 0) == Numbers{0, 1, 6, 7}));
  CHECK((positions.fill(of, 1) == Numbers{2, 3, 4, 5}));
  Input plain("positions", {8}, 0, -1, 0, 0);
  CHECK((plain.fill(of, 1) == Numbers{4, 5, 6, 7}));
}

/// Rows of each sample, [batch, sequence]; a rank may have a part of a piece.
static void testRows() {
  Input tokens("tokens", {2, 8}, 1, 0, 2, 2);
  Program of(2, 1), four(2, 2), eight(2, 4);
  CHECK((tokens.fill(of, 0) == Numbers{0, 1, 6, 7, 1000, 1001, 1006, 1007}));
  CHECK((tokens.fill(of, 1) == Numbers{2, 3, 4, 5, 1002, 1003, 1004, 1005}));
  CHECK((tokens.fill(four, 1) == Numbers{6, 7, 1006, 1007}));
  CHECK((tokens.fill(eight, 3) == Numbers{7, 1007}));
  // Parts that begin and end within pieces of 3.
  Input odd("tokens", {2, 12}, 1, 0, 2, 2);
  Program six(1, 6), one(1, 3);
  CHECK((odd.fill(one, 1) == Numbers{10, 11, 3, 4, 1010, 1011, 1003, 1004}));
  CHECK((odd.fill(six, 1) == Numbers{2, 9, 1002, 1009}));
}

/// The samples are another dim than the first: [sequence, batch, 2].
static void testColumns() {
  Input data("data", {4, 2, 2}, 0, 1, 2, 1);
  Program of(2, 1);
  // Two indices for each sample, of places 0 and 3.
  CHECK((data.fill(of, 0) == Numbers{0, 1, 1000, 1001, 6, 7, 1006, 1007}));
  CHECK((data.fill(of, 1) == Numbers{2, 3, 1002, 1003, 4, 5, 1004, 1005}));
}

/// A mask [queries, keys] that all samples share, with both dims in order.
static void testBoth() {
  Input mask("shared", {4, 4}, 0, -1, 2, 3);
  Program of(2, 1);
  CHECK((mask.fill(of, 0) == Numbers{0, 3, 1, 2, 12, 15, 13, 14}));
  CHECK((mask.fill(of, 1) == Numbers{4, 7, 5, 6, 8, 11, 9, 10}));
}

int main() {
  testPositions();
  testRows();
  testColumns();
  testBoth();
  return checkResult();
}
