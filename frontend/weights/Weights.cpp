//===- Weights.cpp - The weights of a model -------------------------------===//

#include "frontend/weights/Weights.h"
#include "analysis/Tensor.h"
#include "frontend/onnx/FileRangeScan.h"
#include "frontend/weights/Phrases.h"
#include <cstring>

using namespace mlir;
using namespace pcc::frontend;

static int64_t widthOf(const Weight &weight) {
  return weight.storage.getIntOrFloatBitWidth() / 8;
}

FailureOr<Weight *> Weights::add(Location loc, Provenance provenance,
                                 const onnx::TensorProto &tensor,
                                 RankedTensorType type, Type storage,
                                 FileRange range) {
  int64_t needed = type.getNumElements() * storage.getIntOrFloatBitWidth() / 8;
  if (range.bytes && range.length != needed)
    return emitError(loc) << "weight '" << tensor.name() << "' has "
                          << range.length << " bytes, its shape needs "
                          << needed;
  Weight &weight = weights.emplace_back();
  weight.name = unique(provenance.name);
  weight.provenance = std::move(provenance);
  weight.tensor = &tensor;
  weight.type = type;
  weight.storage = storage;
  weight.range = std::move(range);
  return &weight;
}

/// Whether all elements are equal.
static bool isUniform(const Weight &weight) {
  return isRepetition(weight.range, widthOf(weight));
}

SmallVector<int64_t> pcc::frontend::shapeBeforeExpand(const FileRange &range,
                                                      ArrayRef<int64_t> shape,
                                                      int64_t width) {
  SmallVector<int64_t> before(shape);
  // A single number or a table of equal elements may have been expanded along
  // any dim.
  bool isKnown =
      range.bytes && (!isRepetition(range, width) ||
                      llvm::count(shape, 1) + 2 == int64_t(shape.size()));
  FileRange part = range;
  for (size_t d = 0; isKnown && d + 1 < shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    if (!isRepetition(part, part.length / shape[d]))
      break;
    part.length /= shape[d];
    before[d] = 1;
  }
  return before;
}

std::string pcc::frontend::foldedLookup(const FileRange &range,
                                        ArrayRef<int64_t> shape,
                                        int64_t width) {
  if (shape.size() < 3 || !range.bytes || isRepetition(range, width))
    return "";
  int64_t times = shape[0];
  if (times > 1 && isRepetition(range, range.length / times))
    return "one table " + std::to_string(times) + " times";
  return hasEqualDiagonals(range, shape[shape.size() - 2], shape.back(), width)
             ? "looked up by distance"
             : "";
}

/// Whether two matrices have the same elements; `transposed`: one is the
/// transpose of the other.
static bool isCopy(const Weight &copy, const Weight &other, bool &transposed) {
  ArrayRef<int64_t> shape = copy.type.getShape();
  transposed = false;
  // The weights of experts that two layers share.
  if (shape.size() != 2)
    return other.type == copy.type && other.storage == copy.storage &&
           areEqual(copy.range, other.range);
  if (other.storage != copy.storage) {
    // In another precision, if an exporter folded a cast.
    auto hasValues = [&](bool transposed) {
      return haveSameValues(copy.range, copy.storage, other.range,
                            other.storage, shape[0], shape[1], transposed);
    };
    if (other.type == copy.type && hasValues(false))
      return true;
    transposed = other.type.getShape() == ArrayRef({shape[1], shape[0]}) &&
                 hasValues(true);
    return transposed;
  }
  if (other.type == copy.type && areEqual(copy.range, other.range))
    return true;
  transposed =
      other.type.getShape() == ArrayRef({shape[1], shape[0]}) &&
      isTranspose(copy.range, other.range, shape[0], shape[1], widthOf(copy));
  return transposed;
}

/// Whether a name of the user's refers to this weight.
static bool isNamed(const Weight &weight, StringRef name) {
  return weight.name == name || weight.tensor->name() == name ||
         weight.provenance.likelyName == name;
}

SmallVector<Weight *, 1> Weights::named(StringRef name) {
  SmallVector<Weight *, 1> found;
  for (Weight &weight : weights)
    if (weight.name == name)
      found.push_back(&weight);
  for (Weight &weight : weights)
    if (found.empty() && isNamed(weight, name))
      found.push_back(&weight);
  return found;
}

