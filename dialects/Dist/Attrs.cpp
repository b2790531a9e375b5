//===- Attrs.cpp - Syntax and invariants of dist attributes ---------------===//

#include "dialects/Dist/Dist.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
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

std::optional<AxisRole> pcc::dist::impliedRole(StringRef name) {
  return llvm::StringSwitch<std::optional<AxisRole>>(name)
      .Case("pp", AxisRole::Pipeline)
      .Case("dp", AxisRole::Data)
      .Case("cp", AxisRole::Sequence)
      .Cases({"tp", "tp_kv", "tp_rep"}, AxisRole::Tensor)
      .Case("ep", AxisRole::Expert)
      .Default(std::nullopt);
}

Attribute MeshAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  SmallVector<AxisRole> roles;
  auto axis = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    if (parseName(parser, names) || parser.parseEqual() ||
        parser.parseInteger(sizes.emplace_back()))
      return failure();
    SMLoc roleLoc = parser.getCurrentLocation();
    std::optional<AxisRole> role = impliedRole(names.back());
    StringRef stated;
    if (succeeded(parser.parseOptionalKeyword(&stated))) {
      role = symbolizeAxisRole(stated);
      if (!role)
        return parser.emitError(roleLoc)
               << "unknown role '" << stated
               << "'; expected pipeline, data, sequence, tensor or expert";
    }
    if (!role)
      return parser.emitError(loc)
             << "mesh axis " << names.back()
             << " needs a role after its size: pipeline, data, sequence, "
                "tensor or expert";
    roles.push_back(*role);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, axis) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    names, sizes, roles);
}

void MeshAxesAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(llvm::zip(getNames(), getSizes(), getRoles()), printer,
                        [&](auto axis) {
                          auto [name, size, role] = axis;
                          printer << name << "=" << size;
                          if (impliedRole(name) != role)
                            printer << " " << stringifyAxisRole(role);
                        });
  printer << "]>";
}

LogicalResult MeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<StringAttr> names,
                                   ArrayRef<int64_t> sizes,
                                   ArrayRef<AxisRole> roles) {
  if (llvm::count(roles, AxisRole::Pipeline) > 1)
    return emitError() << "a mesh has at most one axis of role pipeline: a "
                          "rank's stage is its index along it";
  llvm::SmallPtrSet<StringAttr, 8> seen;
  int64_t ranks = 1;
  for (auto [name, size, role] : llvm::zip_equal(names, sizes, roles)) {
    if (name.empty())
      return emitError() << "a mesh axis needs a name";
    if (!seen.insert(name).second)
      return emitError() << "mesh axis " << name << " is declared twice";
    if (impliedRole(name).value_or(role) != role)
      return emitError() << "mesh axis " << name << " has role "
                         << stringifyAxisRole(role) << ", but its name implies "
                         << stringifyAxisRole(*impliedRole(name));
    if (size < 2)
      return emitError() << "mesh axis " << name << " has size " << size
                         << "; axes of size 1 are left out";
    if (llvm::MulOverflow(ranks, size, ranks) || ranks > INT32_MAX)
      return emitError() << "a mesh has at most " << INT32_MAX << " ranks";
  }
  return success();
}

std::optional<unsigned> MeshAxesAttr::find(StringRef name) const {
  const auto *found = llvm::find(getNames(), name);
  if (found == getNames().end())
    return std::nullopt;
  return found - getNames().begin();
}

int64_t MeshAxesAttr::extent(AxisRole role) const {
  int64_t ranks = 1;
  for (auto [size, own] : llvm::zip_equal(getSizes(), getRoles()))
    if (own == role)
      ranks *= size;
  return ranks;
}

