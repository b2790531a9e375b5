//===- Device.cpp - Device kernels of a program ---------------------------===//

#include "passes/Codegen/Gpu/Device.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Codegen/Gpu/ThreadLayout.h"

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

gpu::GPUFuncOp
codegen::makeDeviceFunction(OpBuilder &builder, func::FuncOp kernel,
                            const llvm::SmallDenseSet<Value> &written) {
  auto function = gpu::GPUFuncOp::create(builder, kernel.getLoc(),
                                         deviceName(kernel.getName()),
                                         kernel.getFunctionType());
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  llvm::SmallDenseSet<int64_t> shared;
  unsigned count = kernel.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    if (auto in = kernel.getArgAttrOfType<IntegerAttr>(i, rt::kInplaceAttr)) {
      function.setArgAttr(i, rt::kInplaceAttr, in);
      shared.insert(i);
      shared.insert(in.getInt());
    }
  for (unsigned i = 0; i < count; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(kAccessBytes));
    if (!shared.contains(i))
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
    if (!written.contains(kernel.getArgument(i)))
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                          builder.getUnitAttr());
  }
  return function;
}

LogicalResult codegen::setLaunch(gpu::GPUFuncOp function, DeviceLaunch launch,
                                 int64_t sharedBytes) {
  if (launch.shared > sharedBytes)
    return function.emitError()
           << "kernel '" << function.getName() << "' needs " << launch.shared
           << " bytes of a block's shared memory; a device has " << sharedBytes;
  if (launch.block > kMostBlock)
    return function.emitError()
           << "kernel '" << function.getName() << "' has blocks of "
           << launch.block << " threads; a GPU allows " << kMostBlock;
  if (launch.grid > INT32_MAX)
    return function.emitError()
           << "kernel '" << function.getName() << "' has " << launch.grid
           << " blocks; a GPU allows 2147483647";
  Builder builder(function.getContext());
  auto sizes = [&](int64_t x) {
    return builder.getDenseI32ArrayAttr({static_cast<int32_t>(x), 1, 1});
  };
  function.setKnownGridSizeAttr(sizes(launch.grid));
  function.setKnownBlockSizeAttr(sizes(launch.block));
  function->setAttr(kSharedAttr, builder.getI64IntegerAttr(launch.shared));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(launch.blocksOfCore));
  return success();
}
