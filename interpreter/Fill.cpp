//===- Fill.cpp - Deterministic inputs for tests --------------------------===//

#include "interpreter/Fill.h"
#include "analysis/IdBound.h"
#include "dialects/Dist/Layout.h"
#include "dialects/NN/Random.h"
#include "runtime/Program.h"
#include "runtime/support/HeadTail.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// Random numbers by name and element.
struct Draw {
  uint32_t key;

  Draw(uint64_t seed, StringRef name)
      : key(nn::randomKey(seed, 0, llvm::xxh3_64bits(name))) {}
  /// Uniform in (0, 1).
  double uniform(int64_t i, uint32_t stream = 0) const {
    uint32_t bits = nn::randomAdd(nn::randomAdd(key, i), stream);
    return (bits + 0.5) / 4294967296.0;
  }
  /// Normal(0, 1), by the Box-Muller transform.
  double normal(int64_t i) const {
    return std::sqrt(-2 * std::log(uniform(i, 0))) *
           std::cos(2 * M_PI * uniform(i, 1));
  }
};

/// Returns the rows of an embedding's table. If the table is sharded, its
/// offset op tells the axes.
int64_t rowsOf(nn::EmbeddingOp op) {
  int64_t rows = nn::tensorType(op.getTable()).getDimSize(0);
  Value offset = op.getOffset();
  auto start = offset ? offset.getDefiningOp<dist::OffsetOp>() : nullptr;
  if (!start)
    return rows;
  dist::Mesh mesh(dist::findMesh(op));
  for (auto name : start.getAxes().getAsRange<StringAttr>())
    rows *= mesh.extent(*mesh.find(name));
  return rows;
}

/// Returns the vocabulary size of the op that looks up a value's ids, possibly
/// through ops that only move them; 0 if there is none.
int64_t vocabularyOf(Value ids) {
  for (OpOperand &use : ids.getUses()) {
    Operation *op = use.getOwner();
    int64_t size = 0;
    if (auto embedding = dyn_cast<nn::EmbeddingOp>(op)) {
      if (embedding.getIds() == ids)
        size = rowsOf(embedding);
    } else if (auto loss = dyn_cast<nn::CrossEntropyOp>(op)) {
      size = loss.getClasses();
    } else if (auto stats = dyn_cast<nn::CrossEntropyStatsOp>(op)) {
      size = stats.getClasses();
    } else if (nn::movesElements(op) || nn::reshards(op) ||
               isa<nn::CastOp>(op)) {
      size = vocabularyOf(op->getResult(0));
    }
    if (size)
      return size;
  }
  return 0;
}

/// Takes the bound of an input's ids from its attribute; returns false if there
/// is none.
bool setBound(InputInfo &info, Attribute attribute) {
  auto ids = nn::IdBound::from(attribute);
  if (!ids)
    return false;
  info.vocab = ids->below;
  info.lookedUpBy = ids->node.str();
  info.isOfLoss = ids->isOfLoss;
  return true;
}

/// Whether an input holds token ids; positions are looked up in tables, too,
/// but are not tokens.
bool isToken(std::optional<nn::InputRole> role, RankedTensorType type) {
  return role && nn::isSequence(*role) &&
         !isa<FloatType>(type.getElementType());
}

/// Returns a usual value for a hyperparameter; nothing for other inputs.
std::optional<double> usualHyperparameter(nn::InputRole role) {
  switch (role) {
  case nn::InputRole::LearningRate:
    return 1e-3;
  case nn::InputRole::WeightDecay:
    return 0.1;
  case nn::InputRole::Beta1:
    return 0.9;
  case nn::InputRole::Beta2:
    return 0.95;
  case nn::InputRole::Epsilon:
    return 1e-8;
  case nn::InputRole::ClipGrad:
    return 1.0;
  case nn::InputRole::LossScaleWindow:
    return PCC_LOSS_SCALE_WINDOW;
  default:
    return std::nullopt;
  }
}

} // namespace

std::string InputInfo::roleName() const {
  return role ? nn::stringifyInputRole(*role).str() : std::string();
}

InputInfo pcc::interp::argumentInfo(func::FuncOp function, unsigned index,
                                    RankedTensorType type) {
  InputInfo info = {nn::roleOf(function, index),
                    nn::inputName(function, index).str(), type, false};
  if (info.name.empty())
    info.name = info.role ? info.roleName() : "arg" + std::to_string(index);
  info.isPerMicrobatch = info.role && nn::hasBatchDim(*info.role);
  info.dims = nn::dimsOf(function, index);
  info.order =
      function.getArgAttrOfType<nn::HeadTailAttr>(index, nn::kOrderAttr);
  if (!setBound(info, function.getArgAttr(index, nn::kIdsAttr)) &&
      isToken(info.role, type))
    info.vocab = vocabularyOf(function.getArgument(index));
  return info;
}

