//===- GradientCheck.cpp - Gradient check by finite differences -----------===//

#include "interpreter/GradientCheck.h"
#include "dialects/NN/Names.h"
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

/// Returns the elements to check: the one with the largest gradient, and random
/// others.
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
    Machine &lossMachine, ArrayRef<TensorRef> lossArgs,
    Machine &gradientMachine, ArrayRef<TensorRef> gradientArgs,
    const GradientCheckOptions &options, uint64_t seed, llvm::raw_ostream &os) {
  func::FuncOp loss = options.loss, gradient = options.gradient;
  auto evaluate = [&]() -> FailureOr<double> {
    FailureOr<ValueList> results = lossMachine.call(loss, lossArgs);
    if (failed(results))
      return failure();
    if (results->empty() || !results->front()->isFloat() ||
        results->front()->size() != 1)
      return loss.emitError("must return the loss, a float, first");
    return results->front()->real[0];
  };
  FailureOr<double> value = evaluate();
  if (failed(value) || failed(gradientMachine.call(gradient, gradientArgs)))
    return failure();
  os << llvm::format("loss %.12g\n", *value);
  FailureOr<TensorRef> sum = gradientMachine.readSymbol(nn::kLossSum);
  if (failed(sum))
    return failure();
  if (*sum && !(std::abs((*sum)->real[0] - *value) <= 1e-12 * std::abs(*value)))
    return gradient.emitError()
           << llvm::formatv("accumulates a loss of {0:e12}, @{1} gives {2:e12}",
                            (*sum)->real[0], loss.getSymName(), *value)
                  .str();

  FailureOr<TensorRef> scaled = gradientMachine.readSymbol(nn::kLossScale);
  if (failed(scaled))
    return failure();
  double lossScale = *scaled ? (*scaled)->real[0] : 1;

  SmallVector<Checked> all;
  double greatest = 0;
  for (auto param : lossMachine.getModule().getOps<nn::ParamOp>()) {
    FailureOr<TensorRef> found =
        gradientMachine.readSymbol(("grad." + param.getSymName()).str());
    if (failed(found))
      return failure();
    if (!*found) {
      if (param.getFrozen())
        continue;
      return param.emitError() << "@" << param.getSymName()
                               << " has no gradient, and is not frozen";
    }
    if ((*found)->shape() != param.getTensorType().getShape())
      return param.emitError() << "@" << param.getSymName()
                               << " has a gradient of type " << (*found)->type;
    Tensor unscaled = **found;
    for (double &value : unscaled.real)
      value /= lossScale;
    all.push_back(
        {param, std::make_shared<Tensor>(unscaled), largest(unscaled)});
    greatest = std::max(greatest, all.back().scale);
  }
  if (greatest == 0)
    return gradient.emitError("computes only gradients that are zero");

  bool good = true;
  for (auto [number, checked] : llvm::enumerate(all)) {
    StringRef name = checked.param.getSymName();
    double scale = std::max(checked.scale, 1e-3 * greatest);
    double worst = -1, worstFound = 0, worstWanted = 0;
    int64_t worstAt = 0;
    Tensor original = **lossMachine.readSymbol(name);
    for (int64_t i :
         chooseElements(*checked.gradient, seed, number, options.samples)) {
      // The error of a difference is h^4 times the fifth derivative, plus the
      // rounding error of the loss divided by h; both are about 1e-12 at the
      // first h. The smaller steps are for functions that are not smooth at
      // that scale, such as the norm of a row of small values.
      double difference = 0, error = 0;
      for (double h : {1e-3, 1e-4, 1e-5}) {
        difference = 0;
        for (auto [steps, weight] : {std::pair(-2, 1.0), std::pair(-1, -8.0),
                                     std::pair(1, 8.0), std::pair(2, -1.0)}) {
          Tensor moved = original;
          moved.real[i] += steps * h;
          lossMachine.writeSymbol(name, moved);
          FailureOr<double> at = evaluate();
          if (failed(at))
            return failure();
          difference += weight * *at / (12 * h);
        }
        error = std::abs(difference - checked.gradient->real[i]) / scale;
        if (error <= options.tolerance)
          break;
      }
      if (!(error <= worst)) {
        worst = error;
        worstAt = i;
        worstFound = checked.gradient->real[i];
        worstWanted = difference;
      }
    }
    lossMachine.writeSymbol(name, original);
    bool close = worst <= options.tolerance;
    good &= close;
    os << (close ? "ok   " : "WRONG") << " @" << name
       << llvm::format(": scale %.3g, worst relative error %.1e at element "
                       "%lld: %.9g, differences give %.9g\n",
                       checked.scale, worst, static_cast<long long>(worstAt),
                       worstFound, worstWanted);
  }
  return success(good);
}
