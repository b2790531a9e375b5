//===- VerifyAttrs.cpp - Discardable attributes of nn ---------------------===//
//
// Checks the rules of AttrNames.h. An unknown name, or a name on another op, is
// an error, so a misspelled attribute is not mistaken for an absent one.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace pcc::nn;

namespace {

bool isUnit(Attribute attr) { return isa<UnitAttr>(attr); }
bool isString(Attribute attr) { return isa<StringAttr>(attr); }
bool isInteger(Attribute attr) { return isa<IntegerAttr>(attr); }
bool isIntegers(Attribute attr) { return isa<DenseI64ArrayAttr>(attr); }
bool isDims(Attribute attr) { return isa<InputDimsAttr>(attr); }
bool isOrder(Attribute attr) { return isa<HeadTailAttr>(attr); }
bool isDictionary(Attribute attr) { return isa<DictionaryAttr>(attr); }
bool isTerms(Attribute attr) {
  auto terms = dyn_cast<ArrayAttr>(attr);
  return isUnit(attr) || (terms && llvm::all_of(terms, isDictionary));
}
bool isImplied(Attribute attr) {
  auto inputs = dyn_cast<DictionaryAttr>(attr);
  return inputs && llvm::all_of(inputs, [](NamedAttribute input) {
           auto what = dyn_cast<StringAttr>(input.getValue());
           return what && (what == kImpliedOnes || what == kImpliedPositions);
         });
}
bool isFloatType(Attribute attr) {
  auto type = dyn_cast<TypeAttr>(attr);
  return type && isa<FloatType>(type.getValue());
}
bool isSavedTypes(Attribute attr) {
  auto types = dyn_cast<DictionaryAttr>(attr);
  return isFloatType(attr) ||
         (types && llvm::all_of(types, [](NamedAttribute type) {
            return isFloatType(type.getValue());
          }));
}
bool isNames(Attribute attr) {
  auto names = dyn_cast<DictionaryAttr>(attr);
  return names && llvm::all_of(names, [](NamedAttribute name) {
           return isString(name.getValue());
         });
}
bool isModelFolder(Attribute attr) {
  auto folder = dyn_cast<DictionaryAttr>(attr);
  if (!folder || folder.size() != 2 ||
      !folder.getAs<StringAttr>(kModelFolderPath))
    return false;
  auto files = folder.getAs<ArrayAttr>(kModelFolderFiles);
  return files && llvm::all_of(files, isString);
}

bool isAny(Operation *) { return true; }
bool isReal(Attribute attr) { return isa<FloatAttr>(attr); }

bool isModule(Operation *op) { return isa<ModuleOp>(op); }
bool isFunction(Operation *op) { return isa<FunctionOpInterface>(op); }
bool isParam(Operation *op) { return isa<ParamOp>(op); }
bool isState(Operation *op) { return isa<StateOp>(op); }
/// Whether an op is of a later dialect, such as the pipe and rt forms of a
/// function's inputs and of @counts.
bool isLater(Operation *op) {
  return op->getName().getDialectNamespace() != "nn" && !isFunction(op);
}
bool isConstantOrLater(Operation *op) {
  return isa<ConstantOp>(op) || isLater(op);
}
bool isStateOrLater(Operation *op) { return isState(op) || isLater(op); }
bool isLookup(Operation *op) { return isa<EmbeddingOp>(op); }
bool isCast(Operation *op) { return isa<CastOp>(op); }
bool isAttention(Operation *op) {
  return isa<AttentionOp, AttentionGradOp>(op);
}
bool isExtremum(Operation *op) { return isa<ReduceMaxOp, ReduceMinOp>(op); }

struct Attr {
  StringRef name;
  bool (*belongsTo)(Operation *op);
  bool (*isValid)(Attribute attr);
  /// For errors: "only allowed on <place>", "not <value>".
  StringRef place, value;
};

constexpr StringLiteral anOp = "an op", aModule = "a module",
                        aFunction = "a function", aParam = "a parameter",
                        aUnit = "a unit", aString = "a string",
                        aNumber = "a whole number";

const Attr onOps[] = {
    {kBackwardAttr, isAny, isUnit, anOp, aUnit},
    {kRecomputedAttr, isAny, isUnit, anOp, aUnit},
    {kStageAttr, isAny, isInteger, anOp, aNumber},
    {kSegmentAttr, isAny, isInteger, anOp, aNumber},
    {kChunkAttr, isAny, isIntegers, anOp, "an array of whole numbers"},
    {kWholeHeadAttr, isModule, isString, aModule, aString},
    {kIdsAttr, isLater, isDictionary, "an input", "a dictionary"},
    {kDimsAttr, isLater, isDims, "an input", "#nn.dims"},
    {kOrderAttr, isConstantOrLater, isOrder, "an input or a constant",
     "#nn.head_tail"},
    {kPieceAttr, isAttention, isInteger, "nn.attention or its gradient",
     aNumber},
    {kImpliedAttr, isModule, isImplied, aModule,
     "a dictionary of \"ones\" and \"positions\""},
    {kSavedTypesAttr, isModule, isSavedTypes, aModule,
     "a floating-point type or a dictionary of these"},
    {kSavedNamesAttr, isModule, isNames, aModule, "a dictionary of strings"},
    {kModelFolderAttr, isModule, isModelFolder, aModule,
     "a dictionary of a path and a list of files"},
    {kLossAttr, isModule, isString, aModule, aString},
    {kDocumentEndsAttr, isModule, isIntegers, aModule,
     "an array of whole numbers"},
    {kWholeBatchAttr, isModule, isString, aModule, aString},
    {kHasLossAttr, isFunction, isTerms, aFunction,
     "a unit or a list of dictionaries"},
    {kJoinsSamplesAttr, isFunction, isString, aFunction, aString},
    {kAheadAttr, isStateOrLater, isUnit, "a state or a task", aUnit},
    {kReleasedAttr, isState, isUnit, "a state", aUnit},
    {kCountAttr, isState, isString, "a state", aString},
    {kCapacityAttr, isState, isReal, "a state", "a floating-point number"},
    {kBiasRateAttr, isState, isReal, "a state", "a floating-point number"},
    {kPaddingRowAttr, isLookup, isInteger, "nn.embedding", aNumber},
    {kFirstBestAttr, isExtremum, isUnit, "nn.reduce_max or nn.reduce_min",
     aUnit},
    {kDetachedAttr, isCast, isUnit, "nn.cast", aUnit},
    {kSourceNameAttr, isParam, isString, aParam, aString}};

} // namespace

