//===- ShareBodies.cpp - Equal tasks call one body ------------------------===//
//
// The tasks of equal layers have equal ops except for the ids of their random
// numbers. They share the first one's body. The difference of ids is the task's
// key, an argument that is added to the high word of the step (Random.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/Passes.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pcc {
#define GEN_PASS_DEF_PIPESHAREBODIESPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

constexpr StringLiteral kId = "id";

/// A body and the least id of its random numbers.
struct Candidate {
  BodyOp body;
  int64_t firstId = 0;
};

/// Equal bodies: the one that is kept and, by body, the offset of its ids.
struct Shared {
  Candidate kept;
  llvm::MapVector<Attribute, int64_t> keys;
};

struct PipeShareBodiesPass
    : pcc::impl::PipeShareBodiesPassBase<PipeShareBodiesPass> {
  void runOnOperation() override;
};

} // namespace

/// Returns the id of the random numbers that an op draws, if any.
static std::optional<int64_t> idOf(Operation *op) {
  auto id = op->getAttrOfType<IntegerAttr>(kId);
  auto p = op->getAttrOfType<FloatAttr>("p");
  if (!id || !p || p.getValue().isZero())
    return std::nullopt;
  return id.getInt();
}

static Candidate candidateOf(BodyOp body) {
  std::optional<int64_t> first;
  for (Operation &op : *body.getBlock())
    if (auto id = idOf(&op))
      first = std::min(first.value_or(*id), *id);
  return {body, first.value_or(0)};
}

/// Returns an op's attributes without its id.
static Attribute attributesOf(Operation *op) {
  DictionaryAttr attrs = op->getAttrDictionary();
  if (!idOf(op))
    return attrs;
  NamedAttrList rest(attrs);
  rest.erase(kId);
  return rest.getDictionary(op->getContext());
}

static llvm::hash_code hashOf(BodyOp body) {
  llvm::hash_code hash = llvm::hash_combine(
      llvm::hash_combine_range(body.getInto()),
      llvm::hash_combine_range(body.getBlock()->getArgumentTypes()),
      body->getAttr(dist::kArgumentsAttr));
  for (Operation &op : *body.getBlock())
    hash = llvm::hash_combine(hash, op.getName(), attributesOf(&op),
                              llvm::hash_combine_range(op.getResultTypes()));
  return hash;
}

static bool areEqual(const Candidate &a, const Candidate &b) {
  Block *first = BodyOp(a.body).getBlock(), *second = BodyOp(b.body).getBlock();
  if (BodyOp(a.body).getInto() != BodyOp(b.body).getInto() ||
      first->getArgumentTypes() != second->getArgumentTypes() ||
      BodyOp(a.body)->getAttr(dist::kArgumentsAttr) !=
          BodyOp(b.body)->getAttr(dist::kArgumentsAttr) ||
      first->getOperations().size() != second->getOperations().size())
    return false;
  llvm::DenseMap<Value, Value> same;
  for (auto [x, y] : llvm::zip(first->getArguments(), second->getArguments()))
    same[x] = y;
  for (auto [x, y] : llvm::zip(*first, *second)) {
    if (x.getName() != y.getName() || x.getNumRegions() || y.getNumRegions() ||
        attributesOf(&x) != attributesOf(&y) ||
        x.getResultTypes() != y.getResultTypes() ||
        x.getNumOperands() != y.getNumOperands())
      return false;
    for (auto [u, v] : llvm::zip(x.getOperands(), y.getOperands()))
      if (same.lookup(u) != v)
        return false;
    auto id = idOf(&x), other = idOf(&y);
    if (id && *id - a.firstId != *other - b.firstId)
      return false;
    for (auto [u, v] : llvm::zip(x.getResults(), y.getResults()))
      same[u] = v;
  }
  return true;
}

/// Adds the key as the last argument of a body.
static void addKey(BodyOp body) {
  Block *block = body.getBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Value key = block->addArgument(type, body.getLoc());
  // Equal on all ranks.
  dist::ShardingAttr whole;
  if (auto arguments = body->getAttrOfType<ArrayAttr>(dist::kArgumentsAttr)) {
    whole = dist::ShardingAttr::get(body.getContext(), {}, {}, {}, {});
    SmallVector<Attribute> all(arguments.getValue());
    all.push_back(whole);
    body->setAttr(dist::kArgumentsAttr, builder.getArrayAttr(all));
  }
  llvm::DenseMap<Value, Value> steps;
  for (Operation &op : llvm::make_early_inc_range(*block)) {
    if (!idOf(&op))
      continue;
    MutableOperandRange step =
        llvm::TypeSwitch<Operation *, MutableOperandRange>(&op)
            .Case([](nn::DropoutOp draws) {
              return MutableOperandRange(draws.getStepMutable());
            })
            .Case<nn::AttentionOp, nn::AttentionGradOp, nn::MaskedSoftmaxOp,
                  nn::MaskedSoftmaxGradOp>(
                [](auto draws) { return draws.getStepMutable(); });
    Value &sum = steps[step[0].get()];
    if (!sum) {
      builder.setInsertionPointAfterValue(step[0].get());
      auto made = nn::SumOp::create(builder, op.getLoc(), type,
                                    ValueRange{step[0].get(), key});
      if (whole)
        dist::setShardings(made, whole);
      sum = made;
    }
    step.assign(sum);
  }
}

void PipeShareBodiesPass::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  llvm::MapVector<size_t, SmallVector<Shared, 1>> byHash;
  for (auto body : module.getOps<BodyOp>()) {
    Candidate candidate = candidateOf(body);
    auto &known = byHash[hashOf(body)];
    auto *found = llvm::find_if(known, [&](const Shared &shared) {
      return areEqual(shared.kept, candidate);
    });
    if (found == known.end())
      found = known.insert(known.end(), Shared{candidate, {}});
    found->keys[FlatSymbolRefAttr::get(body.getSymNameAttr())] =
        candidate.firstId - found->kept.firstId;
  }
  Builder builder(&getContext());
  llvm::DenseMap<Attribute, std::pair<FlatSymbolRefAttr, Attribute>> calls;
  for (auto &[hash, list] : byHash)
    for (Shared &shared : list) {
      auto kept = FlatSymbolRefAttr::get(shared.kept.body.getSymNameAttr());
      bool hasKey = llvm::any_of(
          shared.keys, [](const auto &entry) { return entry.second != 0; });
      if (hasKey)
        addKey(shared.kept.body);
      for (auto [name, key] : shared.keys) {
        calls[name] = {kept, hasKey ? builder.getI64IntegerAttr(key << 32)
                                    : Attribute()};
        if (name != kept)
          symbols.erase(
              symbols.lookup(cast<FlatSymbolRefAttr>(name).getValue()));
      }
    }
  for (auto task : module.getOps<TaskOp>()) {
    auto [body, key] = calls.lookup(task.getBodyAttr());
    task.setBodyAttr(body);
    if (!key)
      continue;
    SmallVector<Attribute> sources(task.getSources().getValue());
    sources.push_back(key);
    task.setSourcesAttr(builder.getArrayAttr(sources));
  }
}