bool MeshAxesAttr::hasRole(ArrayAttr names, AxisRole role) const {
  return llvm::any_of(names.getAsRange<StringAttr>(), [&](StringAttr name) {
    std::optional<unsigned> axis = find(name);
    return axis && getRoles()[*axis] == role;
  });
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

/// An axis in the short form: a keyword, or a string if it is no keyword.
static ParseResult parseAxis(AsmParser &parser,
                             SmallVectorImpl<StringAttr> &axes) {
  std::string name;
  if (parser.parseKeywordOrString(&name))
    return failure();
  axes.push_back(StringAttr::get(parser.getContext(), name));
  return success();
}

/// Parses the short form after the `<`: `dp:cp, *, tp | sum ep>`.
static ParseResult parseShort(AsmParser &parser, SmallVectorImpl<DimAttr> &dims,
                              SmallVectorImpl<StringAttr> &partial,
                              SmallVectorImpl<StringAttr> &partialMax) {
  auto parseDim = [&]() -> ParseResult {
    SmallVector<StringAttr> axes;
    if (failed(parser.parseOptionalStar()))
      do
        if (parseAxis(parser, axes))
          return failure();
      while (succeeded(parser.parseOptionalColon()));
    dims.push_back(DimAttr::get(parser.getContext(), axes, false));
    return success();
  };
  auto parsePartial = [&]() -> ParseResult {
    bool isMax = succeeded(parser.parseOptionalKeyword("max"));
    if (!isMax && parser.parseKeyword("sum"))
      return failure();
    auto &axes = isMax ? partialMax : partial;
    if (!axes.empty())
      return parser.emitError(parser.getCurrentLocation(),
                              "partial axes are listed twice");
    do
      if (parseAxis(parser, axes))
        return failure();
    while (succeeded(parser.parseOptionalColon()));
    return success();
  };
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  bool hasPartial = succeeded(parser.parseOptionalVerticalBar());
  if (!hasPartial) {
    do
      if (parseDim())
        return failure();
    while (succeeded(parser.parseOptionalComma()));
    hasPartial = succeeded(parser.parseOptionalVerticalBar());
  }
  while (hasPartial) {
    if (parsePartial())
      return failure();
    hasPartial = succeeded(parser.parseOptionalVerticalBar());
  }
  return parser.parseGreater();
}

static void printShort(AsmPrinter &printer, ShardingAttr sharding) {
  auto printAxes = [&](ArrayRef<StringAttr> axes) {
    llvm::interleave(
        axes, printer,
        [&](StringAttr axis) { printer.printKeywordOrString(axis); }, ":");
  };
  printer << "<";
  llvm::interleaveComma(sharding.getDims(), printer, [&](DimAttr dim) {
    if (dim.getAxes().empty())
      printer << "*";
    printAxes(dim.getAxes());
  });
  StringRef separator = sharding.getDims().empty() ? "| " : " | ";
  auto printPartial = [&](StringRef what, ArrayRef<StringAttr> axes) {
    if (axes.empty())
      return;
    printer << separator << what << " ";
    printAxes(axes);
    separator = " | ";
  };
  printPartial("sum", sharding.getPartial());
  printPartial("max", sharding.getPartialMax());
  printer << ">";
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  StringAttr mesh;
  SmallVector<DimAttr> dims;
  SmallVector<StringAttr> partial, partialMax;
  SMLoc loc = parser.getCurrentLocation();
  auto make = [&](FlatSymbolRefAttr mesh) {
    return getChecked([&] { return parser.emitError(loc); },
                      parser.getContext(), mesh, dims, partial, partialMax);
  };
  auto dim = [&]() -> ParseResult {
    auto attr = dyn_cast_or_null<DimAttr>(DimAttr::parse(parser, {}));
    dims.push_back(attr);
    return success(attr != nullptr);
  };
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalSymbolName(mesh))) {
    if (parseShort(parser, dims, partial, partialMax))
      return {};
    return make({});
  }
  if (parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, dim))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("partial"))
      return {};
    bool isMax = succeeded(parser.parseOptionalKeyword("max"));
    auto &names = isMax ? partialMax : partial;
    if (!names.empty()) {
      parser.emitError(parser.getCurrentLocation(),
                       "partial axes are listed twice");
      return {};
    }
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
          return parseName(parser, names);
        }))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return make(FlatSymbolRefAttr::get(mesh));
}

void ShardingAttr::print(AsmPrinter &printer) const {
  if (!getMesh())
    return printShort(printer, *this);
  printer << "<" << getMesh() << ", [";
  llvm::interleaveComma(getDims(), printer,
                        [&](DimAttr dim) { dim.print(printer); });
  printer << "]";
  auto printAxes = [&](StringRef what, ArrayRef<StringAttr> axes) {
    if (axes.empty())
      return;
    printer << ", " << what << " = {";
    printNames(printer, axes);
    printer << "}";
  };
  printAxes("partial", getPartial());
  printAxes("partial max", getPartialMax());
  printer << ">";
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   FlatSymbolRefAttr mesh,
                                   ArrayRef<DimAttr> dims,
                                   ArrayRef<StringAttr> partial,
                                   ArrayRef<StringAttr> partialMax) {
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
  for (ArrayRef<StringAttr> axes : {partial, partialMax})
    for (StringAttr axis : axes)
      if (failed(once(axis)))
        return failure();
  return success();
}
