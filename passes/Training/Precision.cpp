//===- Precision.cpp - Mixed precision ------------------------------------===//
//
// A model file computes in f32. In bf16 or fp16 most values take half the bytes
// and GEMMs run several times as fast, but some values lose too much. This pass
// selects the type of each value before gradients exist; a cotangent then has
// the type of its value. It inserts casts only: kernels compute in f32 and
// round the results they store.
//
//     %w = nn.read @w : tensor<8x8xf32>              the f32 parameter
//     %h = nn.cast %w : ... -> tensor<8x8xbf16>      the working copy
//     %y = nn.contract "bk,kn->bn" %x, %h : ... -> tensor<4x8xbf16>
//
// Every use of a parameter starts with a cast to its working copy, after ops
// that only move elements. So a rank can hold whole working copies but only its
// shard of the master weights. Values that depend on no parameter (positions,
// masks, tables of angles) keep their type: in bf16 the positions 257 and 258
// are equal. Sums of many elements, quotients, exponentials and the like have
// f32 results, as has everything between the last layer and the loss, and as
// have GEMMs whose results are scores that choose elements (nn.top_k). An
// elementwise op on f32 and low precision operands computes in f32 and rounds
// its result.
//
// fp16 adds a loss scale (LossScale.cpp).
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Location.h"
#include "passes/Training/LossScale.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNPRECISIONPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// Whether an op uses low precision operands as they are.
bool mayBeNarrow(Operation *op) {
  switch (precisionOf(op)) {
  case Precision::Declared:
  case Precision::Either:
  case Precision::Wide:
  case Precision::WideSum:
    return false;
  case Precision::Narrow:
  case Precision::NarrowProduct:
  case Precision::LayerLikeFirst:
  case Precision::LikeFirst:
  case Precision::LikeOperands:
    return true;
  }
  llvm_unreachable("unknown precision");
}

/// Whether an operand is the bias of an attention. It may be a mask, so it
/// stays f32, unless it is a parameter.
bool isBias(OpOperand &operand) {
  auto attention = dyn_cast<AttentionOp>(operand.getOwner());
  return attention &&
         llvm::any_of(attention.getBiasMutable(),
                      [&](OpOperand &bias) { return &bias == &operand; });
}

/// Whether an operand of a layer stays f32: the gates of experts, and the sinks
/// of an attention, which are a number per head.
bool staysWide(OpOperand &operand) {
  if (auto experts = dyn_cast<ExpertsOp>(operand.getOwner()))
    return &experts.getGatesMutable() == &operand;
  auto attention = dyn_cast<AttentionOp>(operand.getOwner());
  return attention &&
         llvm::any_of(attention.getSinksMutable(),
                      [&](OpOperand &sinks) { return &sinks == &operand; });
}

class Narrower {
public:
  Narrower(func::FuncOp function, FloatType narrow)
      : function(function), narrow(narrow), builder(function.getContext()) {}

  void run();

private:
  /// The type in which a value is used.
  enum class Form {
    Fixed,  ///< neither f32 nor the low precision type
    Wide,   ///< f32
    Narrow, ///< bf16 or fp16
    Weight, ///< f32 elements of a parameter: used through a working copy
  };

  void findLosses();
  void findScores();
  void rewrite(Operation *op);
  void rewriteLayer(Operation *op);
  void rewriteLikeFirst(Operation *op);
  void rewriteLikeOperands(Operation *op);
  void narrowResult(Operation *op, bool isNarrow);
  void useWide(Operation *op);
  void useNarrow(OpOperand &operand);
  void useWide(OpOperand &operand);
  Form formOf(Value value);
  Value cast(Value value, FloatType to, Operation *place, bool atUse);
  RankedTensorType typeWith(Value value, FloatType element) {
    return tensorType(value).clone(element);
  }

  func::FuncOp function;
  FloatType narrow;
  OpBuilder builder;
  /// Ops that are no layer and use no parameter, and that no layer or other use
  /// of a parameter depends on.
  DenseSet<Operation *> ofLoss;
  /// GEMMs whose results choose elements, without a layer in between.
  DenseSet<Operation *> ofScores;
  DenseSet<Value> weights;   ///< parameters and their moved elements
  DenseSet<Value> dependent; ///< computed from parameters
  /// The cast of each value to a type, per set of stage attributes.
  DenseMap<std::tuple<Value, Type, Attribute>, Value> casts;
};

} // namespace

