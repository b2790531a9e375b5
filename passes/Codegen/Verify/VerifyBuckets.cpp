//===- VerifyBuckets.cpp - Members and shards of buckets ------------------===//
//
// The rest of --rt-verify treats a bucket as one buffer and its members as
// parts of it. This check justifies that. Members do not overlap or exceed
// their bucket, and their offsets follow from it. The gradient, moments and
// working copy of a parameter begin at the same element as the parameter.
// Members of one bucket belong to parameters of one bucket, and moments are
// updated together with these.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyBuckets.h"
#include "dialects/RT/Persistence.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;

/// Returns the names of the axes that a layout shards dims over, sorted.
static SmallVector<StringRef> axesOf(rt::LayoutAttr layout) {
  SmallVector<StringRef> names;
  if (layout)
    for (auto dim : layout.getAxes().getAsRange<ArrayAttr>())
      for (auto name : dim.getAsRange<StringAttr>())
        names.push_back(name.getValue());
  llvm::sort(names);
  return names;
}

/// Returns the elements of a whole bucket, of which a rank may have a shard.
static int64_t rowOf(rt::BufferOp bucket, rt::ProgramOp program) {
  int64_t elements = bucket.getMemRefType().getDimSize(1);
  for (auto name : bucket.getShardAxes().getAsRange<StringAttr>())
    elements *= program ? program.getAxisSize(name.getValue()) : 1;
  return elements;
}

static LogicalResult verifyMember(rt::BufferOp member, rt::BufferOp bucket,
                                  int64_t row) {
  MemRefType type = member.getMemRefType();
  int64_t begin = *member.getElement(), end = begin + type.getNumElements();
  if (begin < 0 || end > row)
    return member.emitOpError() << "occupies elements [" << begin << ", " << end
                                << ") of a bucket of " << row;
  int64_t width = rt::getElementBytes(type.getElementType());
  if (begin % (rt::kAlignment / 2))
    return member.emitOpError()
           << "begins at element " << begin << " of a bucket, no multiple of "
           << rt::kAlignment / 2;
  // Each rank along the axes that shard a member has a bucket of its own.
  SmallVector<StringRef> own = axesOf(member.getLayoutAttr()),
                         rows = axesOf(bucket.getLayoutAttr());
  for (auto name : bucket.getShardAxes().getAsRange<StringAttr>())
    llvm::erase(rows, name.getValue());
  if (own != rows)
    return member.emitOpError()
           << "is sharded over other axes than @" << bucket.getSymName();
  if (!bucket.getShardAxes().empty()) {
    if (member.getOffset())
      return member.emitOpError() << "has an offset, but its bucket is sharded";
    return success();
  }
  if (!member.getOffset())
    return member.emitOpError("has no offset; run --rt-plan");
  for (int64_t slot = 0; slot < int64_t(bucket.getSlots()); ++slot) {
    int64_t due = bucket.getSlotOffset(slot) + begin * width;
    if (member.getSlotOffset(slot) != due)
      return member.emitOpError()
             << "has offset " << member.getSlotOffset(slot) << ", but element "
             << begin << " of @" << bucket.getSymName() << " is at " << due;
  }
  return success();
}

/// The parameter that a member of a bucket belongs to, or null.
static rt::BufferOp findParam(rt::BufferOp member, const SymbolTable &symbols) {
  return member.getOf() ? symbols.lookup<rt::BufferOp>(*member.getOf())
                        : rt::BufferOp();
}

/// Checks that gradients, moments and working copies begin at the element of
/// their parameter: optimizer kernels process buckets element by element.
static LogicalResult verifyOffset(rt::BufferOp member,
                                  const SymbolTable &symbols) {
  rt::BufferOp param = findParam(member, symbols);
  if (!param || !param.getElement() ||
      param.getElement() == member.getElement())
    return success();
  InFlightDiagnostic diag = member.emitOpError()
                            << "begins at element " << *member.getElement()
                            << " of its bucket, but its parameter at element "
                            << *param.getElement();
  diag.attachNote(param.getLoc()) << "the parameter";
  return diag;
}

/// Returns the part of a moment's name before its parameter's: "exp_avg.".
static StringRef prefixOf(rt::BufferOp member) {
  StringRef prefix = member.getSymName();
  return member.getOf() && prefix.consume_back(*member.getOf()) ? prefix
                                                                : StringRef();
}

