//===- ExprOptimizer.cpp - Optimizers and random rounding -----------------===//
//
// Random bits for rounding depend on an element's index in its whole tensor. A
// row of a kernel is a run of a bucket and may contain elements of several
// members. For each member that a row can meet, everything but the column is
// computed once per row; a column then selects its member's values:
//
//     row            |<-------------------- L columns ------------------->|
//     members   ... a a a a a a a a|b b b b b b b b b b|  |c c c c c c ...
//     number         0              1                      2
//
// A shard of a dim that is not the first is no run of the whole tensor. With
// local extents s and the whole tensor's strides G, the local index l is, in
// the whole,
//
//     l + sum over dims d of floor(l / (s_d * s_d+1 * ...)) * jump_d,
//     jump_d = G_d-1 - s_d * G_d,
//
// and the offset of the shard. Only sharded or padded dims jump. Within a row,
// l is at most L - 1 after its first element there. So the quotients of that
// element are computed per row, and a column adds a quotient of small numbers:
// by a product with the reciprocal, which is exact for them.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Kernels/Expr.h"
#include <limits>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Rows up to this length divide in f32: (t + 0.5) * (1 / w) has a relative
/// error of 2^-23, so its integer part is that of t / w if t is below 2^22. A
/// t is less than twice the length; the rest is a margin.
static constexpr int64_t kNarrowColumns = int64_t(1) << 19;

/// The upper 16 of 32 bits.
static Node *upperHalf(ExprBuilder &e, Node *bits) {
  return e.op(
      bits->type, {bits}, 1, [](ScalarBuilder &b, ValueRange v) -> Value {
        Value half = arith::ConstantOp::create(b, b.getI32IntegerAttr(16));
        return arith::ShRUIOp::create(b, v[0], half);
      });
}

Node *ExprBuilder::roundAtRandom(Node *value, Node *bits) {
  return op(
      f32(), {value, bits}, 6, [](ScalarBuilder &b, ValueRange v) -> Value {
        auto word = [&](uint32_t value) -> Value {
          return arith::ConstantOp::create(
              b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
        };
        Value pattern = arith::BitcastOp::create(b, b.getI32Type(), v[0]);
        Value random = arith::AndIOp::create(b, v[1], word(0xffff));
        Value raised = arith::AddIOp::create(b, pattern, random);
        Value quiet = arith::OrIOp::create(b, pattern, word(0x00400000));
        Value isNaN =
            arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, v[0], v[0]);
        Value rounded = arith::SelectOp::create(b, isNaN, quiet, raised);
        Value cut = arith::AndIOp::create(b, rounded, word(0xffff0000));
        return arith::BitcastOp::create(b, b.getF32Type(), cut);
      });
}

namespace {

/// A dim of a member at whose end the index in the whole tensor jumps.
struct Jump {
  int64_t run = std::numeric_limits<int64_t>::max(); ///< local elements between
  int64_t by = 0;
};

} // namespace

/// The strides of a row-major tensor.
static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = int64_t(shape.size()) - 1; dim > 0; --dim)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

static SmallVector<Jump> jumpsOf(nn::MemberAttr member) {
  ArrayRef<int64_t> shape = member.getShape();
  SmallVector<int64_t> whole = stridesOf(member.getWhole());
  SmallVector<Jump> jumps;
  int64_t run = 1;
  for (int64_t dim = int64_t(shape.size()) - 1; dim > 0; --dim) {
    run *= shape[dim];
    if (int64_t by = whole[dim - 1] - shape[dim] * whole[dim])
      jumps.push_back({run, by});
  }
  return jumps;
}

/// The most members that begin in a row of `extent` columns, after its first.
static int64_t mostStarts(ArrayRef<nn::MemberAttr> members, int64_t extent) {
  int64_t most = 0;
  for (size_t first = 1, end = 1; first < members.size(); ++first) {
    while (end < members.size() &&
           members[end].getStart() - members[first].getStart() <= extent - 2)
      ++end;
    most = std::max<int64_t>(most, end - first);
  }
  return most;
}

