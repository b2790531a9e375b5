//===- Check.cpp - Checks that a plan uses the tensor axes ----------------===//

#include "passes/Sharding/Check.h"
#include "passes/Sharding/Components.h"
#include "passes/Sharding/Seeds.h"
#include <map>
#include <set>

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

/// Whether an op needs a dim with these factors whole.
static bool needsWhole(const ShardedOp &op, const DimFactors &factors) {
  return llvm::any_of(
      factors, [&](int factor) { return op.rule.factors[factor].unshardable; });
}

/// Whether the factors of a dim could take all its axes if there were no other
/// dims.
static bool fitsAlone(const Program &program, const ShardedOp &op,
                      const ShardedValue &value, unsigned dim,
                      const DimFactors &factors) {
  size_t taken = 0;
  for (const AxisList &axes :
       distribute(program.mesh, value.dims[dim], factors, op.rule))
    taken += axes.size();
  return taken == value.dims[dim].size();
}

/// Explains why an op cannot split a dim of a value over all its axes.
static void explainLost(InFlightDiagnostic &diag, const Program &program,
                        const ShardedOp &op, const ShardedValue &value,
                        unsigned dim, const DimFactors &factors) {
  if (needsWhole(op, factors)) {
    diag << op.op->getName() << " needs dim " << dim << " of '" << value.name
         << "' whole on each rank";
    return;
  }
  diag << "dim " << dim << " of '" << value.name << "' ";
  if (fitsAlone(program, op, value, dim, factors)) {
    diag << "is there the minor part of a dim whose major part is not split "
            "into single elements";
    return;
  }
  diag << "is ";
  llvm::interleave(
      factors, diag, [&](int factor) { diag << op.rule.factors[factor].size; },
      " x ");
  diag << " here, and " << op.rule.factors[majorFactor(op.rule, factors)].size
       << " is not a multiple of " << program.mesh.extent(value.dims[dim]);
}

/// Reports that an op cannot use an axis that shards one of its values.
static LogicalResult reportLost(const Program &program, const ShardedOp &op,
                                const ShardedValue &value, unsigned dim,
                                Axis axis, const DimFactors &factors) {
  const Mesh &mesh = program.mesh;
  InFlightDiagnostic diag =
      cannotSplit(op.op, layerName(op.op), mesh, AxisSet::of(axis));
  explainLost(diag, program, op, value, dim, factors);
  diag.attachNote(value.owner->getLoc())
      << "it is split because of: " << value.origins[axis].reason;
  Location loc = op.op->getLoc();
  if (mesh.role(axis) == AxisRole::Expert)
    diag.attachNote(loc) << "leave --ep out: its ranks share the batch as all "
                            "ranks of --dp do";
  else if (needsWhole(op, factors) ||
           fitsAlone(program, op, value, dim, factors))
    diag.attachNote(loc) << "use --tp 1, and --dp or --pp to use more ranks";
  else if (isa<AttentionOp, AttentionGradOp>(op.op))
    diag.attachNote(loc)
        << "with fewer key/value heads than tensor ranks the mesh needs the "
           "axes tp_kv and tp_rep in place of tp; --dist-mesh declares them";
  else
    noteValidValues(diag, loc, AxisRole::Tensor,
                    op.rule.factors[majorFactor(op.rule, factors)].size);
  return diag;
}

/// Remarks that a backward op gathers a value. In the backward pass an axis is
/// lost only where the forward pass slices a whole value: all shards of its
/// gradient are gathered.
static void remarkLost(const Program &program, const ShardedOp &op,
                       const ShardedValue &value, Axis axis) {
  mlir::emitRemark(op.op->getLoc())
      << "the gradient of '" << layerName(op.op) << "' gathers '" << value.name
      << "' over mesh axis " << program.mesh.name(axis);
}

static LogicalResult checkLost(const Program &program, const ShardedOp &op) {
  LogicalResult result = success();
  op.forEach([&](unsigned number, const ValueFactors &dims, unsigned position) {
    const ShardedValue &value = program[number];
    auto usable = usableAxes(program, op, position);
    for (auto [i, axes] : llvm::enumerate(value.dims))
      if (usable[i].size() < axes.size() && succeeded(result)) {
        Axis axis = axes[usable[i].size()];
        if (op.op->hasAttr(kBackwardAttr))
          remarkLost(program, op, value, axis);
        else
          result = reportLost(program, op, value, i, axis, dims[i]);
      }
  });
  return result;
}

/// Whether a contraction multiplies probabilities and values of an attention
/// that was not recognized.
static bool isPrimitiveAttention(ContractOp op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    Operation *def = operand.getDefiningOp();
    while (permutesElements(def) ||
           isa_and_present<DropoutOp, MulOp, WhereOp, CastOp>(def))
      def = def->getOperand(isa<WhereOp>(def) ? 1 : 0).getDefiningOp();
    return isa_and_present<SoftmaxOp>(def);
  });
}

namespace {

/// Collects attention that tensor parallelism leaves whole on every rank. The
/// result is right but not what --tp suggests, so it is reported, once per
/// reason.
class WholeAttention {
public:
  explicit WholeAttention(const Program &program)
      : program(program), components(program) {}
  void add(const ShardedOp &op);
  void report() const;

private:
  StringRef reasonOf(const ShardedOp &op, std::string &node) const;

  const Program &program;
  Components components;
  struct Group {
    const ShardedOp *first;
    std::string node; ///< named by the reason; may be empty
    std::vector<std::string> layers;
    int64_t flops = 0;
  };
  std::map<std::string, Group> groups;
};

} // namespace

