//===- VerifyTaskShardings.cpp - Shardings of buffers between tasks -------===//
//
// The value check covers single functions. But a reduction of gradients is a
// function of its own, which works in place, and no function shows that it is
// called exactly once. So functions declare the shardings of their arguments
// before and after a call:
//
//     rt.call @backward.0.body(%g)     // adds to %g, which is partial over dp
//     rt.call @reduce.0.0.body(%g)     // reduces %g
//     rt.call @update.0.body(%g)       // takes the reduced %g, leaves zero,
//                                      // which is partial over dp again
//
// The check compares partial axes between calls. Sharded dims are not compared
// there, because members of a bucket have other shapes. But a buffer with
// memory of its own must be sharded as it declares, because the runtime reads
// and writes it so.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyTaskShardings.h"
#include "dialects/RT/Persistence.h"
#include "passes/Codegen/Verify/ArgumentUses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;

namespace {

/// The axes over which a value is a partial sum and those over which it is a
/// partial maximum, each sorted.
using PartialAxes =
    std::pair<SmallVector<StringRef, 2>, SmallVector<StringRef, 2>>;

struct ArgumentSharding {
  ArgumentUse made;
  /// The partial axes of an argument before and after the call; nothing if the
  /// function does not declare them.
  std::optional<PartialAxes> before, after;
  /// Its sharding; null if the function does not declare it.
  dist::ShardingAttr sharding;
};

class SumVerifier {
public:
  SumVerifier(rt::StageOp stage, rt::ProgramOp program)
      : stage(stage), program(program), symbols(stage), persistent(stage) {}
  LogicalResult verify();

private:
  LogicalResult run(Block &block);
  LogicalResult run(rt::CallOp call);
  ArrayRef<ArgumentSharding> usesOf(rt::FuncOp function);
  dist::ShardingAttr shardingOf(rt::FuncOp function, int64_t value);
  std::optional<PartialAxes> partialAxesOf(rt::FuncOp function, int64_t value);
  LogicalResult checkSharding(rt::CallOp call, Value value,
                              const ArgumentSharding &use);
  /// Returns the buffer that a value is an address of; for a member of a
  /// bucket, the bucket.
  rt::BufferOp bufferOf(Value value);

  rt::StageOp stage;
  rt::ProgramOp program;
  SymbolTable symbols;
  /// Gradients, or the buckets that hold them: dead when an entry point starts.
  rt::PersistentBuffers persistent;
  llvm::DenseMap<Operation *, SmallVector<ArgumentSharding>> uses;
  /// In the current entry point: partial axes of buffers, now and at first use.
  llvm::MapVector<Operation *, PartialAxes> held, first;
};

} // namespace

static std::string describe(const PartialAxes &parts) {
  if (parts.first.empty() && parts.second.empty())
    return "not partial";
  std::string text = "partial";
  if (!parts.first.empty())
    text += " over " + llvm::join(parts.first, ", ");
  if (!parts.second.empty())
    text += ", as a maximum over " + llvm::join(parts.second, ", ");
  return text;
}

rt::BufferOp SumVerifier::bufferOf(Value value) {
  auto address = rt::getViewedBuffer(value).getDefiningOp<rt::AddressOp>();
  if (!address)
    return {};
  auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
  if (auto bucket = buffer.getBucket())
    return symbols.lookup<rt::BufferOp>(*bucket);
  return buffer;
}

dist::ShardingAttr SumVerifier::shardingOf(rt::FuncOp function, int64_t value) {
  auto layouts = function->getAttrOfType<ArrayAttr>(rt::kLayoutsAttr);
  if (!layouts || value < 0 || value >= int64_t(layouts.size()))
    return {};
  return dyn_cast<dist::ShardingAttr>(layouts[value]);
}

std::optional<PartialAxes> SumVerifier::partialAxesOf(rt::FuncOp function,
                                                      int64_t value) {
  dist::ShardingAttr layout = shardingOf(function, value);
  if (!layout)
    return std::nullopt;
  auto namesOf = [&](ArrayRef<StringAttr> axes) {
    SmallVector<StringRef, 2> names;
    for (StringAttr axis : axes)
      // Over the pipeline axis each stage has its own partial sum.
      if (!program ||
          !program.getAxes().hasRole(ArrayAttr::get(stage.getContext(), axis),
                                     dist::AxisRole::Pipeline))
        names.push_back(axis.getValue());
    llvm::sort(names);
    return names;
  };
  return PartialAxes(namesOf(layout.getPartial()),
                     namesOf(layout.getPartialMax()));
}

