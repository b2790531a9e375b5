//===- Device.cpp - Kernels of a program for GPUs -------------------------===//

#include "passes/Codegen/Gpu/Device.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

std::string codegen::deviceName(StringRef kernel) {
  std::string name = kernel.str();
  std::replace(name.begin(), name.end(), '.', '$');
  return name;
}

DeviceKernel codegen::describeDeviceKernel(gpu::GPUFuncOp function) {
  DeviceKernel kernel;
  kernel.name = function.getName().str();
  kernel.grid = (*function.getKnownGridSize())[0];
  kernel.block = (*function.getKnownBlockSize())[0];
  kernel.shared = function->getAttrOfType<IntegerAttr>(kSharedAttr).getInt();
  for (auto [i, type] :
       llvm::enumerate(function.getFunctionType().getInputs())) {
    auto buffer = cast<MemRefType>(type);
    auto inplace = function.getArgAttrOfType<IntegerAttr>(i, rt::kInplaceAttr);
    bool isRead =
        !!function.getArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName());
    kernel.buffers.push_back(
        {buffer.getNumElements() *
             int64_t(llvm::divideCeil(buffer.getElementTypeBitWidth(), 8)),
         buffer.getElementType(), !isRead,
         inplace ? int(inplace.getInt()) : -1});
  }
  return kernel;
}

std::vector<DeviceKernel> codegen::listDeviceKernels(gpu::GPUModuleOp module) {
  std::vector<DeviceKernel> kernels;
  for (auto function : module.getOps<gpu::GPUFuncOp>())
    kernels.push_back(describeDeviceKernel(function));
  return kernels;
}
