//===- OptionText.h - Users' texts in the text of a pipeline ----*- C++ -*-===//
//
// The phases are pipelines written as text, in which spaces, commas, braces and
// quotes have a meaning. What a user typed, such as a node's name for
// --stage-cut, stands in it with %XX for such characters:
//
//   --stage-cut 'my node'    nn-stage-cuts{stages=2 cut=my%20node}
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_OPTIONTEXT_H
#define PCC_PASSES_OPTIONTEXT_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace pcc {

/// `value` as an option's value in a pipeline.
inline std::string escapeOption(llvm::StringRef value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned char c : value)
    if (llvm::isAlnum(c) || llvm::StringRef("/._:,+-").contains(c))
      os << c;
    else
      os << '%' << llvm::hexdigit(c >> 4) << llvm::hexdigit(c & 15);
  return text;
}

/// What escapeOption() was given. A text without codes stays as it is.
inline std::string unescapeOption(llvm::StringRef text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code;
    bool isCode = text[i] == '%' && text.size() - i > 2 &&
                  !text.substr(i + 1, 2).getAsInteger(16, code);
    value += isCode ? static_cast<char>(code) : text[i];
    i += isCode ? 2 : 0;
  }
  return value;
}

} // namespace pcc

#endif // PCC_PASSES_OPTIONTEXT_H