InputInfo pcc::interp::inputInfo(pipe::InputOp input, RankedTensorType type) {
  InputInfo info = {input.getRole(),
                    input.getName().str(),
                    type,
                    input.isPerMicrobatch(),
                    nn::dimsOf(input.getRole(), type.getRank(),
                               input->getAttr(nn::kDimsAttr)),
                    input->getAttrOfType<nn::HeadTailAttr>(nn::kOrderAttr)};
  if (setBound(info, input->getAttr(nn::kIdsAttr)) || !isToken(info.role, type))
    return info;
  auto module = input->getParentOfType<ModuleOp>();
  for (auto task : module.getOps<pipe::TaskOp>()) {
    auto body = module.lookupSymbol<pipe::BodyOp>(task.getBody());
    for (auto [i, argument] : llvm::enumerate(body.getBlock()->getArguments()))
      if (task.getSource(i) == input.getSymName())
        info.vocab = std::max(info.vocab, vocabularyOf(argument));
  }
  return info;
}

void pcc::interp::reorder(Tensor &value, nn::HeadTailAttr order) {
  if (!order)
    return;
  for (int64_t dim : order.getDims().asArrayRef()) {
    Tensor from = value;
    int64_t length = value.dim(dim), below = 1;
    for (int64_t extent : value.shape().drop_front(dim + 1))
      below *= extent;
    for (int64_t i = 0; i < value.size(); ++i) {
      int64_t place = i / below % length;
      int64_t position = headTailPosition(place, length, order.getRanks());
      int64_t source = i + (position - place) * below;
      if (value.isFloat())
        value.real[i] = from.real[source];
      else
        value.integer[i] = from.integer[source];
    }
  }
}

llvm::Expected<Tensor> Fill::input(const InputInfo &info,
                                   int64_t microbatch) const {
  std::optional<nn::InputRole> role = info.role;
  // The first microbatch, the only one of most runs, has no suffix.
  Draw draw(seed, microbatch ? info.name + "#" + std::to_string(microbatch)
                             : info.name);
  Tensor value(info.type);
  if (isToken(role, info.type)) {
    int64_t bound = vocab ? vocab : info.vocab;
    if (!bound)
      return llvm::createStringError("cannot tell the vocabulary of '" +
                                     info.name + "'; give --vocab");
    for (int64_t i = 0; i < value.size(); ++i) {
      bool ignored =
          role != nn::InputRole::Tokens && draw.uniform(i, 1) < 0.125;
      value.integer[i] = ignored ? -100 : int64_t(draw.uniform(i) * bound);
    }
  } else if (role == nn::InputRole::Positions) {
    std::iota(value.integer.begin(), value.integer.end(), 0);
  } else if (role == nn::InputRole::DocumentStarts) {
    int64_t length = info.type.getShape().back(), start = 0;
    for (int64_t i = 0; i < value.size(); ++i) {
      if (i % length == 0)
        start = 0;
      else if (draw.uniform(i) < 0.125)
        start = i % length;
      value.integer[i] = start;
    }
  } else if (role == nn::InputRole::Samples) {
    std::iota(value.integer.begin(), value.integer.end(),
              microbatch * value.size());
  } else if (role == nn::InputRole::Seed) {
    value.integer[0] = seed;
  } else if (role == nn::InputRole::Step) {
    value.integer[0] = 1;
  } else if (auto usual = role ? usualHyperparameter(*role) : std::nullopt) {
    value.set(0, *usual);
  } else {
    for (int64_t i = 0; i < value.size(); ++i)
      value.set(i, value.isFloat() ? draw.normal(i) : draw.uniform(i) * 8);
  }
  return value;
}

Tensor Fill::parameter(StringRef name, nn::Init init,
                       RankedTensorType type) const {
  Draw draw(seed, name);
  double center = init == nn::Init::One ? 1 : 0;
  double spread = init == nn::Init::One || init == nn::Init::Zero ? 0.1 : 0.3;
  Tensor value(type);
  for (int64_t i = 0; i < value.size(); ++i)
    value.set(i, center + spread * draw.normal(i));
  return value;
}
