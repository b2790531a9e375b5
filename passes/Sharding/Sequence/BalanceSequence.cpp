//===- BalanceSequence.cpp - Pieces of equal work for context ranks -------===//

#include "dialects/NN/AttrNames.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"
#include "passes/Sharding/Sequence/SequenceOrder.h"
#include "runtime/support/HeadTail.h"
#include "llvm/ADT/SmallSet.h"
#include <numeric>

namespace pcc {
#define GEN_PASS_DEF_DISTBALANCESEQUENCEPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

/// Queries of a tile of attention. Tiles that are in two pieces would visit
/// most keys, and ranks different numbers of tiles.
static constexpr int64_t kTile = 64;

namespace {

struct DistBalanceSequencePass
    : pcc::impl::DistBalanceSequencePassBase<DistBalanceSequencePass> {
  using DistBalanceSequencePassBase::DistBalanceSequencePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = findMesh(module);
    if (!meshOp || Mesh(meshOp).withRole(AxisRole::Sequence).empty())
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, meshOp);
    if (failed(program))
      return signalPassFailure();
    ranks =
        program->mesh.extent(program->mesh.withRole(AxisRole::Sequence).list());
    if (!hasUnequalWork(*program))
      return;
    // Their lengths determine a rank's work in any order.
    if (module->hasAttr(kDocumentEndsAttr)) {
      if (!isAsked)
        return;
      InFlightDiagnostic diag = module.emitError()
                                << "--cp-balance headtail: the work of ranks "
                                   "depends on where --documents end";
      diag.attachNote() << "--cp-comm-type a2a has equal work on all ranks, "
                           "where heads allow it; --cp-balance none has other "
                           "numbers of keys on each rank";
      return signalPassFailure();
    }
    FailureOr<bool> isWhole = findLengths(*program);
    if (failed(isWhole))
      return signalPassFailure();
    if (!*isWhole)
      return;
    SequenceOrder order(*program, [&](unsigned number, unsigned dim) {
      return orderOf(*program, number, dim);
    });
    if (Operation *counter = order.getCounter()) {
      if (isAsked) {
        refuse(counter);
        signalPassFailure();
      }
      return;
    }
    apply(*program, order);
  }

  bool hasUnequalWork(const Program &program);
  FailureOr<bool> findLengths(const Program &program);
  SequenceOrder::Order orderOf(const Program &program, unsigned number,
                               unsigned dim) const;
  void refuse(Operation *counter);
  void apply(const Program &program, const SequenceOrder &order);

  int64_t ranks = 1;
  /// Of the inputs that are sequences.
  llvm::SmallSet<int64_t, 2> lengths;
};

} // namespace

/// Returns the dim of the sequence of an input, if it has one by its role.
static std::optional<unsigned> sequenceOf(const ShardedValue &value) {
  auto function = cast<func::FuncOp>(value.owner);
  unsigned index = cast<BlockArgument>(value.value).getArgNumber();
  return dimsOf(function, index).sequence;
}

/// Whether ranks do unequal work: causal attention has its queries split.
bool DistBalanceSequencePass::hasUnequalWork(const Program &program) {
  AxisSet sequence = program.mesh.withRole(AxisRole::Sequence);
  bool isSplit = false;
  for (const ShardedOp &op : program.ops) {
    auto attention = dyn_cast<AttentionOp>(op.op);
    if (!attention)
      continue;
    int queries = op.rule.operands[0][1].front();
    FactorAxes factors = readFactors(program.mesh, op);
    bool hasQueries = llvm::any_of(
        factors[queries], [&](Axis axis) { return sequence.contains(axis); });
    if (hasQueries && attention.getCausal())
      return true;
    isSplit |= hasQueries;
  }
  if (isAsked)
    ModuleOp(program.module).emitWarning()
        << "--cp-balance headtail changes nothing: "
        << (isSplit ? "no attention with a split sequence is causal, so ranks "
                      "have equal work"
                    : "no attention has its sequence split, as with "
                      "--cp-comm-type a2a");
  return false;
}

