//===- Pipe.cpp - Registration and syntax of the pipe dialect -------------===//

#include "dialects/Pipe/Pipe.h"
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
    return parser.emitError(loc, "'") << keyword << "' is no role of an input";
  role = pcc::nn::InputRoleAttr::get(parser.getContext(), *parsed);
  return success();
}

static void printRole(OpAsmPrinter &p, Operation *,
                      pcc::nn::InputRoleAttr role) {
  p << pcc::nn::stringifyInputRole(role.getValue());
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

bool InputOp::isPerMicrobatch() { return nn::hasRowPerSample(getRole()); }

/// `stage 0 forward (%a: type from @x, ...) -> (type to @y, ...) { ... }`
ParseResult TaskOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  IntegerAttr stage;
  StringRef phase;
  SMLoc phaseLoc;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseKeyword("stage") ||
      parser.parseAttribute(stage, builder.getI64Type(),
                            getStageAttrName(result.name), result.attributes) ||
      parser.getCurrentLocation(&phaseLoc) || parser.parseKeyword(&phase))
    return failure();
  std::optional<Phase> parsed = symbolizePhase(phase);
  if (!parsed)
    return parser.emitError(phaseLoc, "'") << phase << "' is no phase";
  result.addAttribute(getPhaseAttrName(result.name),
                      PhaseAttr::get(builder.getContext(), *parsed));

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> sources, targets;
  auto parseSymbol = [&](StringRef keyword,
                         SmallVector<Attribute> &symbols) -> ParseResult {
    StringAttr symbol;
    if (parser.parseKeyword(keyword) || parser.parseSymbolName(symbol))
      return failure();
    symbols.push_back(FlatSymbolRefAttr::get(symbol));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        arguments.emplace_back();
        return failure(
            parser.parseArgument(arguments.back(), /*allowType=*/true) ||
            parseSymbol("from", sources));
      }))
    return failure();
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        Type type;
        return failure(parser.parseType(type) || parseSymbol("to", targets));
      }))
    return failure();
  result.addAttribute(getSourcesAttrName(result.name),
                      builder.getArrayAttr(sources));
  result.addAttribute(getTargetsAttrName(result.name),
                      builder.getArrayAttr(targets));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  return success();
}

void TaskOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << " stage " << getStage() << ' ' << stringifyPhase(getPhase()) << " (";
  llvm::interleaveComma(getBlock()->getArguments(), p, [&](BlockArgument arg) {
    p.printRegionArgument(arg);
    p << " from ";
    p.printSymbolName(getSource(arg.getArgNumber()));
  });
  p << ')';
  if (!getTargets().empty()) {
    p << " -> (";
    auto types = getBlock()->getTerminator()->getOperandTypes();
    llvm::interleaveComma(llvm::enumerate(types), p, [&](auto it) {
      p << it.value() << " to ";
      p.printSymbolName(getTarget(it.index()));
    });
    p << ')';
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {getSymNameAttrName(), getStageAttrName(),
                                      getPhaseAttrName(), getSourcesAttrName(),
                                      getTargetsAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace pcc::pipe