namespace {

/// Builds the bits of the columns of a row.
class BitsBuilder {
public:
  BitsBuilder(ExprBuilder &e, nn::RoundingBitsOp op, Access access)
      : e(e), op(op), access(access),
        extent(std::max<int64_t>(access.extent, 1)),
        real(extent <= kNarrowColumns ? e.f32() : e.f64()),
        members(op.getMemberList()) {
    for (nn::MemberAttr member : members) {
      jumps.push_back(jumpsOf(member));
      levels = std::max<int64_t>(levels, jumps.back().size());
    }
  }

  /// Returns null if an operand has no expression.
  Node *build();

private:
  /// What a column needs of its member, one value per row.
  struct Values {
    Node *begin = nullptr; ///< the first column; null: column 0
    Node *key = nullptr;   ///< of the random numbers
    Node *base = nullptr;  ///< added to the column to get the index
    /// By level: added to the column to count runs, 1 / their length, and what
    /// a run adds to the index.
    SmallVector<Node *> shifts, reciprocals, jumps;
  };

  void findFirst();
  Values valuesOf(int64_t number);
  void addJumps(Values &values, Node *member, Node *local, bool isFirst);
  void choose(Values &old, const Values &next);

  Node *whole(int64_t value) { return e.constantInt(e.index(), value); }
  Node *minimum(Node *a, Node *b) { return e.select(e.less(a, b), a, b); }
  Node *scalar(Value value) { return e.build(value, {e.affine(0), 0}); }
  Node *originOf(int64_t number) {
    return e.convert(scalar(op.getOrigins()[number]), e.index());
  }
  Node *column() {
    return access.extent ? e.convert(e.column(access.extent), e.i32())
                         : e.constantInt(e.i32(), 0);
  }
  /// The entry of a member in a table with one for each.
  Node *entryOf(Node *member,
                llvm::function_ref<int64_t(nn::MemberAttr)> entry) {
    return e.lookUp(llvm::map_to_vector(members, entry), member);
  }
  /// The same of a level; members with fewer levels do not jump.
  Node *entryOf(Node *member, int64_t level, int64_t Jump::*entry) {
    SmallVector<int64_t> table;
    for (ArrayRef<Jump> own : jumps)
      table.push_back((level < int64_t(own.size()) ? own[level] : Jump()).*
                      entry);
    return e.lookUp(table, member);
  }

  ExprBuilder &e;
  nn::RoundingBitsOp op;
  Access access;
  int64_t extent;
  Type real; ///< in which runs are counted
  SmallVector<nn::MemberAttr> members;
  SmallVector<SmallVector<Jump>> jumps; ///< by member
  int64_t levels = 0;                   ///< the most jumps of a member
  /// The element of the buffer at column 0, and the member that it is in.
  Node *position = nullptr, *first = nullptr;
  /// randomKey() without its last step, and what that adds besides the member's
  /// id.
  Node *stepKey = nullptr, *stepId = nullptr;
};

} // namespace

/// Finds the last member that begins at or before `position`.
void BitsBuilder::findFirst() {
  auto starts = llvm::map_to_vector(
      members, [](nn::MemberAttr member) { return member.getStart(); });
  starts.resize(llvm::PowerOf2Ceil(starts.size()),
                std::numeric_limits<int64_t>::max());
  first = whole(0);
  for (int64_t step = starts.size() / 2; step; step /= 2) {
    Node *next = e.add(first, whole(step));
    first = e.select(e.less(position, e.lookUp(starts, next)), first, next);
  }
}

