//===- Phrases.cpp - Lists in messages ------------------------------------===//

#include "frontend/weights/Phrases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

std::string pcc::frontend::conjoin(ArrayRef<StringRef> names) {
  std::string text;
  for (auto [i, name] : enumerate(names))
    text += (Twine(i == 0                  ? ""
                   : i + 1 == names.size() ? " and "
                                           : ", ") +
             "'" + name + "'")
                .str();
  return text;
}

std::string pcc::frontend::listSome(ArrayRef<std::string> texts,
                                    StringRef noun) {
  constexpr size_t kMost = 24;
  std::string text = join(texts.take_front(kMost), ", ");
  if (texts.size() > kMost)
    text += (", and " + Twine(texts.size() - kMost) + " more" + noun).str();
  return text;
}