/// Checks that the members of a bucket belong to parameters of one bucket and
/// have the same role for each: optimizer kernels process whole buckets.
static LogicalResult verifySameBucket(ArrayRef<rt::BufferOp> members,
                                      const SymbolTable &symbols) {
  rt::BufferOp first, firstParam;
  for (rt::BufferOp member : members) {
    rt::BufferOp param = findParam(member, symbols);
    if (!param || !param.getBucket())
      continue;
    if (!first) {
      first = member;
      firstParam = param;
    }
    bool isTogether = param.getBucket() == firstParam.getBucket();
    StringRef prefix = prefixOf(member), firstPrefix = prefixOf(first);
    if (isTogether &&
        (prefix.empty() || firstPrefix.empty() || prefix == firstPrefix))
      continue;
    InFlightDiagnostic diag = member.emitOpError();
    if (isTogether)
      diag << "is not named '" << firstPrefix
           << "*' like another member of its bucket";
    else
      diag << "belongs to a parameter in @" << *param.getBucket()
           << ", but another member of its bucket to one in @"
           << *firstParam.getBucket();
    diag.attachNote(first.getLoc()) << "the other member";
    return diag;
  }
  return success();
}

/// By bucket of parameters or of moments: the bucket of these parameters.
using ParamRows = llvm::DenseMap<Operation *, rt::BufferOp>;

/// Checks that a launch that writes buckets of parameters writes moments of
/// these parameters only. `rowOf` returns a buffer's bucket or null.
static LogicalResult
verifyUpdate(rt::LaunchOp launch, const ParamRows &rows,
             llvm::function_ref<rt::BufferOp(Value)> rowOf) {
  llvm::SmallPtrSet<Operation *, 4> written;
  for (Value out : launch.getOuts())
    if (rt::BufferOp row = rowOf(out); row && rows.lookup(row) == row)
      written.insert(row);
  if (written.empty())
    return success();
  for (Value out : launch.getOuts()) {
    rt::BufferOp row = rowOf(out);
    rt::BufferOp params = row ? rows.lookup(row) : nullptr;
    if (!params || written.contains(params))
      continue;
    InFlightDiagnostic diag = launch.emitOpError()
                              << "writes moments of the parameters in @"
                              << params.getSymName()
                              << ", but parameters of another bucket";
    diag.attachNote(row.getLoc()) << "the moments";
    return diag;
  }
  return success();
}

/// Checks all launches of an entry point likewise.
static LogicalResult verifyUpdates(rt::FuncOp entry, const SymbolTable &symbols,
                                   const ParamRows &rows) {
  auto rowOf = [&](Value value) -> rt::BufferOp {
    auto address = rt::getViewedBuffer(value).getDefiningOp<rt::AddressOp>();
    auto buffer = address ? symbols.lookup<rt::BufferOp>(address.getBuffer())
                          : rt::BufferOp();
    return buffer && buffer.getBucket()
               ? symbols.lookup<rt::BufferOp>(*buffer.getBucket())
               : buffer;
  };
  WalkResult result = entry.walk([&](Operation *op) -> WalkResult {
    if (auto launch = dyn_cast<rt::LaunchOp>(op))
      return verifyUpdate(launch, rows, rowOf);
    auto call = dyn_cast<rt::CallOp>(op);
    if (!call)
      return success();
    auto callee = symbols.lookup<rt::FuncOp>(call.getCallee());
    for (auto launch : callee.getBlock()->getOps<rt::LaunchOp>())
      if (failed(verifyUpdate(launch, rows, [&](Value value) {
            auto argument = dyn_cast<BlockArgument>(rt::getViewedBuffer(value));
            return argument ? rowOf(call.getArgs()[argument.getArgNumber()])
                            : rt::BufferOp();
          })))
        return failure();
    return success();
  });
  return failure(result.wasInterrupted());
}

