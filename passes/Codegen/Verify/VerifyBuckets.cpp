//===- VerifyBuckets.cpp - What lies in a stage's buckets -----------------===//
//
// To the rest of --rt-verify a bucket is one buffer, and what lies in it a part
// of that. Here is what makes this true: nothing in a row overlaps, nothing
// reaches beyond it, an offset in the arena is the one that follows, and what
// belongs to a parameter has its elements in another row, with what belongs to
// those beside it, and is updated with it.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyBuckets.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;

/// The names of the axes that a layout splits dims over, sorted.
static SmallVector<StringRef> axesOf(rt::LayoutAttr layout) {
  SmallVector<StringRef> names;
  if (layout)
    for (auto dim : layout.getAxes().getAsRange<ArrayAttr>())
      for (auto name : dim.getAsRange<StringAttr>())
        names.push_back(name.getValue());
  llvm::sort(names);
  return names;
}

/// Elements of the whole row of a bucket, of which a rank may have a part.
static int64_t rowOf(rt::BufferOp bucket, rt::ProgramOp program) {
  int64_t elements = bucket.getMemRefType().getDimSize(1);
  for (auto name : bucket.getCut().getAsRange<StringAttr>())
    elements *= program ? program.getAxisSize(name.getValue()) : 1;
  return elements;
}

static LogicalResult verifyMember(rt::BufferOp member, rt::BufferOp bucket,
                                  int64_t row) {
  MemRefType type = member.getMemRefType();
  int64_t begin = *member.getElement(), end = begin + type.getNumElements();
  if (begin < 0 || end > row)
    return member.emitOpError() << "takes the elements [" << begin << ", "
                                << end << ") of a row of " << row;
  int64_t width = rt::getElementBytes(type.getElementType());
  if (begin % (rt::kAlignment / 2))
    return member.emitOpError()
           << "begins at element " << begin << " of a row, no multiple of "
           << rt::kAlignment / 2;
  // Each rank along the axes that split a member has a row of its own.
  SmallVector<StringRef> own = axesOf(member.getLayoutAttr()),
                         rows = axesOf(bucket.getLayoutAttr());
  for (auto name : bucket.getCut().getAsRange<StringAttr>())
    llvm::erase(rows, name.getValue());
  if (own != rows)
    return member.emitOpError() << "is split over other axes than the rows of @"
                                << bucket.getSymName();
  if (!bucket.getCut().empty()) {
    if (member.getOffset())
      return member.emitOpError()
             << "has an offset, though a rank has only a part of it";
    return success();
  }
  if (!member.getOffset())
    return member.emitOpError("has no offset; run --rt-plan");
  for (int64_t slot = 0; slot < int64_t(bucket.getSlots()); ++slot) {
    int64_t due = bucket.getSlotOffset(slot) + begin * width;
    if (member.getSlotOffset(slot) != due)
      return member.emitOpError()
             << "lies at " << member.getSlotOffset(slot) << ", element "
             << begin << " of @" << bucket.getSymName() << " at " << due;
  }
  return success();
}

/// A row is computed with element by element: gradients, moments and copies are
/// where their parameters are.
static LogicalResult verifyAlike(rt::BufferOp member,
                                 const SymbolTable &symbols) {
  auto of = member->getAttrOfType<StringAttr>("of");
  auto param = of ? symbols.lookup<rt::BufferOp>(of.getValue()) : nullptr;
  if (!param || !param.getElement() ||
      param.getElement() == member.getElement())
    return success();
  InFlightDiagnostic diag = member.emitOpError()
                            << "is element " << *member.getElement()
                            << " of its row, what it belongs to element "
                            << *param.getElement();
  diag.attachNote(param.getLoc()) << "this";
  return diag;
}

/// What a moment's name says of it, ahead of its parameter's: "exp_avg.".
static StringRef prefixOf(rt::BufferOp member) {
  StringRef prefix = member.getSymName();
  auto of = member->getAttrOfType<StringAttr>("of");
  return of && prefix.consume_back(of.getValue()) ? prefix : StringRef();
}

/// A row is computed with as a whole: what lies in it belongs to parameters of
/// one row, as the same to each.
static LogicalResult verifyTogether(ArrayRef<rt::BufferOp> members,
                                    const SymbolTable &symbols) {
  rt::BufferOp first, firstParam;
  for (rt::BufferOp member : members) {
    auto of = member->getAttrOfType<StringAttr>("of");
    auto param = of ? symbols.lookup<rt::BufferOp>(of.getValue()) : nullptr;
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
      diag << "is not named '" << firstPrefix << "*' as what is beside it";
    else
      diag << "belongs to what lies in @" << *param.getBucket()
           << ", what is beside it to @" << *firstParam.getBucket();
    diag.attachNote(first.getLoc()) << "this";
    return diag;
  }
  return success();
}