/// Finds the lengths of sequences. Returns false if they have no pieces of
/// whole tiles, and none was asked for.
FailureOr<bool> DistBalanceSequencePass::findLengths(const Program &program) {
  for (const ShardedValue &value : program.values) {
    if (value.kind != ShardedValue::Kind::Input)
      continue;
    std::optional<unsigned> dim = sequenceOf(value);
    if (!dim || value.type.getDimSize(*dim) == 1)
      continue;
    int64_t length = value.type.getDimSize(*dim);
    lengths.insert(length);
    if (length % (2 * ranks) == 0 &&
        (isAsked || headTailPiece(length, ranks) % kTile == 0))
      continue;
    if (!isAsked)
      return false;
    InFlightDiagnostic diag = value.owner->emitError();
    diag << "--cp-balance headtail: '" << value.name << "' has a sequence of "
         << length << ", not a multiple of " << 2 * ranks
         << ", two pieces for each of " << ranks << " ranks";
    diag.attachNote(value.owner->getLoc())
        << "leave --cp-balance out, or choose --seq a multiple of "
        << 2 * ranks;
    return failure();
  }
  return true;
}

SequenceOrder::Order DistBalanceSequencePass::orderOf(const Program &program,
                                                      unsigned number,
                                                      unsigned dim) const {
  const ShardedValue &value = program[number];
  bool isSequence = lengths.contains(value.type.getDimSize(dim));
  // A table or mask by position, which is reordered here.
  if (value.kind != ShardedValue::Kind::Input)
    return isSequence ? SequenceOrder::Order::Open : SequenceOrder::Order::Data;
  if (sequenceOf(value) == dim)
    return SequenceOrder::Order::Reordered;
  std::optional<InputRole> role = roleOf(cast<BlockArgument>(value.value));
  InputDims dims = dimsOf(cast<BlockArgument>(value.value));
  bool mayBe = role && isNamed(*role) && dims.batch != dim && isSequence;
  return mayBe ? SequenceOrder::Order::Open : SequenceOrder::Order::Data;
}

void DistBalanceSequencePass::refuse(Operation *counter) {
  InFlightDiagnostic diag = counter->emitError();
  diag << "--cp-balance headtail: '" << layerName(counter)
       << "' depends on the places of elements in the sequence, which the "
          "order changes";
  diag.attachNote(counter->getParentOfType<ModuleOp>().getLoc())
      << "leave --cp-balance out; --cp-comm-type a2a has equal work on all "
         "ranks, where heads allow it";
}

/// Returns the elements of a constant in head-tail order along a dim.
static DenseElementsAttr reorder(DenseElementsAttr from, int64_t dim,
                                 int64_t ranks) {
  auto type = cast<ShapedType>(from.getType());
  ArrayRef<char> bytes = from.getRawData();
  int64_t length = type.getDimSize(dim),
          slab = bytes.size() / from.getNumElements();
  for (int64_t extent : type.getShape().drop_front(dim + 1))
    slab *= extent;
  std::vector<char> to;
  to.reserve(bytes.size());
  for (int64_t i = 0, count = bytes.size() / slab; i < count; ++i) {
    int64_t place = i % length;
    int64_t source = i - place + headTailPosition(place, length, ranks);
    llvm::append_range(to, bytes.slice(source * slab, slab));
  }
  return DenseElementsAttr::getFromRawBuffer(type, to);
}

/// Sets the order of inputs, reorders constants, and sets the pieces of
/// attention.
void DistBalanceSequencePass::apply(const Program &program,
                                    const SequenceOrder &order) {
  MLIRContext *context = &getContext();
  Builder builder(context);
  for (auto [number, value] : llvm::enumerate(program.values)) {
    auto constant =
        value.value ? value.value.getDefiningOp<ConstantOp>() : ConstantOp();
    if (value.kind != ShardedValue::Kind::Input && !constant)
      continue;
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < value.type.getRank(); ++dim)
      if (order.isReordered(number, dim))
        dims.push_back(dim);
    if (dims.empty())
      continue;
    auto kind =
        HeadTailAttr::get(context, ranks, builder.getDenseI64ArrayAttr(dims));
    if (!constant) {
      cast<func::FuncOp>(value.owner)
          .setArgAttr(cast<BlockArgument>(value.value).getArgNumber(),
                      kOrderAttr, kind);
      continue;
    }
    for (int64_t dim : dims)
      constant.setValueAttr(
          reorder(cast<DenseElementsAttr>(constant.getValue()), dim, ranks));
    constant->setAttr(kOrderAttr, kind);
  }
  for (const ShardedOp &op : program.ops) {
    unsigned q = isa<AttentionGradOp>(op.op);
    if (!isa<AttentionOp, AttentionGradOp>(op.op))
      continue;
    int64_t piece = 0;
    for (unsigned operand : {op.operands[q], op.operands[q + 1]})
      if (order.isReordered(operand, 1))
        piece = std::gcd(
            piece, headTailPiece(program[operand].type.getDimSize(1), ranks));
    if (piece)
      op.op->setAttr(kPieceAttr, builder.getI64IntegerAttr(piece));
  }
}
