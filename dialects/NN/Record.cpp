//===- Record.cpp - The record of a parameter -----------------------------===//

#include "dialects/NN/Record.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc::nn;

RecordAttr RecordAttr::withInit(Init init) {
  return get(getContext(), init, getDecay(), getSource(), getTransposed(),
             getPlusOne(), getCopies(), getUses());
}

RecordAttr RecordAttr::withSource(SourceAttr source) {
  return get(getContext(), getInit(), getDecay(), source, getTransposed(),
             getPlusOne(), getCopies(), getUses());
}

RecordAttr RecordAttr::withTransposed(bool transposed) {
  return get(getContext(), getInit(), getDecay(), getSource(), transposed,
             getPlusOne(), getCopies(), getUses());
}

RecordAttr RecordAttr::withPlusOne(bool plusOne) {
  return get(getContext(), getInit(), getDecay(), getSource(), getTransposed(),
             plusOne, getCopies(), getUses());
}

RecordAttr RecordAttr::withCopies(ArrayRef<SourceAttr> copies) {
  return get(getContext(), getInit(), getDecay(), getSource(), getTransposed(),
             getPlusOne(), copies, getUses());
}

RecordAttr RecordAttr::withUses(ArrayRef<int64_t> uses) {
  return get(getContext(), getInit(), getDecay(), getSource(), getTransposed(),
             getPlusOne(), getCopies(), uses);
}

RecordAttr
RecordAttr::mapSources(llvm::function_ref<SourceAttr(SourceAttr)> map) {
  SourceAttr source = getSource() ? map(getSource()) : SourceAttr();
  SmallVector<SourceAttr> copies = llvm::map_to_vector(getCopies(), map);
  return get(getContext(), getInit(), getDecay(), source, getTransposed(),
             getPlusOne(), copies, getUses());
}

RecordAttr RecordAttr::ofState() {
  return get(getContext(), std::nullopt, getDecay(), getSource(),
             getTransposed(), getPlusOne(), {}, {});
}

LogicalResult
RecordAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   std::optional<Init>, bool, SourceAttr, bool, bool,
                   ArrayRef<SourceAttr>, ArrayRef<int64_t> uses) {
  if (uses.size() % 2)
    return emitError() << "has uses with " << uses.size()
                       << " numbers, which are no pairs (node, operand)";
  return success();
}

/// Parses `<name = "w", ...>`.
static FailureOr<SourceAttr> parseSource(AsmParser &parser) {
  auto source = dyn_cast_or_null<SourceAttr>(SourceAttr::parse(parser, Type()));
  if (!source)
    return failure();
  return source;
}

ParseResult pcc::nn::parseRecord(AsmParser &parser, RecordAttr &record) {
  std::optional<Init> init;
  if (succeeded(parser.parseOptionalKeyword("init"))) {
    StringRef word;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    init = symbolizeInit(word);
    if (!init)
      return parser.emitError(at) << "'" << word << "' is no initial value";
  }
  auto has = [&](StringRef word) {
    return succeeded(parser.parseOptionalKeyword(word));
  };
  bool decay = has("decay");
  SourceAttr source;
  if (has("source")) {
    FailureOr<SourceAttr> parsed = parseSource(parser);
    if (failed(parsed))
      return failure();
    source = *parsed;
  }
  bool transposed = has("transposed"), plusOne = has("plus_one");
  SmallVector<SourceAttr> copies;
  if (has("copies") &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        FailureOr<SourceAttr> parsed = parseSource(parser);
        if (succeeded(parsed))
          copies.push_back(*parsed);
        return ParseResult(parsed);
      }))
    return failure();
  SmallVector<int64_t> uses;
  if (has("uses") &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(uses.emplace_back());
      }))
    return failure();
  auto refuse = [&] { return parser.emitError(parser.getNameLoc()); };
  if (failed(RecordAttr::verify(refuse, init, decay, source, transposed,
                                plusOne, copies, uses)))
    return failure();
  record = RecordAttr::get(parser.getContext(), init, decay, source, transposed,
                           plusOne, copies, uses);
  return success();
}

void pcc::nn::printRecord(AsmPrinter &printer, RecordAttr record) {
  // Entries are separated by spaces; the printer of an op has printed one.
  StringRef space;
  auto begin = [&](StringRef word) -> raw_ostream & {
    raw_ostream &os = printer.getStream() << space << word;
    space = " ";
    return os;
  };
  if (record.getInit())
    begin("init ") << stringifyInit(*record.getInit());
  if (record.getDecay())
    begin("decay");
  if (record.getSource()) {
    begin("source ");
    record.getSource().print(printer);
  }
  if (record.getTransposed())
    begin("transposed");
  if (record.getPlusOne())
    begin("plus_one");
  if (!record.getCopies().empty()) {
    begin("copies [");
    llvm::interleaveComma(record.getCopies(), printer.getStream(),
                          [&](SourceAttr copy) { copy.print(printer); });
    printer << "]";
  }
  if (!record.getUses().empty()) {
    begin("uses [");
    llvm::interleaveComma(record.getUses(), printer.getStream());
    printer << "]";
  }
}

Attribute RecordAttr::parse(AsmParser &parser, Type) {
  RecordAttr record;
  if (parser.parseLess() || parseRecord(parser, record) ||
      parser.parseGreater())
    return {};
  return record;
}

void RecordAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printRecord(printer, *this);
  printer << ">";
}
