//===- RowProgram.cpp - Finding the row space of a kernel -----------------===//

#include "passes/Codegen/Kernels/RowProgram.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Kernels/RowPassPlan.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

bool codegen::isColumnSum(Operation *op) {
  if (isa<nn::LayerNormGradScaleOp, nn::RmsNormGradScaleOp>(op))
    return true;
  auto reduce = dyn_cast<nn::ReduceOp>(op);
  if (!reduce)
    return false;
  int64_t rank = nn::tensorType(reduce.getInput()).getRank();
  int64_t lead = rank - reduce.getDims().size();
  return llvm::any_of(reduce.getDims(), [&](int64_t d) { return d < lead; });
}

bool codegen::hasColumnSum(const Node *node) {
  SmallVector<const Node *> work = {node};
  llvm::SmallDenseSet<const Node *> seen = {node};
  while (!work.empty()) {
    const Node *next = work.pop_back_val();
    if (next->kind == Node::Kind::ColReduce)
      return true;
    for (const Node *operand : next->operands)
      if (seen.insert(operand).second)
        work.push_back(operand);
  }
  return false;
}

/// The ops between arguments and results.
static SetVector<Operation *> collectOps(ArrayRef<Value> arguments,
                                         ArrayRef<Value> results) {
  llvm::SmallDenseSet<Value> known(arguments.begin(), arguments.end());
  SetVector<Operation *> ops;
  SmallVector<Value> work(results);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (known.contains(value) || !op || !ops.insert(op))
      continue;
    work.append(op->operand_begin(), op->operand_end());
  }
  return ops;
}

/// f32 elements of a cache line.
static constexpr int64_t kLine = 16;

/// Candidate row lengths for a tensor of this shape, best first: long enough to
/// amortize a row's overhead, short enough to leave many rows.
static SmallVector<int64_t> rowLengths(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> products;
  int64_t product = 1;
  for (int64_t size : llvm::reverse(shape)) {
    product *= size;
    if (product > 1 && !llvm::is_contained(products, product))
      products.push_back(product);
  }
  SmallVector<int64_t> good, huge, tiny;
  for (int64_t length : products)
    (length < 256 ? tiny : length <= 65536 ? good : huge).push_back(length);
  SmallVector<int64_t> all;
  // Fewer than 16 long rows would run on few threads: cut the elements into
  // rows of a length that divides their number.
  if (good.size() + huge.size() > 0 && product >= 16384 &&
      product / (good.empty() ? huge : good).front() < 16) {
    // Preferably with rows that begin at a cache line.
    for (int64_t step : {kLine, int64_t(1)}) {
      for (int64_t length = 4096; length >= 256 && all.empty(); length -= step)
        if (product % length == 0)
          all.push_back(length);
    }
  }
  llvm::append_range(all, good);
  all.append(tiny.rbegin(), tiny.rend());
  llvm::append_range(all, huge);
  // Rows of one element, as for a softmax over a single key; then no rows.
  all.append({1, 0});
  return all;
}

/// The most column sums that a work item of Groups holds in registers, with
/// kThreadColumns columns per thread.
static constexpr int64_t kMostGroupSums = 4;

namespace {
/// Tries the kernel shapes one after another.
struct Creator {
  ArrayRef<Value> arguments, results;
  std::string why;

  std::unique_ptr<RowProgram> attempt(KernelShape shape, int64_t rows,
                                      int64_t columns, int64_t reduced);
  std::unique_ptr<RowProgram> makeScatter(nn::EmbeddingGradOp op);
  std::unique_ptr<RowProgram> makeRope(nn::RopeOp op);
};
} // namespace