void Weights::tie(Weight &copy, Weight &original, bool transposed) {
  copy.original = &original;
  copy.transposed = transposed;
  // Copies of `copy` become copies of its original.
  for (Weight &weight : weights)
    if (weight.original == &copy) {
      weight.original = &original;
      weight.transposed ^= transposed;
    }
}

LogicalResult Weights::tieAsChosen(Location loc) {
  for (auto [i, choice] : llvm::enumerate(choices.ties)) {
    SmallVector<Weight *, 1> a = named(choice.first), b = named(choice.second);
    // A merged parameter becomes known only when a node reads it.
    if (a.empty() || b.empty())
      continue;
    applied[i] = true;
    Weight *first = a[0]->original ? a[0]->original : a[0];
    Weight *second = b[0]->original ? b[0]->original : b[0];
    if (first == second)
      continue;
    bool transposed = false;
    bool areEqual =
        first->type.getRank() == 2 && second->type.getRank() == 2
            ? second->range.bytes && first->range.bytes &&
                  isCopy(*second, *first, transposed)
            : first->type == second->type && first->range.bytes &&
                  second->range.bytes && first->storage == second->storage &&
                  pcc::frontend::areEqual(first->range, second->range);
    if (!areEqual) {
      InFlightDiagnostic diag =
          emitError(loc) << "--tie " << choice.first << "=" << choice.second
                         << ": the two cannot be one parameter";
      if (first->type.getNumElements() != second->type.getNumElements())
        diag.attachNote(loc)
            << "'" << choice.first << "' is " << first->type << ", '"
            << choice.second << "' is " << second->type;
      else
        diag.attachNote(loc) << "their values in the file differ";
      return diag;
    }
    tie(*second, *first, transposed);
  }
  return success();
}

bool Weights::areTied(Weight &copy, Weight &other, bool areSameRange) {
  const Provenance &a = copy.provenance, &b = other.provenance;
  for (const std::string &name : choices.unties)
    if (isNamed(copy, name) || isNamed(other, name)) {
      known.insert(name);
      return false;
    }
  if (a.isNameProven && b.isNameProven)
    return a.name == b.name;
  if (areSameRange)
    return true;
  if (copy.isTable != other.isTable) {
    presumedTied.push_back({copy.name, other.name});
    return true;
  }
  presumedSeparate.push_back({copy.name, other.name});
  return false;
}

LogicalResult Weights::tieCopies(Location loc) {
  applied.assign(choices.ties.size(), false);
  if (failed(tieAsChosen(loc)))
    return failure();
  for (auto copy = weights.begin(); copy != weights.end(); ++copy) {
    int64_t rank = copy->type.getRank();
    if (rank < 2 || rank > 3 || !copy->range.bytes || copy->original)
      continue;
    // Tied weights, such as an embedding table that is also the head's, are one
    // parameter under two names. If the exporter stored both, equal elements
    // are the only trace; as two parameters they would be trained separately.
    // But weights with one value throughout, as before training, are equal
    // without being tied.
    std::optional<bool> says;
    for (auto other = weights.begin(); other != copy; ++other) {
      if (other->original || !other->range.bytes ||
          other->type.getRank() != rank ||
          other->type.getNumElements() != copy->type.getNumElements())
        continue;
      // Two tensors at the same offset are equal; their elements need not be
      // read.
      bool transposed = false,
           isSameRange = other->type == copy->type &&
                         other->range.bytes == copy->range.bytes;
      bool isSame = copy->provenance.isNameProven &&
                    other->provenance.isNameProven &&
                    copy->provenance.name == other->provenance.name;
      if (!isSameRange && !says)
        says = !isUniform(*copy);
      if (!isSameRange &&
          !((*says || isSame) && isCopy(*copy, *other, transposed)))
        continue;
      if (!areTied(*copy, *other, isSameRange))
        continue;
      tie(*copy, *other, transposed);
      emitRemark(loc) << "'" << copy->name << "' is a "
                      << (transposed ? "transposed " : "") << "copy of '"
                      << other->name << "': taken as tied to it";
      break;
    }
  }
  return success();
}

Weight *Weights::copy(Weight *weight, Provenance provenance) {
  Weight own = *weight;
  own.name = unique(provenance.name);
  own.provenance = std::move(provenance);
  own.read = own.wide = Value();
  own.uses.clear();
  own.wasMerged = true;
  own.original = nullptr;
  own.transposed = false;
  return &weights.emplace_back(own);
}

