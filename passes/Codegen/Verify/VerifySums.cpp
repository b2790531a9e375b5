//===- VerifySums.cpp - Is each sum reduced when it must be? --------------===//
//
// Within a function --rt-verify knows which value each op means. A reduction of
// gradients is a function of its own, in place: nothing in it, or in another
// function, says that it was called once. But functions say how what they find
// and leave lies:
//
//     rt.call @backward.0.body(%g)     // adds to a part of a sum over dp
//     rt.call @reduce.0.0.body(%g)     // of a part of it makes the sum
//     rt.call @update.0.body(%g)       // takes the sum, leaves a part: zero
//
// Which dims are split is no matter here: members of a bucket lie as other
// shapes. But what lies in memory of its own is split as its buffer says, which
// is what the runtime reads and writes.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifySums.h"
#include "passes/Codegen/Verify/ArgumentUses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;

namespace {

/// The axes over which something is still to be added, and over which it is
/// one of several maxima, in order.
using Parts = std::pair<SmallVector<StringRef, 2>, SmallVector<StringRef, 2>>;

struct Use {
  ArgumentUse made;
  /// How an argument lies before and after the call; nothing if that is not
  /// said.
  std::optional<Parts> before, after;
  /// Likewise, all of it; null if that is not said.
  dist::ShardingAttr lies;
};

class SumVerifier {
public:
  SumVerifier(rt::StageOp stage, rt::ProgramOp program)
      : stage(stage), program(program), symbols(stage),
        gradients(rt::findGradients(stage)) {}
  LogicalResult verify();

private:
  LogicalResult run(Block &block);
  LogicalResult run(rt::CallOp call);
  ArrayRef<Use> usesOf(rt::FuncOp function);
  dist::ShardingAttr layoutOf(rt::FuncOp function, int64_t value);
  std::optional<Parts> partsOf(rt::FuncOp function, int64_t value);
  LogicalResult checkLayout(rt::CallOp call, Value value, const Use &use);
  /// What a value is an address of; of what lies in a bucket, that.
  rt::BufferOp bufferOf(Value value);

  rt::StageOp stage;
  rt::ProgramOp program;
  SymbolTable symbols;
  /// Gradients, and buckets of them: these hold nothing as an entry begins.
  llvm::DenseSet<Operation *> gradients;
  llvm::DenseMap<Operation *, SmallVector<Use>> uses;
  /// Of the entry point at hand: how buffers lie, and lay when it began.
  llvm::MapVector<Operation *, Parts> held, first;
};

} // namespace

static std::string describe(const Parts &parts) {
  if (parts.first.empty() && parts.second.empty())
    return "whole";
  std::string text = "in parts";
  if (!parts.first.empty())
    text += " of a sum over " + llvm::join(parts.first, ", ");
  if (!parts.second.empty())
    text += " of a maximum over " + llvm::join(parts.second, ", ");
  return text;
}

rt::BufferOp SumVerifier::bufferOf(Value value) {
  auto address = rt::getWhole(value).getDefiningOp<rt::AddressOp>();
  if (!address)
    return {};
  auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
  if (auto bucket = buffer.getBucket())
    return symbols.lookup<rt::BufferOp>(*bucket);
  return buffer;
}

dist::ShardingAttr SumVerifier::layoutOf(rt::FuncOp function, int64_t value) {
  auto layouts = function->getAttrOfType<ArrayAttr>(rt::kLayoutsAttr);
  if (!layouts || value < 0 || value >= int64_t(layouts.size()))
    return {};
  return dyn_cast<dist::ShardingAttr>(layouts[value]);
}

std::optional<Parts> SumVerifier::partsOf(rt::FuncOp function, int64_t value) {
  dist::ShardingAttr layout = layoutOf(function, value);
  if (!layout)
    return std::nullopt;
  auto namesOf = [&](ArrayRef<StringAttr> axes) {
    SmallVector<StringRef, 2> names;
    for (StringAttr axis : axes)
      // What is a sum over stages each of them has its own part of.
      if (!program ||
          !program.getAxes().hasRole(ArrayAttr::get(stage.getContext(), axis),
                                     dist::AxisRole::Pipeline))
        names.push_back(axis.getValue());
    llvm::sort(names);
    return names;
  };
  return Parts(namesOf(layout.getPartial()), namesOf(layout.getPartialMax()));
}

ArrayRef<Use> SumVerifier::usesOf(rt::FuncOp function) {
  auto [it, isNew] = uses.try_emplace(function);
  SmallVector<Use> &found = it->second;
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
    use.before = partsOf(function, values[i]);
    if (!function.givesUp(i))
      use.after = partsOf(function, values[count + i]);
    use.lies = layoutOf(function, values[i]);
    if (!use.lies)
      use.lies = layoutOf(function, values[count + i]);
  }
  return found;
}

LogicalResult SumVerifier::checkLayout(rt::CallOp call, Value value,
                                       const Use &use) {
  auto address = value.getDefiningOp<rt::AddressOp>();
  if (!address || !use.lies)
    return success();
  auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
  rt::LayoutAttr layout = buffer.getLayoutAttr();
  if (!layout)
    return success();
  auto dims = layout.getAxes().getAsRange<ArrayAttr>();
  bool isAlike =
      layout.getAxes().size() == use.lies.getDims().size() &&
      llvm::all_of(llvm::zip(dims, use.lies.getDims()), [](auto dim) {
        auto [axes, own] = dim;
        return llvm::equal(axes.template getAsRange<StringAttr>(),
                           own.getAxes());
      });
  if (isAlike)
    return success();
  return call.emitOpError()
         << "takes @" << address.getBuffer() << " as " << use.lies
         << ", which lies over " << layout.getAxes() << " there";
}

LogicalResult SumVerifier::run(rt::CallOp call) {
  auto function = symbols.lookup<rt::FuncOp>(call.getCallee());
  ArrayRef<Use> uses = usesOf(function);
  for (auto [value, use] : llvm::zip(call.getArgs(), uses)) {
    rt::BufferOp buffer = bufferOf(value);
    if (failed(checkLayout(call, value, use)))
      return failure();
    if (!buffer || !use.made.isRead || !use.before)
      continue;
    auto now = held.find(buffer);
    if (now == held.end()) {
      held[buffer] = first[buffer] = *use.before;
      continue;
    }
    if (now->second != *use.before)
      return call.emitOpError()
             << "takes @"
             << rt::getWhole(value).getDefiningOp<rt::AddressOp>().getBuffer()
             << ' ' << describe(*use.before) << ", which is there "
             << describe(now->second);
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
      // What one turn leaves the next one finds.
      for (int turn = 0; turn < 2; ++turn)
        if (failed(run(*loop.getBlock())))
          return failure();
    } else if (auto call = dyn_cast<rt::CallOp>(op)) {
      if (failed(run(call)))
        return failure();
    } else {
      // Zero between what lies in a bucket is a part of any sum.
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
      bool isKept = int(buffer.getKind()) <= int(rt::BufferKind::Sum) &&
                    !gradients.contains(buffer);
      if (isKept && now != held.end() && now->second != parts)
        return buffer.emitOpError()
               << "is left " << describe(now->second) << " by @" << name
               << ", which takes it " << describe(parts);
    }
  }
  return success();
}

LogicalResult pcc::verifySums(rt::StageOp stage, rt::ProgramOp program) {
  return SumVerifier(stage, program).verify();
}
