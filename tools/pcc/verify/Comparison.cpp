//===- Comparison.cpp - Compares runs of three programs -------------------===//

#include "tools/pcc/verify/Comparison.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <cmath>
#include <functional>

using namespace pcc;

/// A difference that is this many times the rounding counts as equal.
static constexpr double kRoundings = 10;
/// A tensor is compared as if its norm were at least this part of its layer's:
/// the gradient of a key's bias is zero but for rounding.
static constexpr double kLeastOfLayer = 1e-3;

Bounds pcc::boundsOf(llvm::StringRef precision, llvm::StringRef state) {
  double flip = state == "bf16" ? 0x1p-7 : 0;
  // f32: PyTorch itself moves by 2e-7 when its microbatch changes, over four
  // layers. Norms are sums of squares.
  if (precision == "f32")
    return {2e-6, 2e-5, 1e-5, 1e-3, flip};
  return {2e-3, 1e-2, 3e-2, 1e-1, flip};
}

/// Returns what random rounding adds to the relative difference d of a tensor.
/// Two values that differ by d_i are rounded with the same bits, so they are
/// rounded apart with probability |d_i| / u_i, by one unit u_i, which is at
/// most `flip` times the value m_i. The expected square of the difference is
/// then at most
///
///     sum of u_i |d_i| <= flip * sum of |m_i| |d_i| <= flip * |m| * |d|.
///
/// In a tensor of few elements the square of a single flip is more than that.
/// `peak`: the largest |m_i|, relative to |m|.
static double flipsOf(double flip, double d, double peak) {
  return std::sqrt(flip * d + flip * flip * peak * peak);
}

double Difference::excess() const {
  double times = difference / bound;
  return std::isnan(times) ? HUGE_VAL : times;
}

std::string pcc::layerOf(llvm::StringRef parameter) {
  size_t digit = parameter.find_first_of("0123456789");
  if (digit != parameter.npos) {
    size_t end = parameter.find_first_not_of("0123456789", digit);
    return parameter.take_front(end).str();
  }
  return parameter.take_front(parameter.find_last_of("./")).str();
}

/// Returns the difference relative to a size; no difference is none of any
/// size.
static double relative(double difference, double size) {
  return difference == 0 ? 0 : difference / size;
}

static void setBound(Difference &difference, double least) {
  double rounding = difference.rounding;
  difference.bound = std::max(least, kRoundings * rounding);
  // An infinite or invalid rounding tells nothing.
  if (!std::isfinite(difference.bound))
    difference.bound = least;
}

/// Sets the worst of the tensors.
static void setWorst(Quantity &quantity) {
  auto worst = llvm::max_element(quantity.tensors,
                                 [](const Difference &a, const Difference &b) {
                                   return a.excess() < b.excess();
                                 });
  if (worst != quantity.tensors.end())
    quantity.worst = *worst;
}

//===----------------------------------------------------------------------===//
// Numbers of steps
//===----------------------------------------------------------------------===//

using Number = double LoggedStep::*;

/// Compares a number of each step.
static Quantity compareSteps(llvm::StringRef name, Number number,
                             const TrainedRun &plan,
                             const TrainedRun &reference,
                             const TrainedRun &other, double least) {
  Quantity quantity;
  quantity.name = name.str();
  double rounding = 0;
  auto gap = [&](const TrainedRun &run, size_t i) {
    if (i >= run.steps.size())
      return double(HUGE_VAL); // the run ended early
    double a = run.steps[i].*number, b = reference.steps[i].*number;
    return std::isnan(a) && std::isnan(b)
               ? 0
               : relative(std::abs(a - b), std::abs(b));
  };
  for (size_t i = 0; i < reference.steps.size(); ++i)
    rounding = std::max(rounding, gap(other, i));
  for (size_t i = 0; i < reference.steps.size(); ++i) {
    Difference difference;
    difference.of = "step " + std::to_string(i + 1);
    difference.difference = gap(plan, i);
    difference.rounding = rounding;
    setBound(difference, least);
    if (i == 0 || difference.excess() > quantity.worst.excess())
      quantity.worst = difference;
  }
  return quantity;
}

/// Compares loss scales and skipped steps, which must be equal.
static Quantity compareScales(const TrainedRun &plan,
                              const TrainedRun &reference) {
  Quantity quantity;
  quantity.name = "loss scales";
  for (size_t i = 0; i < reference.steps.size(); ++i) {
    bool isSame = i < plan.steps.size() &&
                  plan.steps[i].lossScale == reference.steps[i].lossScale &&
                  plan.steps[i].isSkipped == reference.steps[i].isSkipped;
    if (quantity.worst.of.empty() || !isSame)
      quantity.worst = {"step " + std::to_string(i + 1), isSame ? 0.0 : 1.0, 0,
                        0};
    if (!isSame)
      break;
  }
  return quantity;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// The L2 norms of a compared tensor: of the reference's values, of the plan's,
/// and of the differences of plan and other run.
struct Norms {
  double reference = 0, plan = 0, difference = 0, rounding = 0;
  double peak = 0; ///< the largest of the reference's values
};

/// Three tensors, and the one that is subtracted from each; it may be empty.
struct Compared {
  SavedTensor plan, reference, other, initial;
};
} // namespace

