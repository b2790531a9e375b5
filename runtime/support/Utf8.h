//===- Utf8.h - UTF-8 decoding ----------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_UTF8_H
#define PCC_RUNTIME_SUPPORT_UTF8_H

#include <cstddef>
#include <string_view>

namespace pcc {

/// Returns the bytes of the UTF-8 character at the begin of a text; 0 if there
/// is no valid one or the text is empty.
inline size_t utf8Length(std::string_view text) {
  if (text.empty())
    return 0;
  auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = at(0);
  if (first < 0x80)
    return 1;
  size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates, and code points above U+10FFFF.
  bool isNone =
      (first == 0xe0 && at(1) < 0xa0) || (first == 0xed && at(1) > 0x9f) ||
      (first == 0xf0 && at(1) < 0x90) || (first == 0xf4 && at(1) > 0x8f);
  return isNone ? 0 : length;
}

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_UTF8_H
