//===- Fill.cpp - Deterministic inputs for tests --------------------------===//

#include "interpreter/Fill.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/Random.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

StringRef pcc::interp::argumentRole(func::FuncOp function, unsigned index) {
  auto role = function.getArgAttrOfType<StringAttr>(index, nn::kRoleAttr);
  return role ? role.getValue() : StringRef();
}

std::string pcc::interp::argumentName(func::FuncOp function, unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, nn::kNameAttr))
    return name.str();
  StringRef role = argumentRole(function, index);
  return role.empty() ? "arg" + std::to_string(index) : role.str();
}

namespace {

/// A stream of random words per name, by element.
struct Draw {
  uint32_t key;

  Draw(uint64_t seed, StringRef name)
      : key(nn::randomKey(seed, 0, llvm::xxh3_64bits(name))) {}
  /// Uniform in (0, 1).
  double uniform(int64_t i, uint32_t stream = 0) const {
    uint32_t bits = nn::randomAdd(nn::randomAdd(key, i), stream);
    return (bits + 0.5) / 4294967296.0;
  }
  /// By Box and Muller.
  double normal(int64_t i) const {
    return std::sqrt(-2 * std::log(uniform(i, 0))) *
           std::cos(2 * M_PI * uniform(i, 1));
  }
};

/// The rows of an embedding's table, also of one that is a rank's part.
int64_t rowsOf(Value table) {
  RankedTensorType type = nn::tensorType(table);
  if (auto read = table.getDefiningOp<nn::ReadOp>()) {
    Operation *param =
        SymbolTable::lookupNearestSymbolFrom(read, read.getSymbolAttr());
    if (auto global = param->getAttrOfType<TypeAttr>(dist::kGlobalAttr))
      type = cast<RankedTensorType>(global.getValue());
  }
  return type.getDimSize(0);
}

} // namespace

int64_t pcc::interp::vocabularyOf(Value ids) {
  for (OpOperand &use : ids.getUses()) {
    Operation *op = use.getOwner();
    int64_t size = 0;
    if (auto embedding = dyn_cast<nn::EmbeddingOp>(op)) {
      if (embedding.getIds() == ids)
        size = rowsOf(embedding.getTable());
    } else if (auto loss = dyn_cast<nn::CrossEntropyOp>(op)) {
      size = loss.getClasses();
    } else if (auto stats = dyn_cast<nn::CrossEntropyStatsOp>(op)) {
      size = stats.getClasses();
    } else if (isa<nn::ReshapeOp, nn::SliceOp, nn::CastOp, dist::ShardSliceOp,
                   dist::AllGatherOp>(op)) {
      size = vocabularyOf(op->getResult(0));
    }
    if (size)
      return size;
  }
  return 0;
}

FailureOr<Tensor> Fill::argument(func::FuncOp function, unsigned index,
                                 RankedTensorType type) const {
  StringRef role = argumentRole(function, index);
  std::string name = argumentName(function, index);
  Draw draw(seed, name);
  Tensor value(type);
  if (role == "tokens" || role == "targets") {
    int64_t bound = vocab ? vocab : vocabularyOf(function.getArgument(index));
    if (!bound)
      return function.emitError()
             << "cannot tell the vocabulary of '" << name << "'; give --vocab";
    for (int64_t i = 0; i < value.size(); ++i) {
      bool ignored = role == "targets" && draw.uniform(i, 1) < 0.125;
      value.integer[i] = ignored ? -100 : int64_t(draw.uniform(i) * bound);
    }
  } else if (role == "positions" || role == "samples") {
    std::iota(value.integer.begin(), value.integer.end(), 0);
  } else if (role == "seed" || role == "step") {
    value.integer[0] = role == "seed" ? seed : 1;
  } else if (!role.empty() && role != "data") {
    double usual = llvm::StringSwitch<double>(role)
                       .Case("lr", 1e-3)
                       .Case("weight_decay", 0.1)
                       .Case("beta1", 0.9)
                       .Case("beta2", 0.95)
                       .Case("eps", 1e-8)
                       .Case("clip_grad", 1.0)
                       .Default(NAN);
    if (std::isnan(usual))
      return function.emitError() << "argument '" << name
                                  << "' has the unknown role '" << role << "'";
    value.real[0] = usual;
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
