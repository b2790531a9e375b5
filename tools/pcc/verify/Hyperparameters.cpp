//===- Hyperparameters.cpp - How pcc verify trains ------------------------===//

#include "tools/pcc/verify/Hyperparameters.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace pcc;

/// Rounds to three digits, so that a user can repeat the run by hand.
static double rounded(double value) {
  char text[32];
  snprintf(text, sizeof(text), "%.2e", value);
  return strtod(text, nullptr);
}

Hyperparameters pcc::chooseHyperparameters(llvm::StringRef optimizer,
                                           llvm::StringRef precision,
                                           int64_t steps, double gradientNorm,
                                           double parameterNorm,
                                           int64_t trained) {
  Hyperparameters chosen;
  chosen.steps = steps;
  // Clipping halves the first gradient.
  chosen.clip = rounded(gradientNorm / 2);
  double size = std::sqrt(double(std::max<int64_t>(trained, 1)));
  // AdamW divides by the size of each element and eps: without it, an element
  // that is only rounding would move as far as all others. In bf16, rounding is
  // a hundredth of many elements.
  chosen.eps = rounded((precision == "f32" ? 1e-3 : 10) * chosen.clip / size);
  chosen.rate = 1e-3;
  // SGD's first step changes the parameters by a hundredth.
  if (optimizer == "sgd")
    chosen.rate = rounded(0.01 * std::max(parameterNorm, 1e-3) / chosen.clip);
  // Weight decay changes a parameter by a hundredth per step, too.
  chosen.decay = rounded(0.01 / chosen.rate);
  return chosen;
}

std::vector<std::string> Hyperparameters::flags() const {
  std::vector<std::string> flags;
  auto add = [&](const char *name, double value) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "--" << name << "=" << llvm::format("%.10g", value);
    flags.push_back(text);
  };
  add("steps", double(steps));
  add("lr", rate);
  add("warmup-steps", double(std::min<int64_t>(2, steps)));
  add("weight-decay", decay);
  add("beta1", kBeta1);
  add("beta2", kBeta2);
  add("eps", eps);
  add("clip-grad", clip);
  add("seed", 7);
  return flags;
}

llvm::json::Value pcc::toJson(const Hyperparameters &hyperparameters) {
  return llvm::json::Object{{"steps", hyperparameters.steps},
                            {"rate", hyperparameters.rate},
                            {"decay", hyperparameters.decay},
                            {"clip", hyperparameters.clip},
                            {"eps", hyperparameters.eps},
                            {"first_update", hyperparameters.firstUpdate}};
}

std::optional<Hyperparameters>
pcc::hyperparametersFrom(const llvm::json::Value &value) {
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(value, root);
  Hyperparameters read;
  if (!map || !map.map("steps", read.steps) || !map.map("rate", read.rate) ||
      !map.map("decay", read.decay) || !map.map("clip", read.clip) ||
      !map.map("eps", read.eps) || !map.map("first_update", read.firstUpdate))
    return std::nullopt;
  return read;
}