/// Checks that a shard is one of equal parts of its bucket, one for each rank.
static LogicalResult verifyShard(rt::BufferOp part, rt::BufferOp bucket,
                                 rt::ProgramOp program) {
  int64_t row = bucket.getMemRefType().getDimSize(1),
          own = part.getMemRefType().getDimSize(1);
  bool isEqual = program ? rowOf(part, program) == row : row % own == 0;
  if (part.getMemRefType().getDimSize(0) != 1 || !isEqual ||
      part.getBytes() % rt::kAlignment)
    return part.emitOpError()
           << "is no equal shard of @" << bucket.getSymName()
           << " that is a multiple of " << rt::kAlignment << " bytes";
  rt::LayoutAttr layout = bucket.getLayoutAttr();
  if (layout && layout.getAxes()[0] != part.getLayoutAttr().getAxes()[0])
    return part.emitOpError()
           << "is sharded over other axes than @" << bucket.getSymName();
  if (part.getOffset() == bucket.getOffset())
    return success();
  return part.emitOpError()
         << "must have the offset of @" << bucket.getSymName() << ", which is "
         << *bucket.getOffset();
}

LogicalResult pcc::verifyBuckets(rt::StageOp stage, rt::ProgramOp program) {
  SymbolTable symbols(stage);
  rt::PersistentBuffers persistent(stage);
  for (auto row : stage.getBlock()->getOps<rt::BufferOp>())
    if (row.getKind() == rt::BufferKind::Bucket && row.getSlots() != 1 &&
        persistent.isReserved(row))
      return row.emitOpError()
             << "has " << row.getSlots()
             << " slots, but its contents persist between entry points";
  llvm::MapVector<Operation *, SmallVector<rt::BufferOp>> members;
  llvm::DenseMap<Operation *, rt::BufferOp> parts;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    if (!buffer.getBucket())
      continue;
    auto bucket = symbols.lookup<rt::BufferOp>(*buffer.getBucket());
    if (buffer.getKind() != rt::BufferKind::Part) {
      members[bucket].push_back(buffer);
      continue;
    }
    auto [known, isNew] = parts.try_emplace(bucket, buffer);
    if (!isNew) {
      InFlightDiagnostic diag = buffer.emitOpError() << "is a second shard of @"
                                                     << bucket.getSymName();
      diag.attachNote(known->second.getLoc()) << "the first one";
      return diag;
    }
    if (failed(verifyShard(buffer, bucket, program)))
      return failure();
  }
  ParamRows rows;
  for (auto &[op, list] : members) {
    auto bucket = cast<rt::BufferOp>(op);
    int64_t row = rowOf(bucket, program);
    for (rt::BufferOp member : list) {
      if (failed(verifyMember(member, bucket, row)) ||
          failed(verifyOffset(member, symbols)))
        return failure();
      if (rt::BufferOp part = parts.lookup(bucket);
          part && member.getKind() != rt::BufferKind::Param)
        return part.emitOpError()
               << "is a shard of @" << bucket.getSymName()
               << ", which has members that are no parameters";
    }
    if (failed(verifySameBucket(list, symbols)))
      return failure();
    rt::BufferOp param = list[0].getKind() == rt::BufferKind::State
                             ? findParam(list[0], symbols)
                             : rt::BufferOp();
    if (list[0].getKind() == rt::BufferKind::Param)
      rows[bucket] = bucket;
    else if (param && param.getBucket())
      rows[bucket] = symbols.lookup<rt::BufferOp>(*param.getBucket());
    llvm::sort(list, [](rt::BufferOp a, rt::BufferOp b) {
      return *a.getElement() < *b.getElement();
    });
    for (size_t i = 1; i < list.size(); ++i) {
      int64_t end = int64_t(*list[i - 1].getElement()) +
                    list[i - 1].getMemRefType().getNumElements();
      if (int64_t(*list[i].getElement()) >= end &&
          list[i].getKind() == list[0].getKind())
        continue;
      InFlightDiagnostic diag =
          list[i].emitOpError()
          << (list[i].getKind() == list[0].getKind()
                  ? "overlaps another buffer of its bucket"
                  : "is of another kind than other members of its bucket");
      diag.attachNote(list[i - 1].getLoc()) << "this one";
      return diag;
    }
  }
  for (StringRef name : rt::kEntries)
    if (auto entry = symbols.lookup<rt::FuncOp>(name);
        entry && failed(verifyUpdates(entry, symbols, rows)))
      return failure();
  return success();
}