Narrower::Form Narrower::formOf(Value value) {
  Type element = tensorType(value).getElementType();
  if (element == narrow)
    return Form::Narrow;
  if (!element.isF32())
    return Form::Fixed;
  return weights.contains(value) ? Form::Weight : Form::Wide;
}

/// Casts a value to another type, once per segment: after its definition or, if
/// `atUse`, before the first use in the segment.
Value Narrower::cast(Value value, FloatType to, Operation *place, bool atUse) {
  Operation *def = value.getDefiningOp();
  if (!def)
    atUse = true;
  Operation *like = atUse ? place : def;
  SmallVector<Attribute> marks;
  for (StringRef name : kStageAttrs) {
    Attribute mark = like->getAttr(name);
    marks.push_back(mark ? mark : UnitAttr::get(function.getContext()));
  }
  Value &known = casts[{value, to, builder.getArrayAttr(marks)}];
  if (known)
    return known;
  if (atUse)
    builder.setInsertionPoint(place);
  else
    builder.setInsertionPointAfter(def);
  auto made =
      CastOp::create(builder, like->getLoc(), typeWith(value, to), value);
  inheritStage(made, like);
  return known = made;
}

void Narrower::useNarrow(OpOperand &operand) {
  Value value = operand.get();
  Form form = formOf(value);
  if (form == Form::Wide || form == Form::Weight)
    operand.set(cast(value, narrow, operand.getOwner(), form == Form::Weight));
}

void Narrower::useWide(OpOperand &operand) {
  Value value = operand.get();
  Form form = formOf(value);
  if (form == Form::Weight) {
    value = cast(value, narrow, operand.getOwner(), /*atUse=*/true);
    form = Form::Narrow;
  }
  if (form == Form::Narrow)
    operand.set(cast(value, builder.getF32Type(), operand.getOwner(),
                     /*atUse=*/true));
}

/// Converts all operands of an op to f32.
void Narrower::useWide(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    useWide(operand);
}

void Narrower::narrowResult(Operation *op, bool isNarrow) {
  Value result = op->getResult(0);
  if (isNarrow && formOf(result) == Form::Wide)
    result.setType(typeWith(result, narrow));
}

void Narrower::findLosses() {
  DenseSet<Operation *> others;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    bool usesWeight = llvm::any_of(op.getOperands(), [&](Value operand) {
      return weights.contains(operand);
    });
    bool isNeeded = llvm::any_of(
        op.getUsers(), [&](Operation *user) { return others.contains(user); });
    if (usesWeight || isNeeded || isLayer(&op) || isa<ReadOp>(op))
      others.insert(&op);
    else
      ofLoss.insert(&op);
  }
}

void Narrower::findScores() {
  SmallVector<Value> work;
  DenseSet<Operation *> seen;
  for (auto choice : function.getBody().front().getOps<TopKOp>())
    work.push_back(choice.getInput());
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<ContractOp>(op))
      ofScores.insert(op);
    if (!isLayer(op))
      llvm::append_range(work, op->getOperands());
  }
}

/// Rewrites a layer that takes and returns low precision.
void Narrower::rewriteLayer(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (staysWide(operand))
      useWide(operand);
    else if (!isBias(operand) || formOf(operand.get()) == Form::Weight)
      useNarrow(operand);
  narrowResult(op, !ofScores.contains(op));
}

/// Rewrites an op whose type is that of its first operand.
void Narrower::rewriteLikeFirst(Operation *op) {
  OpOperand &first = op->getOpOperand(0);
  if (formOf(first.get()) == Form::Weight)
    useNarrow(first);
  bool isNarrow = formOf(first.get()) == Form::Narrow;
  for (OpOperand &operand : llvm::drop_begin(op->getOpOperands()))
    isNarrow ? useNarrow(operand) : useWide(operand);
  narrowResult(op, isNarrow);
}

