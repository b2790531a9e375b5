//===- Onnx.cpp - Any bytes as an ONNX file -------------------------------===//
//
// The reader must reject or import any input: no crash, no read outside the
// file, no unbounded memory. The imported module must verify.
//
//===----------------------------------------------------------------------===//

#include "frontend/import/Import.h"
#include "frontend/import/Support.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

/// Types and attributes live as long as their context.
static MLIRContext &freshContext() {
  static std::unique_ptr<MLIRContext> context;
  static int uses = 0;
  if (!context || ++uses % 1000 == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->getDiagEngine().registerHandler(
        [](Diagnostic &) { return success(); });
  }
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int file = memfd_create("model.onnx", 0);
  if (file < 0 || ftruncate(file, 0) ||
      pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    abort();
  MLIRContext &context = freshContext();
  pcc::ImportOptions options;
  options.seq = 4;
  options.forward = size % 2;
  auto read = pcc::readONNX(context, "/proc/self/fd/" + std::to_string(file));
  if (failed(read))
    return 0;
  (void)pcc::checkSupport(context, *read);
  (void)pcc::importONNX(context, *read, options);
  return 0;
}