/// Visits the elements that tensors of two shapes share: paddings may differ.
static void forEachCommon(const std::vector<int64_t> &a,
                          const std::vector<int64_t> &b,
                          const std::function<void(size_t, size_t)> &visit) {
  size_t rank = a.size();
  std::vector<int64_t> at(rank, 0);
  for (size_t dim = 0; dim < rank; ++dim)
    if (std::min(a[dim], b[dim]) == 0)
      return;
  while (true) {
    size_t inA = 0, inB = 0;
    for (size_t dim = 0; dim < rank; ++dim) {
      inA = inA * a[dim] + at[dim];
      inB = inB * b[dim] + at[dim];
    }
    visit(inA, inB);
    size_t dim = rank;
    while (dim > 0 && ++at[dim - 1] == std::min(a[dim - 1], b[dim - 1]))
      at[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Returns the norm of the difference of two tensors, elements of which are
/// first converted; infinite if a tensor is missing or their ranks differ.
static double distance(const SavedTensor &a, const SavedTensor &b,
                       double factorA, double factorB, bool isSquare) {
  auto value = [&](float element, double factor) {
    return factor * (isSquare ? std::sqrt(double(element)) : double(element));
  };
  if (a.values.empty() != b.values.empty() || a.shape.size() != b.shape.size())
    return HUGE_VAL;
  double sum = 0;
  auto add = [&](size_t inA, size_t inB) {
    double gap = value(a.values[inA], factorA) - value(b.values[inB], factorB);
    sum += gap * gap;
  };
  if (a.shape == b.shape)
    for (size_t i = 0; i < a.values.size(); ++i)
      add(i, i);
  else
    forEachCommon(a.shape, b.shape, add);
  return std::sqrt(sum);
}

static double normOf(const SavedTensor &tensor, double factor, bool isSquare) {
  double sum = 0;
  for (float element : tensor.values)
    sum += isSquare ? element : double(element) * element;
  return factor * std::sqrt(sum);
}

/// Turns norms of tensors into relative differences.
/// `flip` and `noise`: as flipsOf() takes them.
static Quantity judge(llvm::StringRef name,
                      const std::map<std::string, Norms> &norms, double least,
                      double flip = 0, double noise = 0) {
  Quantity quantity;
  quantity.name = name.str();
  llvm::StringMap<double> layers;
  for (auto &[tensor, norm] : norms)
    layers[layerOf(tensor)] += norm.reference * norm.reference;
  for (auto &[tensor, norm] : norms) {
    double size = std::max(norm.reference,
                           kLeastOfLayer * std::sqrt(layers[layerOf(tensor)]));
    Difference difference{tensor, relative(norm.difference, size),
                          relative(norm.rounding, size), 0};
    double flips = flipsOf(flip, noise, relative(norm.peak, size));
    setBound(difference, least + flips);
    quantity.tensors.push_back(difference);
  }
  setWorst(quantity);
  return quantity;
}

static double peakOf(const SavedTensor &tensor, double factor, bool isSquare) {
  double peak = 0;
  for (float element : tensor.values)
    peak = std::max(peak, std::abs(double(element)));
  return factor * (isSquare ? std::sqrt(peak) : peak);
}

/// Compares the moments of one kind after the first update, as gradients:
/// undoes the decay, the square and, by the norm that the run itself logged,
/// the clipping. So a wrong norm shows as a norm, not in all tensors.
static Quantity
compareMoments(llvm::StringRef name, llvm::StringRef prefix, double weight,
               bool isSquare, const TrainedRun &plan,
               const TrainedRun &reference, const TrainedRun &other,
               const Hyperparameters &chosen, const Bounds &bounds) {
  auto factor = [&](const TrainedRun &run) {
    size_t step = chosen.firstUpdate - 1;
    if (step >= run.steps.size())
      return std::nan("");
    double clip = std::min(1.0, chosen.clip / (run.steps[step].norm + 1e-6));
    return 1 / (isSquare ? std::sqrt(weight) : weight) / clip;
  };
  double ofPlan = factor(plan), ofReference = factor(reference),
         ofOther = factor(other);
  std::set<std::string> names = reference.first.states(prefix);
  names.merge(plan.first.states(prefix));
  std::map<std::string, Norms> norms;
  for (const std::string &tensor : names) {
    SavedTensor wanted = reference.first.state(prefix, tensor);
    Norms &norm = norms[tensor];
    norm.reference = normOf(wanted, ofReference, isSquare);
    norm.peak = peakOf(wanted, ofReference, isSquare);
    norm.difference = distance(plan.first.state(prefix, tensor), wanted, ofPlan,
                               ofReference, isSquare);
    norm.rounding = distance(other.first.state(prefix, tensor), wanted, ofOther,
                             ofReference, isSquare);
  }
  return judge(name, norms, bounds.gradients, bounds.flip, bounds.gradients);
}

/// The largest change of an element; paddings are equal.
static double largestChange(const SavedTensor &now, const SavedTensor &before) {
  double largest = 0;
  size_t count = std::min(now.values.size(), before.values.size());
  for (size_t i = 0; i < count; ++i)
    largest = std::max(
        largest, std::abs(double(now.values[i]) - double(before.values[i])));
  return largest;
}

/// The norms of the changes of parameters since the start.
static std::map<std::string, Norms> changesOf(const SavedTensors &plan,
                                              const SavedTensors &reference,
                                              const SavedTensors &other,
                                              const SavedTensors &initial) {
  std::set<std::string> names = reference.parameters();
  names.insert(plan.parameters().begin(), plan.parameters().end());
  std::map<std::string, Norms> norms;
  for (const std::string &tensor : names) {
    SavedTensor wanted = reference.parameter(tensor);
    SavedTensor before = initial.parameter(tensor);
    SavedTensor found = plan.parameter(tensor);
    Norms &norm = norms[tensor];
    norm.reference = distance(wanted, before, 1, 1, false);
    norm.plan = distance(found, before, 1, 1, false);
    norm.peak = largestChange(wanted, before);
    norm.difference = distance(found, wanted, 1, 1, false);
    norm.rounding = distance(other.parameter(tensor), wanted, 1, 1, false);
  }
  return norms;
}

/// Compares the rates: as logged, and as the sizes of the first changes tell.
/// The median over the parameters: a wrong change of a few is no wrong rate.
static Quantity compareRates(const TrainedRun &plan,
                             const TrainedRun &reference,
                             const TrainedRun &other,
                             const std::map<std::string, Norms> &changes,
                             double least) {
  Quantity quantity =
      compareSteps("rates", &LoggedStep::rate, plan, reference, other, least);
  std::vector<double> ratios;
  for (auto &[tensor, norm] : changes)
    if (norm.reference > 0 && std::isfinite(norm.plan))
      ratios.push_back(norm.plan / norm.reference);
  if (ratios.empty() || quantity.fails())
    return quantity;
  auto middle = ratios.begin() + ratios.size() / 2;
  std::nth_element(ratios.begin(), middle, ratios.end());
  Difference measured;
  measured.of = "of the first update";
  measured.difference = std::abs(*middle - 1);
  setBound(measured, least);
  if (measured.excess() >= quantity.worst.excess())
    quantity.worst = measured;
  return quantity;
}

std::vector<Quantity>
pcc::compareRuns(const TrainedRun &plan, const TrainedRun &reference,
                 const TrainedRun &other, const SavedTensors &initial,
                 const Hyperparameters &chosen, const Bounds &bounds) {
  std::vector<Quantity> all;
  auto steps = [&](llvm::StringRef name, Number number, double least) {
    all.push_back(compareSteps(name, number, plan, reference, other, least));
  };
  steps("losses", &LoggedStep::loss, bounds.losses);
  steps("norms", &LoggedStep::norm, bounds.norms);
  auto first = changesOf(plan.first, reference.first, other.first, initial);
  all.push_back(compareRates(plan, reference, other, first, bounds.updates));
  if (!reference.steps.empty() && !std::isnan(reference.steps[0].lossScale))
    all.push_back(compareScales(plan, reference));
  auto moments = [&](llvm::StringRef name, llvm::StringRef prefix, double beta,
                     bool isSquare) {
    if (reference.first.hasState(prefix))
      all.push_back(compareMoments(name, prefix, 1 - beta, isSquare, plan,
                                   reference, other, chosen, bounds));
  };
  moments("first gradients", "exp_avg", Hyperparameters::kBeta1, false);
  moments("second moments", "exp_avg_sq", Hyperparameters::kBeta2, true);
  all.push_back(judge("first updates", first, bounds.updates));
  if (chosen.steps > chosen.firstUpdate)
    // A step is a quotient of two moments: it changes by at most the sum of
    // their flips.
    all.push_back(judge(
        "parameters", changesOf(plan.last, reference.last, other.last, initial),
        bounds.updates, 2 * bounds.flip, bounds.gradients));
  return all;
}
