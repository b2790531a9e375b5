//===- Report.cpp - What pcc verify prints --------------------------------===//

#include "tools/pcc/verify/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <map>

using namespace pcc;

static constexpr size_t kMostShown = 10;

bool Outcome::isOk() const {
  return llvm::none_of(quantities, [](const Quantity &q) { return q.fails(); });
}

std::string pcc::planText(const Facts &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << plan.ranks() << (plan.ranks() == 1 ? " rank" : " ranks") << " = tp "
     << plan.tp;
  if (plan.cp > 1)
    os << " x cp " << plan.cp;
  os << " x dp " << plan.dp << " x pp " << plan.pp;
  if (plan.dp * plan.cp > 1)
    os << ", zero " << plan.zero;
  os << ", " << plan.precision;
  if (plan.optimizerState != "f32")
    os << ", " << plan.optimizerState << " moments";
  return text;
}

/// "1.2e-07"; equal values have no difference.
static std::string numberText(double value) {
  if (value == 0)
    return "0";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1e", value);
  return text;
}

static void printRow(llvm::raw_ostream &os, llvm::StringRef name,
                     const Difference &row, bool isTensor) {
  os << llvm::left_justify(name, 16)
     << llvm::right_justify(numberText(row.difference), 11)
     << llvm::right_justify(numberText(row.rounding), 10)
     << llvm::right_justify(numberText(row.bound), 9) << "  ";
  if (isTensor)
    os << "'" << row.of << "'";
  else
    os << row.of;
  if (row.fails())
    os << "  DIFFERS";
  os << "\n";
}

/// The first quantity of tensors that fails: later ones follow from it.
static const Quantity *firstFailing(const Outcome &outcome) {
  for (const Quantity &quantity : outcome.quantities)
    if (quantity.fails() && !quantity.tensors.empty())
      return &quantity;
  return nullptr;
}

/// Returns the differing tensors to show: the worst of each layer, the worst
/// layer first; then the others.
static std::vector<Difference> chooseShown(const Quantity &quantity) {
  std::vector<Difference> failing, first, rest;
  for (const Difference &difference : quantity.tensors)
    if (difference.fails())
      failing.push_back(difference);
  llvm::sort(failing, [](const Difference &a, const Difference &b) {
    return std::pair(-a.excess(), a.of) < std::pair(-b.excess(), b.of);
  });
  llvm::StringSet<> layers;
  for (const Difference &difference : failing)
    (layers.insert(layerOf(difference.of)).second ? first : rest)
        .push_back(difference);
  first.insert(first.end(), rest.begin(), rest.end());
  first.resize(std::min(first.size(), kMostShown));
  return first;
}

namespace {
/// How many tensors of a layer differ.
struct LayerCount {
  size_t failing = 0, all = 0;
};
} // namespace

static std::map<std::string, LayerCount> countLayers(const Quantity &quantity) {
  std::map<std::string, LayerCount> layers;
  for (const Difference &difference : quantity.tensors) {
    LayerCount &count = layers[layerOf(difference.of)];
    ++count.all;
    count.failing += difference.fails();
  }
  return layers;
}

/// Tells which layers differ, if others do not.
static void printLayers(llvm::raw_ostream &os, const Quantity &quantity) {
  std::map<std::string, LayerCount> layers = countLayers(quantity);
  std::string failing;
  size_t right = 0;
  for (auto &[layer, count] : layers) {
    right += count.failing == 0;
    if (count.failing)
      failing += (failing.empty() ? "'" : ", '") + layer + "' (" +
                 std::to_string(count.failing) + " of " +
                 std::to_string(count.all) + ")";
  }
  if (right)
    os << "layers that differ: " << failing << "; " << right
       << (right == 1 ? " does not\n" : " do not\n");
  else
    os << "tensors of all layers differ\n";
}

void pcc::printOutcome(const Outcome &outcome, llvm::raw_ostream &os) {
  const Hyperparameters &chosen = outcome.reference.hyperparameters;
  os << "plan:      " << planText(outcome.plan) << "\n"
     << "against:   one rank; rounding by " << outcome.reference.other
     << (outcome.reference.isReused ? "; reused" : "") << "\n"
     << "data:      "
     << (outcome.arguments.verification->data.empty()
             ? "made up"
             : outcome.arguments.verification->data)
     << "\nsteps:     " << chosen.steps << " of " << outcome.plan.globalBatch
     << " samples, lr " << llvm::format("%.3g", chosen.rate)
     << ", weight decay " << llvm::format("%.3g", chosen.decay) << ", clip "
     << llvm::format("%.3g", chosen.clip) << ", eps "
     << llvm::format("%.3g", chosen.eps) << "\n\n"
     << "                 difference  rounding    bound  worst\n";
  for (const Quantity &quantity : outcome.quantities)
    printRow(os, quantity.name, quantity.worst, !quantity.tensors.empty());
  if (outcome.isOk()) {
    os << "\nok: the plan trains as one rank does\n";
    return;
  }
  std::string names;
  for (const Quantity &quantity : outcome.quantities)
    if (quantity.fails())
      names += (names.empty() ? "" : ", ") + quantity.name;
  if (const Quantity *first = firstFailing(outcome)) {
    os << "\n" << first->name << ", the worst of each layer first:\n";
    for (const Difference &difference : chooseShown(*first))
      printRow(os, "", difference, true);
    printLayers(os, *first);
  }
  os << "\nerror: the plan does not train as one rank does: " << names
     << " differ\n";
}

/// JSON has no infinity.
static void numberJson(llvm::json::OStream &json, llvm::StringRef key,
                       double value) {
  if (std::isfinite(value))
    json.attribute(key, value);
  else
    json.attribute(key, nullptr);
}

static void differenceJson(llvm::json::OStream &json,
                           const Difference &difference) {
  json.attribute("of", difference.of);
  numberJson(json, "difference", difference.difference);
  numberJson(json, "rounding", difference.rounding);
  numberJson(json, "bound", difference.bound);
  json.attribute("ok", !difference.fails());
}

void pcc::printOutcomeJson(const Outcome &outcome, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("ok", outcome.isOk());
    json.attributeObject("mesh", [&] {
      json.attribute("tp", outcome.plan.tp);
      json.attribute("cp", outcome.plan.cp);
      json.attribute("dp", outcome.plan.dp);
      json.attribute("pp", outcome.plan.pp);
    });
    json.attribute("precision", outcome.plan.precision);
    json.attribute("optimizer_state", outcome.plan.optimizerState);
    json.attribute("rounding_by", outcome.reference.other);
    json.attribute("reference", outcome.reference.folder);
    json.attribute("reused", outcome.reference.isReused);
    json.attribute("hyperparameters",
                   toJson(outcome.reference.hyperparameters));
    json.attributeArray("quantities", [&] {
      for (const Quantity &quantity : outcome.quantities)
        json.object([&] {
          json.attribute("name", quantity.name);
          json.attributeObject("worst",
                               [&] { differenceJson(json, quantity.worst); });
        });
    });
    const Quantity *first = firstFailing(outcome);
    if (!first)
      return;
    json.attribute("tensors_of", first->name);
    json.attributeArray("tensors", [&] {
      for (const Difference &difference : chooseShown(*first))
        json.object([&] { differenceJson(json, difference); });
    });
  });
  os << "\n";
}