/// Returns why no axis reaches the heads; sets `node` to the responsible op, if
/// there is one.
StringRef WholeAttention::reasonOf(const ShardedOp &op,
                                   std::string &node) const {
  unsigned values = op.operands[0];
  int64_t rank = program[values].type.getRank();
  // [batch, sequence, heads, d] of attention, [batch, heads, query, key] of a
  // product.
  unsigned heads = isa<AttentionOp>(op.op) ? 2 : 1;
  if (rank < 4)
    return "it has no dim of heads";
  const ShardedOp *needs = components.whoNeeds({values, heads});
  if (!needs)
    return "no weight of its own has the heads as a dim";
  node = layerName(needs->op);
  return isa<ReshapeOp>(needs->op) ? " merges its heads with other dims"
                                   : " needs all of its heads";
}

void WholeAttention::add(const ShardedOp &op) {
  std::string node;
  Group &group = groups[reasonOf(op, node).str()];
  if (group.layers.empty()) {
    group.first = &op;
    group.node = node;
  }
  // Training and evaluation have the same layers.
  std::string layer = layerName(op.op);
  if (llvm::is_contained(group.layers, layer))
    return;
  group.layers.push_back(layer);
  group.flops += cast<CostInterface>(op.op).getFlops();
}

void WholeAttention::report() const {
  int64_t ranks = program.mesh.extent(program.mesh.tensorAxes().list());
  for (auto &[reason, group] : groups) {
    Location loc = group.first->op->getLoc();
    InFlightDiagnostic diag = mlir::emitWarning(loc);
    diag << "attention '" << group.layers.front() << "'";
    if (group.layers.size() > 1)
      diag << " and " << group.layers.size() - 1 << " more";
    diag << (group.layers.size() > 1 ? " run" : " runs") << " whole on each of "
         << ranks << " tensor-parallel ranks (" << group.flops
         << " FLOPs forward): ";
    if (!group.node.empty())
      diag << "'" << group.node << "'";
    diag << reason;
    diag.attachNote(loc)
        << "--tp splits the other layers; use --tp 1, and --dp or --pp, to "
           "have no rank repeat another's work";
  }
}

/// Checks that attention and contractions with weights are sharded over the
/// tensor axes.
static LogicalResult checkCoverage(const Program &program, const ShardedOp &op,
                                   WholeAttention &wholes,
                                   llvm::DenseSet<unsigned> &reported) {
  const Mesh &mesh = program.mesh;
  AxisSet used;
  for (const AxisList &axes : project(program, op).factors)
    used = used | AxisSet(axes);
  AxisSet missing = mesh.tensorAxes() - used;
  if (missing.empty())
    return success();
  if (isRowParallel(program, op)) {
    InFlightDiagnostic diag =
        mlir::emitError(op.op->getLoc())
        << "'" << layerName(op.op) << "' would run whole on each of "
        << mesh.extent(missing.list()) << " ranks: mesh axis \""
        << userName(mesh, missing) << "\" does not reach its weight";
    diag.attachNote(op.op->getLoc())
        << "its weights must be column parallel: a projection whose columns "
           "are cut into parts must be factored (part, head, dim)";
    return diag;
  }
  auto contract = dyn_cast<ContractOp>(op.op);
  if (isa<AttentionOp>(op.op) || (contract && isPrimitiveAttention(contract))) {
    wholes.add(op);
    return success();
  }
  std::optional<unsigned> weight;
  if (!contract || !(weight = weightOf(contract)))
    return success();
  // The other tensor axes exist for fewer key/value heads than ranks.
  if (!missing.contains(mesh.tensorAxes().list().front()))
    return success();
  // Training and evaluation share the weight.
  if (!reported.insert(op.operands[*weight]).second)
    return success();
  mlir::emitRemark(op.op->getLoc())
      << "'" << layerName(op.op) << "' runs whole on each of "
      << mesh.extent(missing.list()) << " tensor-parallel ranks ("
      << static_cast<int64_t>(contract.getFlops()) << " FLOPs)";
  return success();
}

LogicalResult pcc::checkTensorParallel(const Program &program) {
  for (const ShardedOp &op : program.ops)
    if (failed(checkLost(program, op)))
      return failure();
  if (program.mesh.tensorAxes().empty())
    return success();
  llvm::DenseSet<unsigned> reported;
  WholeAttention wholes(program);
  for (const ShardedOp &op : program.ops)
    if (isForward(op.op) &&
        failed(checkCoverage(program, op, wholes, reported)))
      return failure();
  wholes.report();
  return success();
}

void pcc::reportGathers(const Program &program) {
  const Mesh &mesh = program.mesh;
  // Training and evaluation have the same layers.
  std::set<std::pair<std::string, std::string>> reported;
  for (const ShardedOp &op : program.ops) {
    // Attention needs all keys and values on purpose, experts all tokens.
    if (!isForward(op.op) || isa<AttentionOp, ExpertsOp>(op.op))
      continue;
    for (auto [position, number] : llvm::enumerate(op.operands)) {
      const ShardedValue &value = program[number];
      auto usable = usableAxes(program, op, position);
      for (auto [i, axes] : llvm::enumerate(value.dims)) {
        std::string layer = layerName(op.op);
        if (usable[i].size() == axes.size() ||
            !reported.insert({layer, value.name}).second)
          continue;
        Axis axis = axes[usable[i].size()];
        InFlightDiagnostic diag = mlir::emitRemark(op.op->getLoc());
        diag << "'" << layer << "' gathers '" << value.name
             << "' over mesh axis " << mesh.name(axis) << ": ";
        explainLost(diag, program, op, value, i, op.rule.operands[position][i]);
      }
    }
  }
}