/// Builds the values of the member `number` after the first one.
BitsBuilder::Values BitsBuilder::valuesOf(int64_t number) {
  Values values;
  int64_t count = members.size();
  Node *member = first;
  Node *after = e.add(first, whole(number));
  if (number)
    member = minimum(after, whole(count - 1));
  Node *start =
      entryOf(member, [](nn::MemberAttr one) { return one.getStart(); });
  // The element at column 0, in the member; negative if that begins later.
  Node *local = e.sub(position, start);
  if (number) {
    // A member past the last one begins after all columns.
    Node *begin = minimum(e.sub(start, position), whole(extent));
    begin = e.select(e.less(after, whole(count)), begin, whole(extent));
    values.begin = e.convert(begin, e.i32());
  }
  Node *id = entryOf(member, [](nn::MemberAttr one) { return one.getId(); });
  values.key = e.randomAdd(stepKey, e.add(stepId, e.convert(id, e.i32())));
  values.base = local;
  for (int64_t origin = 0, end = op.getOrigins().size(); origin < end;
       ++origin) {
    auto strideOf = [&](nn::MemberAttr one) {
      int64_t sum = 0;
      for (auto [dim, stride] : llvm::enumerate(stridesOf(one.getWhole())))
        sum += one.getOrigin(dim) == origin ? stride : 0;
      return sum;
    };
    if (llvm::any_of(members, strideOf))
      values.base = e.add(values.base,
                          e.mul(entryOf(member, strideOf), originOf(origin)));
  }
  addJumps(values, member, local, number == 0);
  values.base = e.convert(values.base, e.i32());
  return values;
}

void BitsBuilder::addJumps(Values &values, Node *member, Node *local,
                           bool isFirst) {
  for (int64_t level = 0; level < levels; ++level) {
    Node *run = entryOf(member, level, &Jump::run);
    Node *by = entryOf(member, level, &Jump::by);
    // Columns cannot tell a longer run from one that ends with the row.
    Node *length = minimum(run, whole(extent));
    Node *shift;
    if (isFirst) {
      Node *runs = e.div(local, run);
      values.base = e.add(values.base, e.mul(runs, by));
      Node *left = e.sub(run, e.sub(local, e.mul(runs, run)));
      shift = e.convert(e.sub(length, minimum(left, whole(extent))), e.i32());
    } else {
      shift = e.sub(e.constantInt(e.i32(), 0), values.begin);
    }
    values.shifts.push_back(shift);
    values.reciprocals.push_back(
        e.div(e.constant(real, 1), e.convert(length, real)));
    values.jumps.push_back(e.convert(by, e.i32()));
  }
}

/// Selects the next member's values from its first column on.
void BitsBuilder::choose(Values &old, const Values &next) {
  Node *isBefore = e.less(column(), next.begin);
  auto select = [&](Node *&mine, Node *other) {
    mine = e.select(isBefore, mine, other);
  };
  select(old.key, next.key);
  select(old.base, next.base);
  for (int64_t level = 0; level < levels; ++level) {
    select(old.shifts[level], next.shifts[level]);
    select(old.reciprocals[level], next.reciprocals[level]);
    select(old.jumps[level], next.jumps[level]);
  }
}

Node *BitsBuilder::build() {
  position =
      e.rowIndex(access.extent ? access.row * access.extent : access.row);
  if (op.getPosition())
    position = e.add(position, originOf(*op.getPosition()));
  stepKey = e.randomStepKey(op.getSeed(), op.getStep());
  stepId = e.add(e.highHalf(scalar(op.getStep())),
                 e.constantInt(e.i32(), static_cast<uint32_t>(
                                            op.getId() + nn::kRoundingStream)));
  bool hasOrigins = llvm::all_of(
      op.getOrigins(), [&](Value origin) { return scalar(origin) != nullptr; });
  if (!position || !stepKey || !stepId || !hasOrigins)
    return nullptr;
  findFirst();
  Values mine = valuesOf(0);
  for (int64_t number = 1, most = mostStarts(members, extent); number <= most;
       ++number)
    choose(mine, valuesOf(number));
  Node *element = e.add(mine.base, column());
  for (int64_t level = 0; level < levels; ++level) {
    Node *after = e.convert(e.add(column(), mine.shifts[level]), real);
    Node *runs =
        e.mul(e.add(after, e.constant(real, 0.5)), mine.reciprocals[level]);
    element =
        e.add(element, e.mul(e.convert(runs, e.i32()), mine.jumps[level]));
  }
  return e.randomAdd(mine.key, element);
}

