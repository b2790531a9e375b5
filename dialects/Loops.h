//===- Loops.h - The syntax of loops over microbatches ----------*- C++ -*-===//
//
// Syntax and checks shared by pipe.loop and rt.for. Both loops count
// microbatches. Ops in them name a microbatch, or its slot, by an offset from
// the loop variable:
//
//     pipe.loop %m = 0 to 31 {
//       pipe.run @forward.0 microbatch %m + 1
//     }
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_LOOPS_H
#define PCC_DIALECTS_LOOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

namespace pcc {

/// Parses `3`, or `%m` or `%m + 2` in a loop over %m.
inline mlir::ParseResult
parseAhead(mlir::OpAsmParser &parser,
           std::optional<mlir::OpAsmParser::UnresolvedOperand> &loop,
           mlir::IntegerAttr &number) {
  int64_t value = 0;
  mlir::OpAsmParser::UnresolvedOperand variable;
  mlir::OptionalParseResult parsed = parser.parseOptionalOperand(variable);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return mlir::failure();
    loop = variable;
  }
  if ((!loop || succeeded(parser.parseOptionalPlus())) &&
      parser.parseInteger(value))
    return mlir::failure();
  number = parser.getBuilder().getI64IntegerAttr(value);
  return mlir::success();
}

/// Prints the syntax that `parseAhead` reads; a null number counts as 0.
inline void printAhead(mlir::OpAsmPrinter &p, mlir::Operation *,
                       mlir::Value loop, mlir::IntegerAttr number) {
  int64_t value = number ? number.getInt() : 0;
  if (loop)
    p << loop;
  if (loop && value != 0)
    p << " + ";
  if (!loop || value != 0)
    p << value;
}

/// Parses `%m = 0 to 31 { ... }`, for an op with attributes `begin` and `end`.
template <typename LoopT>
mlir::ParseResult parseLoop(mlir::OpAsmParser &parser,
                            mlir::OperationState &result) {
  mlir::OpAsmParser::Argument variable;
  mlir::IntegerAttr begin, end;
  mlir::Type number = parser.getBuilder().getI64Type();
  variable.type = parser.getBuilder().getIndexType();
  return mlir::failure(
      parser.parseArgument(variable) || parser.parseEqual() ||
      parser.parseAttribute(begin, number, LoopT::getBeginAttrName(result.name),
                            result.attributes) ||
      parser.parseKeyword("to") ||
      parser.parseAttribute(end, number, LoopT::getEndAttrName(result.name),
                            result.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), variable));
}

/// Prints the syntax that `parseLoop` reads.
template <typename LoopT>
void printLoop(mlir::OpAsmPrinter &p, LoopT loop) {
  p << ' ' << loop.getBlock()->getArgument(0) << " = " << loop.getBegin()
    << " to " << loop.getEnd();
  p.printOptionalAttrDictWithKeyword(
      loop->getAttrs(), {loop.getBeginAttrName(), loop.getEndAttrName()});
  p << ' ';
  p.printRegion(loop.getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

/// Checks that a loop has at least one iteration and one argument, an index.
template <typename LoopT>
llvm::LogicalResult verifyLoop(LoopT loop) {
  int64_t begin = loop.getBegin(), end = loop.getEnd();
  if (begin >= end)
    return loop.emitOpError()
           << "has the empty range " << begin << " to " << end;
  if (loop.getBody().getNumArguments() != 1 ||
      !loop.getBlock()->getArgument(0).getType().isIndex())
    return loop.emitOpError() << "needs one argument of type index";
  return mlir::success();
}

} // namespace pcc

#endif // PCC_DIALECTS_LOOPS_H
