//===- Dump.cpp - Export of kernels to a machine with a GPU ---------------===//

#include "tools/pcc-kernels/Dump.h"
#include "passes/Codegen/Gpu/Toolkit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;
namespace json = llvm::json;

static std::string nameOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Writes a file in the folder.
static LogicalResult write(ModuleOp module, StringRef folder, StringRef name,
                           StringRef bytes) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << bytes;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return module.emitError("cannot write '")
           << path << "': " << error.message();
  return success();
}

namespace {
/// Concatenated pieces of data, each aligned to 16 bytes.
struct Data {
  std::string bytes;

  int64_t add(ArrayRef<unsigned char> piece) {
    bytes.resize(llvm::alignTo(bytes.size(), 16));
    int64_t at = bytes.size();
    bytes.append(piece.begin(), piece.end());
    return at;
  }
};
} // namespace

/// Returns the rows that the operands of a module's kernels refer to, by the
/// kernels' names on devices.
static llvm::StringMap<SmallVector<RowIds>> findAllIds(ModuleOp module) {
  llvm::StringMap<SmallVector<RowIds>> all;
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr(rt::kKernelAttr))
      all[deviceName(kernel.getName())] = findIds(kernel);
  return all;
}

static json::Array buffersOf(const DeviceKernel &kernel,
                             ArrayRef<RowIds> allIds) {
  json::Array buffers;
  for (auto [i, buffer] : llvm::enumerate(kernel.buffers)) {
    json::Object object{{"bytes", buffer.bytes},
                        {"type", nameOf(buffer.element)},
                        {"written", buffer.isWritten}};
    int64_t moved = buffer.bytes;
    for (auto [j, ids] : llvm::enumerate(allIds)) {
      if (ids.rows && i == j) {
        object["rows"] = ids.rows;
        object["sorted"] = ids.areSorted;
        if (ids.areEnds)
          object["ends"] = true;
      }
      if (ids.areInOrder && i == j)
        object["in_order"] = true;
      if (ids.table != int64_t(i))
        continue;
      const DeviceKernel::Buffer &names = kernel.buffers[j];
      int64_t count = names.bytes * 8 / names.element.getIntOrFloatBitWidth();
      moved = std::min(moved, count * (buffer.bytes / ids.rows));
    }
    object["moved"] = moved;
    buffers.push_back(std::move(object));
  }
  return buffers;
}

static json::Object numbersOf(const Expectation &expected, Data &data) {
  json::Array before, after;
  for (const std::vector<unsigned char> &buffer : expected.before)
    before.push_back(buffer.empty() ? -1 : data.add(buffer));
  for (const std::vector<unsigned char> &buffer : expected.after)
    after.push_back(buffer.empty() ? -1 : data.add(buffer));
  return json::Object{{"before", std::move(before)},
                      {"after", std::move(after)},
                      {"allowed", json::Array(expected.allowed)},
                      {"largest", json::Array(expected.largest)}};
}

int pcc::dumpKernels(ModuleOp module, const KernelChoice &choice,
                     StringRef folder, uint64_t seed, bool withData) {
  auto program = compileForDevice(module, choice);
  if (failed(program))
    return 1;
  std::string toolkit = findCudaToolkit(), chip = chipName(choice.chip);
  auto ptx =
      emitPtx(program->device, chipName(chipOfPtx(choice.chip)), toolkit);
  if (failed(ptx))
    return 1;
  auto binary = assemblePtx(module, *ptx, chip, toolkit);
  if (failed(binary))
    return 1;
  std::unique_ptr<Runnable> runnable;
  if (withData && !(runnable = Runnable::create(module, choice)))
    return 1;
  auto ids = findAllIds(module);
  Data data;
  json::Array kernels;
  for (auto [i, kernel] : llvm::enumerate(program->kernels)) {
    json::Object object{{"name", kernel.name},
                        {"grid", kernel.grid},
                        {"block", kernel.block},
                        {"shared", kernel.shared},
                        {"buffers", buffersOf(kernel, ids[kernel.name])}};
    if (runnable) {
      const Runnable::Kernel &ours = runnable->getKernels()[i];
      // Results on numbers of both signs may have the errors of those on
      // positive ones.
      std::vector<double> largest =
          expectationOf(ours, seed, /*isSigned=*/false, {}).largest;
      object["numbers"] = numbersOf(
          expectationOf(ours, seed + 1, /*isSigned=*/true, largest), data);
    }
    kernels.push_back(std::move(object));
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << json::Value(
             json::Object{{"chip", chip}, {"kernels", std::move(kernels)}})
      << "\n";
  if (std::error_code error = llvm::sys::fs::create_directories(folder)) {
    module.emitError("cannot create '") << folder << "': " << error.message();
    return 1;
  }
  return failed(write(module, folder, "kernels.cubin", binary->cubin)) ||
         failed(write(module, folder, "kernels.ptx", *ptx)) ||
         failed(write(module, folder, "kernels.json", text)) ||
         (withData && failed(write(module, folder, "kernels.bin", data.bytes)));
}
