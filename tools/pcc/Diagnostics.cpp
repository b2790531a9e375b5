//===- Diagnostics.cpp - Printing of diagnostics --------------------------===//

#include "tools/pcc/Diagnostics.h"
#include "dialects/NN/Location.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pcc;

/// Returns the position in a text file that a location contains.
static FileLineColLoc placeOf(Location loc) {
  if (auto place = dyn_cast<FileLineColLoc>(loc))
    return place;
  if (auto name = dyn_cast<NameLoc>(loc))
    return placeOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = placeOf(part))
        return place;
  return {};
}

/// Returns a message on one line that is safe for a terminal: names in a model
/// may contain any bytes, also control sequences.
static std::string printable(StringRef message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto *end = reinterpret_cast<const llvm::UTF8 *>(message.end());
  for (size_t i = 0; i < message.size();) {
    auto *at = reinterpret_cast<const llvm::UTF8 *>(message.data() + i);
    size_t length = llvm::getNumBytesForUTF8(*at);
    bool isText = *at >= ' ' && *at != 0x7f && i + length <= message.size() &&
                  llvm::isLegalUTF8Sequence(at, end);
    if (isText)
      os << message.substr(i, length);
    else
      os << "\\" << llvm::format_hex_no_prefix(*at, 2, /*Upper=*/true);
    i += isText ? length : 1;
  }
  return text;
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context, std::string file,
                                     bool showRemarks)
    : context(context), file(std::move(file)), showRemarks(showRemarks) {
  handler =
      context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
        print(diagnostic);
        return success();
      });
}

DiagnosticPrinter::~DiagnosticPrinter() {
  context.getDiagEngine().eraseHandler(handler);
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  DiagnosticSeverity severity = diagnostic.getSeverity();
  if (severity == DiagnosticSeverity::Remark && !showRemarks)
    return;
  std::string message = diagnostic.str();
  // The format of emitOpError, which only internal errors have.
  if (severity == DiagnosticSeverity::Error && !message.empty() &&
      message[0] == '\'' && StringRef(message).contains("' op "))
    internalError = true;
  raw_ostream &os = llvm::errs();
  Location loc = diagnostic.getLocation();
  FileLineColLoc place = placeOf(loc);
  // Inputs such as ONNX files have no lines.
  if (place && place.getLine())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  else
    os << file << ": ";
  switch (severity) {
  case DiagnosticSeverity::Error:
    error = true;
    os << "error: ";
    break;
  case DiagnosticSeverity::Warning:
    os << "warning: ";
    break;
  case DiagnosticSeverity::Note:
    os << "note: ";
    break;
  case DiagnosticSeverity::Remark:
    os << "remark: ";
    break;
  }
  StringRef node = nn::sourceNode(loc);
  if (severity != DiagnosticSeverity::Note && !node.empty() &&
      !StringRef(message).contains(node))
    os << "'" << printable(node) << "': ";
  // Internal errors may have several lines.
  os << (internalError ? message : printable(message)) << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}
