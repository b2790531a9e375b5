//===- Images.cpp - GPU code within an object -----------------------------===//

#include "passes/Codegen/Emit/Images.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace pcc;

namespace {
/// Adds constants to a module.
class Constants {
public:
  explicit Constants(llvm::Module &module) : module(module) {}

  llvm::Constant *i32(int64_t value) { return integer(32, value); }
  llvm::Constant *i64(int64_t value) { return integer(64, value); }

  /// Adds a private constant; returns its address.
  llvm::GlobalVariable *add(StringRef name, llvm::Constant *value) {
    return new llvm::GlobalVariable(module, value->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, value,
                                    name);
  }
  /// Adds bytes with a terminating zero.
  llvm::GlobalVariable *addBytes(StringRef name, StringRef bytes) {
    return add(name,
               llvm::ConstantDataArray::getString(module.getContext(), bytes));
  }
  /// Adds an array and returns its address; null without elements.
  llvm::Constant *addArray(StringRef name,
                           ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return llvm::ConstantPointerNull::get(
          llvm::PointerType::getUnqual(module.getContext()));
    auto *type =
        llvm::ArrayType::get(elements.front()->getType(), elements.size());
    return add(name, llvm::ConstantArray::get(type, elements));
  }

private:
  llvm::Constant *integer(unsigned bits, int64_t value) {
    return llvm::ConstantInt::get(
        llvm::Type::getIntNTy(module.getContext(), bits), value);
  }

  llvm::Module &module;
};
} // namespace

void pcc::addImages(llvm::Module &module, ArrayRef<codegen::DeviceImage> images,
                    ArrayRef<codegen::DeviceKernel> kernels) {
  Constants constants(module);
  SmallVector<llvm::Constant *> all, names, shared;
  for (const codegen::DeviceImage &image : images) {
    llvm::GlobalVariable *code = constants.addBytes("pcc.image", image.code);
    // The driver reads a cubin's tables in place.
    code->setAlignment(llvm::Align(64));
    int64_t bytes = image.code.size() + image.isPtx;
    all.push_back(llvm::ConstantStruct::getAnon({constants.i32(image.chip),
                                                 constants.i32(image.isPtx),
                                                 constants.i64(bytes), code}));
  }
  for (const codegen::DeviceKernel &kernel : kernels) {
    names.push_back(constants.addBytes("pcc.kernel_name", kernel.name));
    shared.push_back(constants.i32(kernel.shared));
  }
  llvm::Constant *made = llvm::ConstantStruct::getAnon(
      {constants.i32(all.size()), constants.addArray("pcc.images", all),
       constants.i32(names.size()),
       constants.addArray("pcc.kernel_names", names),
       constants.addArray("pcc.kernel_shared", shared)});
  new llvm::GlobalVariable(module, made->getType(), true,
                           llvm::GlobalValue::ExternalLinkage, made,
                           "pcc_the_device_code");
}