std::unique_ptr<RowProgram> Creator::attempt(KernelShape shape, int64_t rows,
                                             int64_t columns, int64_t reduced) {
  auto program = std::make_unique<RowProgram>();
  program->shape = shape;
  program->rows = rows;
  program->columns = columns;
  program->reduced = reduced;
  ExprBuilder expr(*program, results[0].getContext(), arguments);
  bool isGroups = shape == KernelShape::Groups;
  AffineExpr row = expr.unitRow();
  int64_t all = isGroups ? rows * reduced : rows;
  for (auto [index, result] : llvm::enumerate(results)) {
    int64_t count = numElements(result);
    SmallVector<Access> accesses;
    if (isGroups && count == rows * columns)
      accesses.push_back({expr.d0(), columns});
    if (columns && count == all * columns)
      accesses.push_back({row, columns});
    // With rows of one element, a result may also have one value per row.
    if (count == all)
      accesses.push_back({row, 0});
    if (accesses.empty())
      return nullptr;
    Output output{static_cast<unsigned>(index), nullptr, {}};
    for (Access access : accesses) {
      output.node = expr.build(result, access);
      output.access = access;
      bool isOfGroup = program->isOfGroup(output);
      if (output.node && isGroups &&
          (hasColumnSum(output.node) != isOfGroup ||
           (isOfGroup && output.node->level))) {
        why = "column sums of a group of rows and a result of other rows";
        output.node = nullptr;
      }
      if (output.node)
        break;
    }
    if (!output.node) {
      why = expr.why.empty() ? why : expr.why;
      return nullptr;
    }
    // A work item has only some columns of a row, so it cannot own a value per
    // row.
    if (shape == KernelShape::Columns && output.access.extent == 0) {
      why = "one value per row together with column sums";
      return nullptr;
    }
    program->outputs.push_back(output);
  }
  int64_t sums = llvm::count_if(program->getNodes(), [](auto &node) {
    return node->kind == Node::Kind::ColReduce;
  });
  if (isGroups && sums > kMostGroupSums) {
    why = "more column sums than a work item can hold in registers";
    return nullptr;
  }
  if (shape == KernelShape::Columns)
    for (auto &node : program->getNodes())
      if (node->kind == Node::Kind::Reduce) {
        why = "sums over rows and along rows";
        return nullptr;
      }
  return program;
}

/// table' = table (or zero) with dy's rows added by id.
std::unique_ptr<RowProgram> Creator::makeScatter(nn::EmbeddingGradOp op) {
  auto program = std::make_unique<RowProgram>();
  program->shape = KernelShape::Scatter;
  auto type = nn::tensorType(op.getDtable());
  program->columns = ShapedType::getNumElements(type.getShape().drop_front());
  program->scatter.tableRows = type.getShape()[0];
  program->scatter.tokens = numElements(op.getIds());
  program->scatter.isSorted = op->hasAttr(kSortedAttr);
  if (results.size() != 1)
    return nullptr;
  if (results[0] != op.getDtable()) {
    auto sum = results[0].getDefiningOp<nn::SumOp>();
    if (!sum || sum.getNumOperands() != 2)
      return nullptr;
    Value base = sum.getOperand(sum.getOperand(0) == op.getDtable() ? 1 : 0);
    auto it = llvm::find(arguments, base);
    if (it == arguments.end() ||
        !llvm::is_contained(sum.getOperands(), op.getDtable()))
      return nullptr;
    program->scatter.base = it - arguments.begin();
  }
  ExprBuilder expr(*program, op.getContext(), arguments);
  Access whole{expr.d0(), program->columns};
  auto number = [&](Value ids) {
    return expr.convert(expr.build(ids, {expr.d0(), 0}), expr.index());
  };
  Node *id = number(op.getIds());
  if (op.getOffset())
    id = expr.sub(id,
                  expr.convert(expr.build(op.getOffset(), {expr.affine(0), 0}),
                               expr.index()));
  program->scatter.id = program->scatter.key = id;
  if (auto group = op->getAttrOfType<IntegerAttr>(kGroupAttr)) {
    program->scatter.group = group.getInt();
    program->scatter.isOfGroups = op->hasAttr(kGroupSumsAttr);
    auto ids = op.getIds().getDefiningOp<nn::WhereOp>();
    auto isContinued =
        ids ? ids.getCondition().getDefiningOp<nn::CompareOp>() : nullptr;
    if (!isContinued) {
      why = "grouped rows whose ids are not an nn.where over an nn.compare";
      return nullptr;
    }
    program->scatter.key = number(isContinued.getRhs());
  }
  program->scatter.dy = expr.build(op.getDy(), whole);
  if (!id || !program->scatter.dy) {
    why = expr.why;
    return nullptr;
  }
  // A work item goes through all tokens, so no pass over a row can precede.
  if (id->level || program->scatter.dy->level) {
    why = "scatters a value that needs whole rows";
    return nullptr;
  }
  return program;
}

