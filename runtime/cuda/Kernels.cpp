//===- Kernels.cpp - Kernel code on the device ----------------------------===//

#include "runtime/cuda/Context.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <string>
#include <unordered_map>

using namespace pcc;
using namespace pcc::cuda;

/// The shared memory of a block without an attribute that requests more.
static const int sharedUnasked = 48 << 10;

/// Whether a device of this compute capability can run an image.
static bool fits(const pcc_device_image &image, int chip) {
  return image.chip <= chip && (image.is_ptx || image.chip / 10 == chip / 10);
}

/// The best machine code, else PTX; null if there is neither.
static const pcc_device_image *chooseImage(const pcc_device_code &code,
                                           int chip) {
  const pcc_device_image *best = nullptr;
  for (int i = 0; i < code.n_images; ++i) {
    const pcc_device_image &image = code.images[i];
    if (fits(image, chip) &&
        (!best || (!image.is_ptx && image.chip > best->chip)))
      best = &image;
  }
  return best;
}

static std::unordered_map<std::string, CUfunction> &functions() {
  static auto &functions = *new std::unordered_map<std::string, CUfunction>;
  return functions;
}

/// Exits if kernels need more shared memory than the device has: a later GPU
/// that runs PTX may have less than the GPUs that the kernels were compiled
/// for.
static void requireShared(const pcc_device_code &code) {
  int there = 0;
  check(driver().cuDeviceGetAttribute(
            &there, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            device().number),
        "a question about the device");
  const int32_t *most =
      std::max_element(code.shared, code.shared + code.n_kernels);
  if (*most <= there)
    return;
  fail(ExitDevice,
       format("a block of %s needs %d bytes of shared memory, and a block of "
              "the device, '%s' of sm_%d, has at most %d",
              code.kernels[most - code.shared], *most, device().name.c_str(),
              device().chip, there),
       format("pcc --gpu-arch sm_%d compiles a program that needs less",
              device().chip));
}

void cuda::loadKernels() {
  const pcc_device_code &code = pcc_the_device_code;
  if (code.n_kernels == 0)
    return;
  const pcc_device_image *image = chooseImage(code, device().chip);
  if (!image)
    fail(ExitDevice,
         format("the program has no code for the device, '%s' of sm_%d",
                device().name.c_str(), device().chip),
         format("pcc --gpu-arch sm_%d compiles one that has", device().chip));
  requireShared(code);
  CUmodule module;
  check(driver().cuModuleLoadData(&module, image->code),
        image->is_ptx ? "the compilation of kernels" : "the load of kernels");
  for (int i = 0; i < code.n_kernels; ++i)
    check(driver().cuModuleGetFunction(&functions()[code.kernels[i]], module,
                                       code.kernels[i]),
          "the look-up of ", code.kernels[i]);
}

/// The function of a kernel, ready to be launched.
static CUfunction prepare(const pcc_kernel &kernel) {
  auto it = functions().find(kernel.name);
  if (it == functions().end())
    fail(ExitInternal,
         format("the program has no device code of %s", kernel.name));
  if (kernel.shared > sharedUnasked)
    check(driver().cuFuncSetAttribute(
              it->second, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              kernel.shared),
          "the choice of shared memory for ", kernel.name, kernel.node);
  return it->second;
}

void pcc_launch(pcc_context *ctx, const pcc_kernel *kernel, void *const *args) {
  pcc_launch_async(ctx, PCC_COMPUTE_STREAM, kernel, args);
}

void pcc_launch_async(pcc_context *ctx, int32_t stream,
                      const pcc_kernel *kernel, void *const *args) {
  static auto &prepared =
      *new std::unordered_map<const pcc_kernel *, CUfunction>;
  CUfunction &function = prepared[kernel];
  if (!function)
    function = prepare(*kernel);
  // The driver takes pointers to the parameters.
  static auto &parameters = *new std::vector<void *>;
  parameters.clear();
  for (int i = 0; i < kernel->n_args; ++i)
    parameters.push_back(const_cast<void **>(&args[i]));
  check(driver().cuLaunchKernel(function, kernel->grid, 1, 1, kernel->block, 1,
                                1, kernel->shared, streamOf(ctx, stream),
                                parameters.data(), nullptr),
        "the launch of ", kernel->name, kernel->node);
}
