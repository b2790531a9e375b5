//===- GradientCheck.cpp - Derivatives against differences ----------------===//

#include "interpreter/GradientCheck.h"
#include "dialects/NN/Random.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

struct Checked {
  nn::ParamOp param;
  TensorRef gradient;
  double scale = 0;
};

double largest(const Tensor &tensor) {
  double most = 0;
  for (double value : tensor.real)
    most = std::max(most, std::abs(value));
  return most;
}

/// The elements tried: the one of the largest gradient and random others.
SmallVector<int64_t> chooseElements(const Tensor &gradient, uint64_t seed,
                                    uint64_t param, int64_t count) {
  auto greater = [](double a, double b) { return std::abs(a) < std::abs(b); };
  auto most =
      std::max_element(gradient.real.begin(), gradient.real.end(), greater);
  SmallVector<int64_t> chosen = {most - gradient.real.begin()};
  uint32_t key = nn::randomKey(seed, 0, param);
  for (int64_t i = 1; i < std::min(count, gradient.size()); ++i)
    chosen.push_back(nn::randomAdd(key, i) % gradient.size());
  return chosen;
}

} // namespace

LogicalResult pcc::interp::checkGradients(
    Machine &machine, const GradientCheckOptions &options, uint64_t seed,
    llvm::function_ref<FailureOr<ValueList>(func::FuncOp)> makeArguments,
    llvm::raw_ostream &os) {
  ModuleOp module = machine.getModule();
  auto loss = module.lookupSymbol<func::FuncOp>(options.loss);
  auto gradient = module.lookupSymbol<func::FuncOp>(options.gradient);
  if (!loss || !gradient)
    return module.emitError()
           << "has no function @" << (loss ? options.gradient : options.loss)
           << " to check gradients of";
  FailureOr<ValueList> lossArgs = makeArguments(loss);
  FailureOr<ValueList> gradientArgs = makeArguments(gradient);
  if (failed(lossArgs) || failed(gradientArgs))
    return failure();

  auto evaluate = [&]() -> FailureOr<double> {
    auto results = machine.call(loss, *lossArgs);
    if (failed(results))
      return failure();
    const ValueList &values = results->front();
    if (values.empty() || !values[0]->isFloat() || values[0]->size() != 1)
      return loss.emitError("must return the loss, a float, first");
    return values[0]->real[0];
  };
  FailureOr<double> value = evaluate();
  if (failed(value) || failed(machine.call(gradient, *gradientArgs)))
    return failure();
  os << llvm::format("loss %.12g\n", *value);
  if (TensorRef sum = machine.getSymbol(0, "loss_sum"))
    if (!(std::abs(sum->real[0] - *value) <= 1e-12 * std::abs(*value)))
      return gradient.emitError()
             << llvm::formatv("accumulates a loss of {0:e12}, @{1} gives "
                              "{2:e12}",
                              sum->real[0], options.loss, *value)
                    .str();

  SmallVector<Checked> all;
  double greatest = 0;
  for (auto param : module.getOps<nn::ParamOp>()) {
    TensorRef found =
        machine.getSymbol(0, ("grad." + param.getSymName()).str());
    if (!found) {
      if (param.getFrozen())
        continue;
      return param.emitError("has no gradient, and is not frozen");
    }
    all.push_back({param, found, largest(*found)});
    greatest = std::max(greatest, all.back().scale);
  }
  if (all.empty())
    return module.emitError("has no gradients to check");

  bool good = true;
  for (auto [number, checked] : llvm::enumerate(all)) {
    StringRef name = checked.param.getSymName();
    double scale = std::max(checked.scale, 1e-3 * greatest);
    double worst = -1, worstFound = 0, worstWanted = 0;
    int64_t worstAt = 0;
    TensorRef original = machine.getSymbol(0, name);
    for (int64_t i :
         chooseElements(*checked.gradient, seed, number, options.samples)) {
      // Error of the differences: h^4 of the fifth derivative against
      // rounding of the loss over h; both are about 1e-12 here.
      const double h = 1e-3;
      double difference = 0;
      for (auto [steps, weight] : {std::pair(-2, 1.0), std::pair(-1, -8.0),
                                   std::pair(1, 8.0), std::pair(2, -1.0)}) {
        Tensor moved = *original;
        moved.real[i] += steps * h;
        machine.setSymbol(0, name, std::make_shared<Tensor>(moved));
        FailureOr<double> at = evaluate();
        if (failed(at))
          return failure();
        difference += weight * *at / (12 * h);
      }
      double error = std::abs(difference - checked.gradient->real[i]) / scale;
      if (!(error <= worst)) {
        worst = error;
        worstAt = i;
        worstFound = checked.gradient->real[i];
        worstWanted = difference;
      }
    }
    machine.setSymbol(0, name, original);
    bool close = worst <= options.tolerance;
    good &= close;
    os << (close ? "ok   " : "WRONG") << " @" << name
       << llvm::format(": scale %.3g, worst relative error %.1e at element "
                       "%lld: %.9g, differences give %.9g\n",
                       checked.scale, worst, static_cast<long long>(worstAt),
                       worstFound, worstWanted);
  }
  if (greatest == 0)
    return module.emitError("every gradient is zero: nothing was checked");
  return success(good);
}