std::unique_ptr<RowProgram> Creator::makeRope(nn::RopeOp op) {
  if (results.size() != 1 || results[0] != op.getResult())
    return nullptr;
  auto program = std::make_unique<RowProgram>();
  program->shape = KernelShape::Rope;
  ExprBuilder expr(*program, op.getContext(), arguments);
  if (expr.buildRope(op))
    return program;
  why = expr.why;
  return nullptr;
}

std::unique_ptr<RowProgram> RowProgram::create(ArrayRef<Value> arguments,
                                               ArrayRef<Value> results,
                                               std::string *why) {
  Creator creator{arguments, results, {}};
  auto ops = collectOps(arguments, results);
  std::unique_ptr<RowProgram> program;
  auto finish = [&]() -> std::unique_ptr<RowProgram> {
    if (!program && why)
      *why = creator.why.empty() ? "the results share no rows" : creator.why;
    return std::move(program);
  };
  Value largest = results[0];
  for (Value result : results)
    if (numElements(result) > numElements(largest))
      largest = result;
  int64_t count = numElements(largest);

  Operation *columnSum = nullptr;
  for (Operation *op : ops) {
    if (auto scatter = dyn_cast<nn::EmbeddingGradOp>(op)) {
      program = creator.makeScatter(scatter);
      return finish();
    }
    if (auto rope = dyn_cast<nn::RopeOp>(op)) {
      program = creator.makeRope(rope);
      return finish();
    }
    if (isColumnSum(op))
      columnSum = op;
  }
  if (columnSum) {
    int64_t reduced = numElements(columnSum->getOperand(0)) /
                      numElements(columnSum->getResult(0));
    for (Operation *op : ops)
      if (isColumnSum(op) &&
          numElements(op->getOperand(0)) / numElements(op->getResult(0)) !=
              reduced) {
        creator.why = "sums over different numbers of rows";
        return finish();
      }
    auto shape = nn::tensorType(largest).getShape();
    int64_t columns = 1;
    // If no trailing dims are columns, every element is a row of its own, as in
    // a sum over the middle of [batch, seq, 1].
    SmallVector<int64_t> lengths = {1};
    for (int64_t size : llvm::reverse(shape))
      if (size > 1)
        lengths.push_back(columns *= size);
    for (int64_t length : llvm::reverse(lengths))
      if ((program = creator.attempt(KernelShape::Columns, count / length,
                                     length, reduced)))
        return finish();
    RankedTensorType sums = nn::tensorType(columnSum->getResult(0));
    int64_t groups = sums.getRank() > 1 ? sums.getDimSize(0) : 1;
    int64_t width = sums.getNumElements() / std::max<int64_t>(groups, 1);
    if (groups >= kLeastGroups && width >= kLeastGroupColumns &&
        width <= kMostGroupColumns)
      program = creator.attempt(KernelShape::Groups, groups, width, reduced);
    return finish();
  }
  for (int64_t length : rowLengths(nn::tensorType(largest).getShape()))
    if ((program = creator.attempt(KernelShape::Rows,
                                   length ? count / length : count, length, 1)))
      break;
  return finish();
}

bool RowProgram::mayReuse(unsigned index, unsigned argument) const {
  if (shape == KernelShape::Scatter)
    // The table changes with every token; only its base may share its buffer.
    return scatter.base == static_cast<int>(argument) &&
           llvm::none_of(nodes, [&](const std::unique_ptr<Node> &node) {
             return (node->kind == Node::Kind::Leaf ||
                     node->kind == Node::Kind::Gather) &&
                    node->argument == argument;
           });
  if (shape == KernelShape::Rope)
    // Both elements of a pair are read before either is written.
    return rope.input->kind == Node::Kind::Leaf &&
           rope.input->argument == argument &&
           rope.input->row == getAffineDimExpr(0, rope.input->row.getContext());
  const Output *output = nullptr;
  for (const Output &candidate : outputs)
    if (candidate.index == index)
      output = &candidate;
  RowPassPlan passPlan(*this);
  int written = passPlan.getStoreTime(*output);
  bool isRead = false;
  for (auto &node : nodes) {
    bool isLeaf = node->kind == Node::Kind::Leaf;
    if ((!isLeaf && node->kind != Node::Kind::Gather) ||
        node->argument != argument || !passPlan.isLive(node.get()))
      continue;
    isRead = true;
    if (!isLeaf || !(Access{node->row, node->extent} == output->access) ||
        passPlan.getLastRead(node.get()) > written)
      return false;
  }
  return isRead;
}