Node *ExprBuilder::buildRoundingBits(nn::RoundingBitsOp op, Access access) {
  if (access.extent > std::numeric_limits<int32_t>::max() / 2)
    return fail(op, "its rows are too long");
  return BitsBuilder(*this, op, access).build();
}

Node *ExprBuilder::buildOptimizer(OpResult value, Access access) {
  Operation *op = value.getOwner();
  auto scalar = [&](Value operand) { return build(operand, {affine(0), 0}); };
  auto wide = [&](Node *node) { return convert(node, f64()); };
  auto tensor = [&](Value operand) {
    return convert(build(operand, access), f32());
  };
  // The new value, or the old one if `scale` is NaN: the step is skipped.
  auto updated = [&](Node *scale, Node *next, Value old, Node *bits = nullptr) {
    if (bits)
      next = roundAtRandom(next, bits);
    next = select(equal(scale, scale), next, tensor(old));
    Type element = nn::tensorType(old).getElementType();
    return round(convert(next, computeType(element)), element);
  };
  if (auto sgd = dyn_cast<nn::SgdOp>(op)) {
    Node *p = tensor(sgd.getParam()), *scale = scalar(sgd.getGradScale());
    Node *g = mul(tensor(sgd.getGrad()), scale);
    if (sgd.getDecay())
      g = add(g, mul(scalar(sgd.getWeightDecay()), p));
    p = sub(p, mul(scalar(sgd.getLr()), g));
    return updated(scale, p, sgd.getParam());
  }
  auto adam = cast<nn::AdamWOp>(op);
  Node *one = constant(f32(), 1), *lr = scalar(adam.getLr());
  Node *beta1 = scalar(adam.getBeta1()), *beta2 = scalar(adam.getBeta2());
  Node *scale = scalar(adam.getGradScale());
  Node *g = mul(tensor(adam.getGrad()), scale);
  Node *m = add(mul(beta1, tensor(adam.getExpAvg())), mul(sub(one, beta1), g));
  Node *v = add(mul(beta2, tensor(adam.getExpAvgSq())),
                mul(mul(sub(one, beta2), g), g));
  if (value.getResultNumber() > 0) {
    bool isFirst = value.getResultNumber() == 1;
    Node *bits = nullptr;
    if (adam.getRounding()) {
      bits = build(adam.getRounding(), access);
      if (!bits)
        return nullptr;
      if (!isFirst)
        bits = upperHalf(*this, bits);
    }
    return isFirst ? updated(scale, m, adam.getExpAvg(), bits)
                   : updated(scale, v, adam.getExpAvgSq(), bits);
  }
  Node *step = wide(scalar(adam.getStep())), *wideOne = constant(f64(), 1);
  // Per row, in f64 as is usual: lr / (1 - beta1^step) and sqrt(1 -
  // beta2^step).
  Node *correction1 = sub(wideOne, power(wide(beta1), step));
  Node *correction2 = sub(wideOne, power(wide(beta2), step));
  Node *rate = convert(div(wide(lr), correction1), f32());
  Node *root = convert(sqrt(correction2), f32());
  Node *denominator = add(div(sqrt(v), root), scalar(adam.getEps()));
  Node *p = tensor(adam.getParam());
  if (adam.getDecay())
    p = mul(p, sub(one, mul(lr, scalar(adam.getWeightDecay()))));
  p = sub(p, div(mul(rate, m), denominator));
  return updated(scale, p, adam.getParam());
}
