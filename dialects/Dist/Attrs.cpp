//===- Attrs.cpp - Syntax and invariants of dist attributes ---------------===//

#include "dialects/Dist/Dist.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::dist;

#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/Attrs.cpp.inc"

void DistDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Dist/Attrs.cpp.inc"
      >();
}

static void printNames(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  llvm::interleaveComma(names, printer,
                        [&](StringAttr name) { printer << name; });
}

static ParseResult parseName(AsmParser &parser,
                             SmallVectorImpl<StringAttr> &names) {
  std::string name;
  if (parser.parseString(&name))
    return failure();
  names.push_back(StringAttr::get(parser.getContext(), name));
  return success();
}

Attribute MeshAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  auto axis = [&]() -> ParseResult {
    return failure(parseName(parser, names) || parser.parseEqual() ||
                   parser.parseInteger(sizes.emplace_back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, axis) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    names, sizes);
}

void MeshAxesAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(
      llvm::zip(getNames(), getSizes()), printer, [&](auto axis) {
        printer << std::get<0>(axis) << "=" << std::get<1>(axis);
      });
  printer << "]>";
}

LogicalResult MeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<StringAttr> names,
                                   ArrayRef<int64_t> sizes) {
  llvm::SmallPtrSet<StringAttr, 8> seen;
  int64_t ranks = 1;
  for (auto [name, size] : llvm::zip_equal(names, sizes)) {
    if (name.empty())
      return emitError() << "a mesh axis needs a name";
    if (!seen.insert(name).second)
      return emitError() << "mesh axis " << name << " is declared twice";
    if (size < 2)
      return emitError() << "mesh axis " << name << " has size " << size
                         << "; axes of size 1 are left out";
    if (llvm::MulOverflow(ranks, size, ranks) || ranks > INT32_MAX)
      return emitError() << "a mesh has at most " << INT32_MAX << " ranks";
  }
  return success();
}

Attribute DimAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  bool open = false;
  auto entry = [&]() -> ParseResult {
    if (open)
      return parser.emitError(parser.getCurrentLocation(),
                              "'?' must come last");
    if (succeeded(parser.parseOptionalQuestion())) {
      open = true;
      return success();
    }
    return parseName(parser, axes);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, entry))
    return {};
  return get(parser.getContext(), axes, open);
}

void DimAttr::print(AsmPrinter &printer) const {
  printer << "{";
  printNames(printer, getAxes());
  if (getOpen())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << "}";
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  StringAttr mesh;
  SmallVector<DimAttr> dims;
  SmallVector<StringAttr> partial;
  SMLoc loc = parser.getCurrentLocation();
  auto dim = [&]() -> ParseResult {
    auto attr = dyn_cast_or_null<DimAttr>(DimAttr::parse(parser, {}));
    dims.push_back(attr);
    return success(attr != nullptr);
  };
  if (parser.parseLess() || parser.parseSymbolName(mesh) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, dim))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("partial") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
          return parseName(parser, partial);
        }))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    FlatSymbolRefAttr::get(mesh), dims, partial);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<" << getMesh() << ", [";
  llvm::interleaveComma(getDims(), printer,
                        [&](DimAttr dim) { dim.print(printer); });
  printer << "]";
  if (!getPartial().empty()) {
    printer << ", partial = {";
    printNames(printer, getPartial());
    printer << "}";
  }
  printer << ">";
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   FlatSymbolRefAttr mesh,
                                   ArrayRef<DimAttr> dims,
                                   ArrayRef<StringAttr> partial) {
  llvm::SmallPtrSet<StringAttr, 8> seen;
  auto once = [&](StringAttr axis) -> LogicalResult {
    if (seen.insert(axis).second)
      return success();
    return emitError() << "axis " << axis
                       << " occurs twice in a sharding: an axis splits one "
                          "dim, or the tensor is partial over it";
  };
  for (DimAttr dim : dims)
    for (StringAttr axis : dim.getAxes())
      if (failed(once(axis)))
        return failure();
  for (StringAttr axis : partial)
    if (failed(once(axis)))
      return failure();
  return success();
}