/// Rewrites an op that combines operands, each of which may be low precision.
/// With an f32 operand it computes in f32. If another operand is low precision,
/// the result is rounded, unless all users want f32.
void Narrower::rewriteLikeOperands(Operation *op) {
  bool anyNarrow = false, anyWide = false, anyWeight = false;
  for (Value operand : op->getOperands()) {
    Form form = formOf(operand);
    anyNarrow |= form == Form::Narrow;
    anyWide |= form == Form::Wide;
    anyWeight |= form == Form::Weight;
  }
  if (anyNarrow + anyWide + anyWeight == 0)
    return;
  if (!anyWide) {
    for (OpOperand &operand : op->getOpOperands())
      useNarrow(operand);
    return narrowResult(op, true);
  }
  useWide(op);
  auto wantsWide = [&](Operation *user) {
    return ofLoss.contains(user) || !mayBeNarrow(user);
  };
  Value result = op->getResult(0);
  if (!anyNarrow || llvm::all_of(op->getUsers(), wantsWide))
    return;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  Value rounded = cast(result, narrow, op, /*atUse=*/false);
  for (OpOperand *use : uses)
    use->set(rounded);
}

void Narrower::rewrite(Operation *op) {
  Precision precision = precisionOf(op);
  if (precision == Precision::Declared)
    return;
  bool isDependent = llvm::any_of(op->getOperands(), [&](Value operand) {
    return dependent.contains(operand) || formOf(operand) == Form::Narrow;
  });
  if (!isDependent)
    return;
  for (Value result : op->getResults())
    if (isa<FloatType>(tensorType(result).getElementType()))
      dependent.insert(result);
  if (weights.contains(op->getOpResult(0)))
    return;
  if (precision == Precision::Either)
    return;
  // The same value without a gradient.
  if (isa<CastOp>(op) && op->hasAttr(kDetachedAttr))
    return rewriteLikeFirst(op);
  if (ofLoss.contains(op) && !movesElements(op))
    return useWide(op);
  switch (precision) {
  case Precision::Declared:
  case Precision::Either:
    return;
  case Precision::Wide:
  case Precision::WideSum:
    return useWide(op);
  case Precision::Narrow:
  case Precision::NarrowProduct:
    return rewriteLayer(op);
  case Precision::LayerLikeFirst:
  case Precision::LikeFirst:
    return rewriteLikeFirst(op);
  case Precision::LikeOperands:
    return rewriteLikeOperands(op);
  }
}

void Narrower::run() {
  Block &body = function.getBody().front();
  for (Operation &op : body) {
    auto read = dyn_cast<ReadOp>(op);
    bool isOfParam = read &&
                     SymbolTable::lookupNearestSymbolFrom<ParamOp>(
                         read, read.getSymbolAttr()) &&
                     tensorType(read).getElementType().isF32();
    bool isMoved = movesElements(&op) &&
                   llvm::all_of(op.getOperands(),
                                [&](Value v) { return weights.contains(v); });
    if (!isOfParam && !isMoved)
      continue;
    weights.insert(op.getResult(0));
    dependent.insert(op.getResult(0));
  }
  findLosses();
  findScores();
  for (Operation &op : llvm::make_early_inc_range(body))
    if (op.getNumResults())
      rewrite(&op);
    else
      useWide(&op); // results of the function, and updates of states
  for (OpOperand &operand : body.getTerminator()->getOpOperands())
    useWide(operand);
}

namespace {

struct NNPrecisionPass : pcc::impl::NNPrecisionPassBase<NNPrecisionPass> {
  using NNPrecisionPassBase::NNPrecisionPassBase;

  void runOnOperation() override {
    FloatType narrow = typeNamed();
    if (!narrow) {
      InFlightDiagnostic diag = getOperation().emitError()
                                << "there is no precision '" << kind << "'";
      diag.attachNote() << "precisions are f32, bf16 and fp16";
      return signalPassFailure();
    }
    if (narrow.isF32())
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.getBody().hasOneBlock())
        Narrower(function, narrow).run();
    if (narrow.isF16())
      addLossScale(getOperation());
  }

  /// Null if there is none.
  FloatType typeNamed() {
    if (kind == "f32")
      return Float32Type::get(&getContext());
    if (kind == "bf16")
      return BFloat16Type::get(&getContext());
    if (kind == "fp16")
      return Float16Type::get(&getContext());
    return {};
  }
};

} // namespace
