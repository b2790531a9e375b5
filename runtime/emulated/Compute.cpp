//===- Compute.cpp - Computation on an emulated device --------------------===//
//
// Calls enqueue work on the device and return. Transfers and collectives on
// other streams are requests of the communication thread, as on CPUs. On the
// compute stream the device issues them and waits.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/Copy.h"
#include "runtime/cpu/Gemm.h"
#include "runtime/cpu/Streams.h"
#include "runtime/emulated/Arena.h"
#include "runtime/emulated/Emulator.h"
#include "runtime/emulated/FusedGemm.h"
#include "runtime/host/Filling.h"
#include "runtime/host/Threads.h"
#include "runtime/support/Error.h"

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

// Symbols of the compiled program, if it has device code. Names as in C.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
extern const pcc_emu_kernel pcc_emu_kernels[] __attribute__((weak));
extern const int64_t pcc_emu_kernel_count __attribute__((weak));
// NOLINTEND(readability-identifier-naming)
}

using namespace pcc;

/// Whether a buffer of a kernel is a constant, which is outside the arena.
static bool isConstant(const pcc_context &context, const void *place) {
  auto *constant = static_cast<const pcc_context::Constant *>(place);
  std::less<const pcc_context::Constant *> isBefore;
  const pcc_context::Constant *first = context.constants.data();
  return !isBefore(constant, first) &&
         isBefore(constant, first + context.constants.size());
}

KernelCodes pcc::kernelCodes() {
  // Undefined weak symbols have a null address.
  if (!&pcc_emu_kernel_count)
    return {nullptr, 0};
  return {pcc_emu_kernels, pcc_emu_kernel_count};
}

/// The device code of a kernel.
static const pcc_emu_kernel *codeOf(const char *name) {
  static const auto &codes = *[] {
    auto *codes = new std::unordered_map<std::string, const pcc_emu_kernel *>;
    for (int64_t i = 0; i < kernelCodes().count; ++i)
      (*codes)[kernelCodes().first[i].name] = &kernelCodes().first[i];
    return codes;
  }();
  auto it = codes.find(name);
  if (it == codes.end())
    fail(ExitInternal, format("the program has no device code of %s", name));
  return it->second;
}

/// The device addresses of a launch's buffers.
static std::vector<void *> placesOf(pcc_context *ctx, const pcc_kernel *kernel,
                                    void *const *args) {
  std::vector<void *> places(args, args + kernel->n_args);
  for (void *&place : places)
    if (!isConstant(*ctx, place))
      place = reach(place);
  return places;
}

void pcc_launch(pcc_context *ctx, const pcc_kernel *kernel, void *const *args) {
  std::vector<void *> places = placesOf(ctx, kernel, args);
  if (!kernel->run) {
    const pcc_emu_kernel *code = codeOf(kernel->name);
    return device().enqueue(kernel->name, "",
                            [=] { pcc_emu_launch(code, places.data()); });
  }
  // A CPU program, which runs here to test its streams.
  device().enqueue(kernel->name, "", [=] {
    runWorkItems(ctx->threads, kernel->run, places.data(), kernel->units,
                 kernel->grain);
  });
}

void pcc_launch_async(pcc_context *ctx, int32_t stream,
                      const pcc_kernel *kernel, void *const *args) {
  const pcc_emu_kernel *code = kernel->run ? nullptr : codeOf(kernel->name);
  auto request = std::make_unique<Request>();
  request->name = kernel->name;
  request->post = [code, kernel, places = placesOf(ctx, kernel, args)](
                      int64_t, int, int, Posted &) {
    if (code)
      pcc_emu_launch(code, places.data());
    else
      kernel->run(places.data(), 0, kernel->units);
    return false;
  };
  issueOn(ctx, stream, std::move(request), /*bytes=*/0);
}

void pcc_gemm(pcc_context *ctx, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c) {
  Matrices matrices{reach(a), reach(b), reach(c)};
  device().enqueue("gemm", "",
                   [=] { multiply(*desc, matrices, ctx->threads); });
}

void pcc_gemm_fused(pcc_context *ctx, const pcc_fused_desc *desc, const void *a,
                    const void *b, void *c, void *vector, void *matrix,
                    const void *added) {
  Matrices matrices{reach(a), reach(b), reach(c)};
  EpilogueOperands besides{vector ? reach(vector) : nullptr,
                           matrix ? reach(matrix) : nullptr,
                           added ? reach(added) : nullptr};
  device().enqueue("gemm", "", [=] {
    multiplyFused(*desc, matrices, besides, ctx->threads);
  });
}

void pcc_copy(pcc_context *ctx, void *to, const void *from, int64_t bytes) {
  char *target = reach(to), *source = reach(from);
  device().enqueue("copy", "", [=] { copyBytes(*ctx, target, source, bytes); });
}

void pcc_zero(pcc_context *ctx, void *to, int64_t bytes) {
  char *target = reach(to);
  device().enqueue("clear", "", [=] { clearBytes(*ctx, target, bytes); });
}

void pcc_forget(pcc_context *, void *buffer, int64_t bytes) {
  char *place = reach(buffer);
  device().enqueue("release", "", [=] { poison(place, bytes); });
}

void pcc::keepLaunchOrder(pcc_context *ctx, Request &request) {
  // As NCCL does on devices. A process that joined alone does not communicate.
  if (communication::transport())
    request.launchIn(ctx->launches);
}

void pcc::issueOn(pcc_context *ctx, int32_t stream,
                  std::unique_ptr<Request> request, int64_t bytes) {
  prepareRequest(ctx, stream, *request, bytes);
  // A process that joined alone has no communication thread to run the request.
  if (stream == PCC_COMPUTE_STREAM || !communication::transport())
    return device().enqueueMessage(std::move(request));
  device().holdAtRandom(*request);
  communication::issue(stateOf(ctx, stream).stream, std::move(request));
}

void pcc_fill(pcc_context *ctx, int32_t input, int64_t microbatch, void *to,
              int64_t bytes) {
  pcc_fill_async(ctx, PCC_COMPUTE_STREAM, input, microbatch, to, bytes);
}

void pcc_fill_async(pcc_context *ctx, int32_t stream, int32_t input,
                    int64_t microbatch, void *to, int64_t bytes) {
  // The host fills memory of its own now; the stream copies from there.
  auto filled = std::make_shared<std::vector<char>>(bytes);
  filling::fill(input, microbatch, filled->data());
  auto request = std::make_unique<Request>();
  request->name = "fill";
  request->detail = " from the host";
  request->post = [filled, target = reach(to)](int64_t, int, int, Posted &) {
    memcpy(target, filled->data(), filled->size());
    return false;
  };
  issueOn(ctx, stream, std::move(request), bytes);
}

void pcc_record(pcc_context *ctx, int32_t stream, int32_t event) {
  eventEntry(ctx, event) = stream == PCC_COMPUTE_STREAM
                               ? device().recorded()
                               : recordedOn(ctx, stream);
}

void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event) {
  const Event &recorded = lastRecord(ctx, event);
  if (stream == PCC_COMPUTE_STREAM)
    device().enqueueWait(recorded);
  else
    stateOf(ctx, stream).waits.push_back(recorded);
}
