//===- Pipe.cpp - Registration and syntax of the pipe dialect -------------===//

#include "dialects/Pipe/Pipe.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Loops.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

static ParseResult parseRole(OpAsmParser &parser,
                             pcc::nn::InputRoleAttr &role) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  auto parsed = pcc::nn::symbolizeInputRole(keyword);
  if (!parsed)
    return parser.emitError(loc, "'")
           << keyword << "' is not a role of an input";
  role = pcc::nn::InputRoleAttr::get(parser.getContext(), *parsed);
  return success();
}

static void printRole(OpAsmPrinter &p, Operation *,
                      pcc::nn::InputRoleAttr role) {
  p << pcc::nn::stringifyInputRole(role.getValue());
}

/// `(@a, @b, 7)`
static ParseResult parseBindings(OpAsmParser &parser, ArrayAttr &bindings) {
  SmallVector<Attribute> list;
  Builder &builder = parser.getBuilder();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        int64_t number;
        OptionalParseResult parsed = parser.parseOptionalInteger(number);
        if (parsed.has_value()) {
          list.push_back(builder.getI64IntegerAttr(number));
          return failure(failed(*parsed));
        }
        StringAttr symbol;
        if (parser.parseSymbolName(symbol))
          return failure(true);
        list.push_back(FlatSymbolRefAttr::get(symbol));
        return failure(false);
      }))
    return failure();
  bindings = builder.getArrayAttr(list);
  return success();
}

static void printBindings(OpAsmPrinter &p, Operation *, ArrayAttr bindings) {
  p << '(';
  llvm::interleaveComma(bindings, p, [&](Attribute binding) {
    if (auto number = dyn_cast<IntegerAttr>(binding))
      p << number.getInt();
    else
      p << binding;
  });
  p << ')';
}

#include "dialects/Pipe/Dialect.cpp.inc"
#include "dialects/Pipe/Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Pipe/Attrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Pipe/Ops.cpp.inc"

namespace pcc::pipe {

void PipeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Pipe/Attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Pipe/Ops.cpp.inc"
      >();
}

bool InputOp::isPerMicrobatch() { return nn::hasBatchDim(getRole()); }

/// `@name (%a: type as #sharding, ...) -> (type, type into 0, ...) { ... }`,
/// with shardings for all arguments or none.
ParseResult BodyOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> layouts;
  SmallVector<int64_t> into;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true))
          return failure(true);
        return failure(succeeded(parser.parseOptionalKeyword("as")) &&
                       parser.parseAttribute(layouts.emplace_back()));
      }))
    return failure();
  if (!layouts.empty())
    result.addAttribute(dist::kArgumentsAttr,
                        parser.getBuilder().getArrayAttr(layouts));
  for (OpAsmParser::Argument &argument : arguments) {
    StringRef ssaName = argument.ssaName.name.drop_front();
    argument.sourceLoc =
        NameLoc::get(parser.getBuilder().getStringAttr(ssaName),
                     parser.getEncodedSourceLoc(argument.ssaName.location));
  }
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        Type type;
        into.push_back(-1);
        return failure(parser.parseType(type) ||
                       (succeeded(parser.parseOptionalKeyword("into")) &&
                        parser.parseInteger(into.back())));
      }))
    return failure();
  result.addAttribute(getIntoAttrName(result.name),
                      parser.getBuilder().getDenseI64ArrayAttr(into));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  return success();
}

bool BodyOp::isRename() {
  auto isInPlace = [&](auto result) {
    auto [i, value] = result;
    std::optional<unsigned> replaced = getReplaced(i);
    return replaced && value == getBlock()->getArgument(*replaced);
  };
  return llvm::hasSingleElement(*getBlock()) && !getResults().empty() &&
         (!getGivesUp() || getGivesUp()->empty()) &&
         llvm::all_of(llvm::enumerate(getResults()), isInPlace);
}

SmallVector<StringRef> TaskOp::getBoundSymbols() {
  SmallVector<StringRef> symbols;
  for (ArrayAttr bindings : {getSources(), getTargets()})
    for (Attribute binding : bindings)
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(binding))
        symbols.push_back(symbol.getValue());
  return symbols;
}

void BodyOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
      setName(argument, named.getName());
}

void BodyOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << " (";
  auto layouts = (*this)->getAttrOfType<ArrayAttr>(dist::kArgumentsAttr);
  llvm::interleaveComma(getBlock()->getArguments(), p, [&](BlockArgument arg) {
    p.printRegionArgument(arg);
    if (layouts && arg.getArgNumber() < layouts.size())
      p << " as " << layouts[arg.getArgNumber()];
  });
  p << ')';
  if (!getInto().empty()) {
    p << " -> (";
    llvm::interleaveComma(llvm::zip(getResults().getTypes(), getInto()), p,
                          [&](auto result) {
                            p << std::get<0>(result);
                            if (std::get<1>(result) >= 0)
                              p << " into " << std::get<1>(result);
                          });
    p << ')';
  }
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getIntoAttrName(), dist::kArgumentsAttr});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseLoop<LoopOp>(parser, result);
}

void LoopOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  for (BlockArgument variable : region.getArguments())
    setName(variable, "m");
}

void LoopOp::print(OpAsmPrinter &p) { printLoop(p, *this); }

} // namespace pcc::pipe