ArrayRef<ArgumentSharding> SumVerifier::usesOf(rt::FuncOp function) {
  auto [it, isNew] = uses.try_emplace(function);
  SmallVector<ArgumentSharding> &found = it->second;
  if (!isNew)
    return found;
  unsigned count = function.getBlock()->getNumArguments();
  found.resize(count);
  auto values = function->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr);
  if (!values || values.size() != int64_t(2 * count))
    return found;
  SmallVector<ArgumentUse> made = findArgumentUses(function);
  for (auto [i, use] : llvm::enumerate(found)) {
    use.made = made[i];
    use.before = partialAxesOf(function, values[i]);
    if (!function.isDeadAfterCall(i))
      use.after = partialAxesOf(function, values[count + i]);
    use.sharding = shardingOf(function, values[i]);
    if (!use.sharding)
      use.sharding = shardingOf(function, values[count + i]);
  }
  return found;
}

LogicalResult SumVerifier::checkSharding(rt::CallOp call, Value value,
                                         const ArgumentSharding &use) {
  auto address = value.getDefiningOp<rt::AddressOp>();
  if (!address || !use.sharding)
    return success();
  auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
  rt::LayoutAttr layout = buffer.getLayoutAttr();
  if (!layout)
    return success();
  auto dims = layout.getAxes().getAsRange<ArrayAttr>();
  bool isAlike =
      layout.getAxes().size() == use.sharding.getDims().size() &&
      llvm::all_of(llvm::zip(dims, use.sharding.getDims()), [](auto dim) {
        auto [axes, own] = dim;
        return llvm::equal(axes.template getAsRange<StringAttr>(),
                           own.getAxes());
      });
  if (isAlike)
    return success();
  return call.emitOpError()
         << "takes @" << address.getBuffer() << " as " << use.sharding
         << ", but it is sharded over " << layout.getAxes() << " in memory";
}

LogicalResult SumVerifier::run(rt::CallOp call) {
  auto function = symbols.lookup<rt::FuncOp>(call.getCallee());
  ArrayRef<ArgumentSharding> uses = usesOf(function);
  for (auto [value, use] : llvm::zip(call.getArgs(), uses)) {
    rt::BufferOp buffer = bufferOf(value);
    if (failed(checkSharding(call, value, use)))
      return failure();
    if (!buffer || !use.made.isRead || !use.before)
      continue;
    auto now = held.find(buffer);
    if (now == held.end()) {
      held[buffer] = first[buffer] = *use.before;
      continue;
    }
    if (now->second != *use.before)
      return call.emitOpError() << "expects @"
                                << rt::getViewedBuffer(value)
                                       .getDefiningOp<rt::AddressOp>()
                                       .getBuffer()
                                << ' ' << describe(*use.before)
                                << ", but it is " << describe(now->second);
  }
  for (auto [value, use] : llvm::zip(call.getArgs(), uses)) {
    rt::BufferOp buffer = bufferOf(value);
    if (!buffer || !use.made.isWritten)
      continue;
    if (use.after)
      held[buffer] = *use.after;
    else
      held.erase(buffer);
  }
  return success();
}

LogicalResult SumVerifier::run(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<rt::ForOp>(op)) {
      // The second iteration starts from the result of the first.
      for (int turn = 0; turn < 2; ++turn)
        if (failed(run(*loop.getBlock())))
          return failure();
    } else if (auto call = dyn_cast<rt::CallOp>(op)) {
      if (failed(run(call)))
        return failure();
    } else {
      // Zeros in the gaps of a bucket are partial over any axes.
      bool isZero =
          isa<rt::ZeroOp>(op) && op.getOperand(0).getDefiningOp<rt::ViewOp>();
      for (const rt::Access &access : rt::getAccesses(&op))
        if (rt::BufferOp buffer = bufferOf(access.buffer);
            buffer && access.isWrite && !isZero)
          held.erase(buffer);
    }
  }
  return success();
}

LogicalResult SumVerifier::verify() {
  for (StringRef name : rt::kEntries) {
    auto entry = symbols.lookup<rt::FuncOp>(name);
    if (!entry)
      continue;
    held.clear();
    first.clear();
    if (failed(run(*entry.getBlock())))
      return failure();
    for (auto &[op, parts] : first) {
      auto buffer = cast<rt::BufferOp>(op);
      auto now = held.find(op);
      if (persistent.contains(buffer) && now != held.end() &&
          now->second != parts)
        return buffer.emitOpError()
               << "is left " << describe(now->second) << " by @" << name
               << ", which expects it " << describe(parts);
    }
  }
  return success();
}

LogicalResult pcc::verifySums(rt::StageOp stage, rt::ProgramOp program) {
  return SumVerifier(stage, program).verify();
}