static InFlightDiagnostic refuse(Operation *op, NamedAttribute attr) {
  return op->emitOpError() << "has the attribute '" << attr.getName().getValue()
                           << "', ";
}

LogicalResult NNDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attr) {
  const auto *known = llvm::find_if(
      onOps, [&](const Attr &one) { return one.name == attr.getName(); });
  if (known == std::end(onOps))
    return refuse(op, attr) << "which ops do not have";
  if (!known->belongsTo(op))
    return refuse(op, attr) << "which is only allowed on " << known->place;
  if (!known->isValid(attr.getValue()))
    return refuse(op, attr) << "which is not " << known->value;
  return success();
}

/// Whether an input of a role can have the type: scalars have rank 0; ids,
/// positions and counts are integers.
static bool fits(InputRole role, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  bool isFloat = isa<FloatType>(tensor.getElementType());
  switch (role) {
  case InputRole::Data:
  case InputRole::Shared:
  case InputRole::Targets:
    return true;
  case InputRole::Tokens:
  case InputRole::Labels:
  case InputRole::Positions:
    return !isFloat;
  case InputRole::Samples:
    return !isFloat && tensor.getRank() == 1;
  case InputRole::DocumentStarts:
    return !isFloat && tensor.getRank() == 2;
  case InputRole::Seed:
  case InputRole::Step:
  case InputRole::LossScaleWindow:
    return !isFloat && tensor.getRank() == 0;
  case InputRole::LearningRate:
  case InputRole::WeightDecay:
  case InputRole::Beta1:
  case InputRole::Beta2:
  case InputRole::Epsilon:
  case InputRole::ClipGrad:
    return isFloat && tensor.getRank() == 0;
  }
  llvm_unreachable("unknown role");
}