std::string Weights::unique(StringRef name) {
  std::string candidate = name.str();
  for (int i = 1; !names.insert(candidate).second; ++i)
    candidate = (name + "_" + Twine(i)).str();
  return candidate;
}

Weight *Weights::separate(Weight *weight, StringRef name, bool isProven) {
  Provenance own = weight->provenance;
  own.name = name.str();
  return separate(weight, std::move(own), isProven);
}

Weight *Weights::separate(Weight *weight, Provenance own, bool isProven) {
  StringRef name = own.name;
  if (name.empty() || name == weight->name)
    return weight;
  for (Weight &other : weights)
    if (other.tensor == weight->tensor && other.name == name)
      return &other;
  // The user's tie partner may still have another name.
  for (auto [i, choice] : llvm::enumerate(choices.ties)) {
    auto isMeant = [&](StringRef chosen) {
      return chosen == name || chosen == own.moduleName();
    };
    StringRef partner = isMeant(choice.first)    ? choice.second
                        : isMeant(choice.second) ? choice.first
                                                 : StringRef();
    for (Weight &other : weights)
      if (!partner.empty() && other.tensor == weight->tensor &&
          isNamed(other, partner)) {
        applied[i] = true;
        return &other;
      }
  }
  bool isChosen = llvm::is_contained(choices.unties, name) ||
                  llvm::is_contained(choices.unties, weight->name);
  if (isChosen) {
    known.insert(name);
    known.insert(weight->name);
  } else if (!isProven) {
    presumedSeparate.push_back({name.str(), weight->name});
  }
  return copy(weight, std::move(own));
}

Weight *Weights::shareTable(Weight *table, StringRef head) {
  if (head == table->name)
    return table;
  if (llvm::is_contained(choices.unties, head) ||
      llvm::is_contained(choices.unties, table->name))
    return separate(table, head, /*isProven=*/false);
  bool isChosen = false;
  for (auto [i, choice] : llvm::enumerate(choices.ties))
    for (const auto &[a, b] : {choice, std::pair(choice.second, choice.first)})
      if (a == head && isNamed(*table, b))
        isChosen = applied[i] = true;
  std::pair<std::string, std::string> pair(head.str(), table->name);
  if (!isChosen && !llvm::is_contained(presumedTied, pair))
    presumedTied.push_back(pair);
  return table;
}

static std::string
listPairs(ArrayRef<std::pair<std::string, std::string>> pairs) {
  std::vector<std::string> texts;
  for (const auto &[first, second] : pairs)
    texts.push_back(conjoin({first, second}));
  return listSome(texts, " pairs");
}

LogicalResult Weights::report(Location loc) const {
  auto unknown = [&](const Twine &flag, StringRef name) -> LogicalResult {
    InFlightDiagnostic diag = emitError(loc)
                              << flag.str() << ": there is no parameter '"
                              << name << "' that could be tied";
    diag.attachNote(loc) << "--list-params prints the parameters' names";
    return diag;
  };
  for (auto [i, choice] : llvm::enumerate(choices.ties)) {
    const std::string &a = choice.first, &b = choice.second;
    if (applied[i])
      continue;
    bool isKnown = llvm::any_of(
        weights, [&](const Weight &weight) { return isNamed(weight, a); });
    return unknown("--tie " + a + "=" + b, isKnown ? b : a);
  }
  for (const std::string &name : choices.unties)
    if (!known.contains(name) &&
        llvm::none_of(weights, [&](const Weight &weight) {
          return isNamed(weight, name);
        }))
      return unknown("--untie " + name, name);
  constexpr StringRef exportNote = "; files of pcc-export state the ties";
  if (!presumedTied.empty()) {
    InFlightDiagnostic diag =
        emitWarning(loc) << "taken as one parameter, because their values are "
                            "equal, which proves nothing: "
                         << listPairs(presumedTied);
    diag.attachNote(loc) << "--untie NAME separates them" << exportNote;
  }
  if (!presumedSeparate.empty()) {
    InFlightDiagnostic diag =
        emitWarning(loc) << "taken as two parameters, though their values are "
                            "equal: "
                         << listPairs(presumedSeparate);
    diag.attachNote(loc) << "--tie A=B ties them" << exportNote;
  }
  return success();
}