/// By row of parameters or of moments, the row of these parameters.
using ParamRows = llvm::DenseMap<Operation *, rt::BufferOp>;

/// Whether a launch that writes rows of parameters writes moments of these
/// alone. `rowOf` says in which row a buffer lies, if in any.
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
                              << "writes moments of what lies in @"
                              << params.getSymName()
                              << ", and parameters that lie elsewhere";
    diag.attachNote(row.getLoc()) << "the moments";
    return diag;
  }
  return success();
}

/// The same of all launches of an entry point.
static LogicalResult verifyUpdates(rt::FuncOp entry, const SymbolTable &symbols,
                                   const ParamRows &rows) {
  auto rowOf = [&](Value value) -> rt::BufferOp {
    auto address = rt::getWhole(value).getDefiningOp<rt::AddressOp>();
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
            auto argument = dyn_cast<BlockArgument>(rt::getWhole(value));
            return argument ? rowOf(call.getArgs()[argument.getArgNumber()])
                            : rt::BufferOp();
          })))
        return failure();
    return success();
  });
  return failure(result.wasInterrupted());
}

/// What a rank keeps of a row is one of as many equal parts as ranks have it.
static LogicalResult verifyPart(rt::BufferOp part, rt::BufferOp bucket,
                                rt::ProgramOp program) {
  int64_t row = bucket.getMemRefType().getDimSize(1),
          own = part.getMemRefType().getDimSize(1);
  bool isEqual = program ? rowOf(part, program) == row : row % own == 0;
  if (part.getMemRefType().getDimSize(0) != 1 || !isEqual ||
      part.getBytes() % rt::kAlignment)
    return part.emitOpError()
           << "is no equal part of @" << bucket.getSymName()
           << " that begins at multiples of " << rt::kAlignment << " bytes";
  rt::LayoutAttr layout = bucket.getLayoutAttr();
  if (layout && layout.getAxes()[0] != part.getLayoutAttr().getAxes()[0])
    return part.emitOpError() << "is split over other axes than the rows of @"
                              << bucket.getSymName();
  if (part.getOffset() == bucket.getOffset())
    return success();
  return part.emitOpError() << "does not say where @" << bucket.getSymName()
                            << " lies: at " << *bucket.getOffset();
}

LogicalResult pcc::verifyBuckets(rt::StageOp stage, rt::ProgramOp program) {
  SymbolTable symbols(stage);
  llvm::DenseSet<Operation *> renewed = rt::findRenewed(stage);
  for (auto row : stage.getBlock()->getOps<rt::BufferOp>())
    if (row.getKind() == rt::BufferKind::Bucket && row.getSlots() != 1 &&
        !renewed.contains(row))
      return row.emitOpError()
             << "has " << row.getSlots()
             << " slots, though it keeps what it holds from entry to entry";
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
      InFlightDiagnostic diag = buffer.emitOpError() << "is a second part of @"
                                                     << bucket.getSymName();
      diag.attachNote(known->second.getLoc()) << "this one is one, too";
      return diag;
    }
    if (failed(verifyPart(buffer, bucket, program)))
      return failure();
  }
  ParamRows rows;
  for (auto &[op, list] : members) {
    auto bucket = cast<rt::BufferOp>(op);
    int64_t row = rowOf(bucket, program);
    for (rt::BufferOp member : list) {
      if (failed(verifyMember(member, bucket, row)) ||
          failed(verifyAlike(member, symbols)))
        return failure();
      if (rt::BufferOp part = parts.lookup(bucket);
          part && member.getKind() != rt::BufferKind::Param)
        return part.emitOpError() << "is a part of @" << bucket.getSymName()
                                  << ", in which other things lie than "
                                     "parameters";
    }
    if (failed(verifyTogether(list, symbols)))
      return failure();
    auto of = list[0]->getAttrOfType<StringAttr>("of");
    auto param = list[0].getKind() == rt::BufferKind::State && of
                     ? symbols.lookup<rt::BufferOp>(of.getValue())
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
                  : "is of another kind than what lies beside it in a bucket");
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
