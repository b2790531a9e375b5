//===- SafeTensors.cpp - Fuzzes the safetensors reader --------------------===//

#include "runtime/model/SafeTensors.h"
#include "test/Fuzz/Fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::write("a", std::string(reinterpret_cast<const char *>(data), size));
  try {
    pcc::SafeTensors file(fuzz::folder() + "/a", pcc::ExitData, "weights");
    for (const char *name : {"a", "b", ""})
      if (const auto *tensor = file.find(name)) {
        const char *bytes = file.read(*tensor, 0, tensor->bytes);
        for (int64_t i = 0; i < tensor->bytes; ++i)
          fuzz::use(bytes[i]);
      }
  } catch (const fuzz::Failure &) {
  }
  return 0;
}