LogicalResult InputDimsAttr::verify(function_ref<InFlightDiagnostic()> emit,
                                    int64_t batch, int64_t sequence) {
  if (batch < 0 && sequence < 0)
    return emit() << "needs a batch or a sequence dim";
  if (batch == sequence)
    return emit() << "dim " << batch
                  << " cannot be both the batch and the sequence dim";
  return success();
}

LogicalResult HeadTailAttr::verify(function_ref<InFlightDiagnostic()> emit,
                                   int64_t ranks, DenseI64ArrayAttr dims) {
  if (ranks < 2)
    return emit() << "a head-tail order is one of at least 2 ranks, not "
                  << ranks;
  if (dims.empty() || dims[0] < 0)
    return emit() << "a head-tail order needs dims, which are not negative";
  for (auto [before, after] :
       llvm::zip(dims.asArrayRef().drop_back(), dims.asArrayRef().drop_front()))
    if (before >= after)
      return emit() << "dims of a head-tail order ascend: " << before
                    << " is before " << after;
  return success();
}

/// Whether an input of a role can have these dims.
static bool fits(InputDimsAttr dims, std::optional<InputRole> role, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return role && tensor && dims.getBatch() < tensor.getRank() &&
         dims.getSequence() < tensor.getRank() &&
         hasBatchDim(*role) == (dims.getBatch() >= 0) &&
         (role != InputRole::Tokens || dims.getSequence() >= 0);
}

LogicalResult NNDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned index,
                                                  NamedAttribute attr) {
  auto refuseInput = [&] {
    return op->emitOpError() << "input " << index << " has the attribute '"
                             << attr.getName().getValue() << "', ";
  };
  if (attr.getName() == kRoleAttr) {
    auto role = dyn_cast<InputRoleAttr>(attr.getValue());
    if (!role)
      return refuseInput() << "which is not a role";
    Type type = cast<FunctionOpInterface>(op).getArgumentTypes()[index];
    if (!fits(role.getValue(), type))
      return op->emitOpError()
             << "input " << index << " of role '"
             << stringifyInputRole(role.getValue()) << "' cannot be " << type;
    return success();
  }
  if (attr.getName() == kDimsAttr) {
    auto dims = dyn_cast<InputDimsAttr>(attr.getValue());
    if (!dims)
      return refuseInput() << "which is not #nn.dims";
    auto function = cast<FunctionOpInterface>(op);
    Type type = function.getArgumentTypes()[index];
    if (!fits(dims, roleOf(function, index), type))
      return refuseInput() << dims << ", which do not fit its role and "
                           << type;
    return success();
  }
  if (attr.getName() == kOrderAttr) {
    auto order = dyn_cast<HeadTailAttr>(attr.getValue());
    if (!order)
      return refuseInput() << "which is not #nn.head_tail";
    auto function = cast<FunctionOpInterface>(op);
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
    if (!type || order.getDims().asArrayRef().back() >= type.getRank())
      return refuseInput() << order << ", which does not fit its type";
    return success();
  }
  if (attr.getName() == kNameAttr || attr.getName() == kIdsAttr) {
    bool isName = attr.getName() == kNameAttr;
    if (!(isName ? isString : isDictionary)(attr.getValue()))
      return refuseInput() << "which is not "
                           << (isName ? "a string" : "a dictionary");
    return success();
  }
  return refuseInput() << "which inputs do not have";
}

LogicalResult NNDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attr) {
  if (attr.getName() != kNameAttr && attr.getName() != kCountAttr)
    return op->emitOpError()
           << "result " << index << " has the attribute '"
           << attr.getName().getValue() << "', which results do not have";
  if (!isString(attr.getValue()))
    return op->emitOpError()
           << "result " << index << " has the attribute '"
           << attr.getName().getValue() << "', which is not a string";
  return success();
}
