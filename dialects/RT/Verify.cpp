//===- Verify.cpp - Well-formedness of rt operations ----------------------===//
//
// These verifiers check one op and the symbols it names. --rt-verify checks the
// contents of memory over time.
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops.h"
#include "dialects/RT/Persistence.h"

using namespace mlir;
using namespace pcc::rt;

using EmitError = function_ref<InFlightDiagnostic()>;

LogicalResult LayoutAttr::verify(EmitError emitError, DenseI64ArrayAttr shape,
                                 ArrayAttr axes) {
  if (shape.size() != int64_t(axes.size()))
    return emitError() << "layout has " << shape.size() << " extents but axes "
                       << "for " << axes.size() << " dims";
  for (Attribute dim : axes) {
    auto names = dyn_cast<ArrayAttr>(dim);
    if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return emitError() << "layout needs lists of axis names, has " << dim;
  }
  return success();
}

LogicalResult GemmAttr::verify(EmitError emitError, int64_t m, int64_t n,
                               int64_t k, bool transA, bool transB, int64_t lda,
                               int64_t ldb, int64_t ldc,
                               DenseI64ArrayAttr batch, DenseI64ArrayAttr a,
                               DenseI64ArrayAttr b, DenseI64ArrayAttr c,
                               FloatAttr alpha, FloatAttr beta) {
  for (DenseI64ArrayAttr pair : {batch, a, b, c})
    if (pair.size() != 2)
      return emitError() << "gemm has two batch dims, not " << pair.size();
  if (m < 1 || n < 1 || k < 1 || batch[0] < 1 || batch[1] < 1)
    return emitError() << "gemm has extents below 1";
  if (lda < (transA ? m : k) || ldb < (transB ? k : n) || ldc < n)
    return emitError() << "gemm has a leading dimension below its row length";
  for (DenseI64ArrayAttr strides : {a, b, c})
    if (strides[0] < 0 || strides[1] < 0)
      return emitError() << "gemm has a negative stride";
  return success();
}

LogicalResult ProgramOp::verify() {
  for (ArrayAttr list : {getComms(), getBesideAttr()})
    for (Attribute comm : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto names = dyn_cast<ArrayAttr>(comm);
      if (!names)
        return emitOpError() << "has communicator " << comm
                             << ", which is not a list of axes";
      for (Attribute name : names)
        if (!llvm::is_contained(getAxes().getNames(), name))
          return emitOpError() << "has a communicator over " << name
                               << ", which is not an axis of the mesh";
      if (llvm::count(list, comm) > 1)
        return emitOpError() << "has two communicators over " << comm;
    }
  return success();
}

LogicalResult StageOp::verify() {
  for (Operation &op : *getBlock())
    if (!isa<BufferOp, EventOp, FuncOp>(op))
      return op.emitOpError() << "cannot be part of a stage";
  if (std::optional<int64_t> offloaded = getOffloaded();
      offloaded && (*offloaded < 1 || *offloaded % kOffloadAlignment ||
                    !getArena() || *offloaded > int64_t(*getArena())))
    return emitOpError() << "has " << *offloaded
                         << " offloaded bytes, which must be a positive "
                            "multiple of "
                         << kOffloadAlignment << " within the arena";
  llvm::SmallDenseSet<int64_t> graphs;
  for (auto function : getBlock()->getOps<FuncOp>())
    for (auto graph : function.getBlock()->getOps<GraphOp>())
      if (!graphs.insert(graph.getIndex()).second)
        return graph.emitOpError()
               << "has number " << graph.getIndex()
               << ", which an earlier graph of the stage has";
  return success();
}

LogicalResult BufferOp::verify() {
  if (!isContiguous(getMemRefType()))
    return emitOpError() << "must be contiguous, is " << getType();
  if (int64_t(getSlots()) < 1)
    return emitOpError() << "needs at least one slot";
  ArrayRef<int64_t> others = getOthers().value_or(ArrayRef<int64_t>());
  if (getOthersAttr() && ((getKind() != BufferKind::Value &&
                           getKind() != BufferKind::Frame && !isInBucket()) ||
                          int64_t(others.size()) + 1 != int64_t(getSlots())))
    return emitOpError()
           << "has " << others.size() + 1
           << " offsets; only a value, a bucket or a frame may have several, "
              "one per slot";
  for (int64_t other : others)
    if (other < 0 || other % kAlignment)
      return emitOpError() << "has a slot at " << other
                           << ", which is not a multiple of " << kAlignment;
  if (getRefilled() && getKind() != BufferKind::Input)
    return emitOpError("is refilled, but is not an input");
  if (getKind() == BufferKind::Bucket &&
      (getMemRefType().getRank() != 2 || getMemRefType().getDimSize(0) != 1 ||
       getBucket() || (getSlots() != 1 && !getShardAxes().empty()) ||
       (getLayout() && getLayoutAttr().getAxes().size() != 2)))
    return emitOpError() << "is a bucket, which must have the shape [1, n], be "
                            "in no bucket and, if it is sharded, have one slot";
  if (getKind() == BufferKind::Part) {
    if (!getBucket() || getElement() || !getLayout() ||
        getMemRefType().getRank() != 2 ||
        getLayoutAttr().getAxes().size() != 2 || getShardAxes().empty())
      return emitOpError()
             << "is a shard of a bucket, which needs 'in', two "
                "dims, no 'element', and a layout that is sharded";
  } else if (getBucket().has_value() != getElement().has_value()) {
    return emitOpError() << "needs both 'in' and 'element', or neither";
  }
  if (getKind() == BufferKind::Part && getSlots() != 1)
    return emitOpError() << "is a shard of a bucket, which must have one slot";
  return verifyRecord();
}

/// Checks the record of a parameter or state, and the other attributes that
/// describe it to the runtime.
LogicalResult BufferOp::verifyRecord() {
  if (getFirst() && getKind() != BufferKind::Number)
    return emitOpError("has a first value, but is not a number");
  nn::RecordAttr record = getRecordAttr();
  if (!record)
    return success();
  if (!isTensor(getKind()) || getKind() == BufferKind::Number)
    return emitOpError() << "has a record, but is "
                         << stringifyBufferKind(getKind())
                         << ", which is no parameter or state";
  // The runtime reads one stride and one valid extent per dim.
  int64_t dims = getMemRefType().getRank();
  SmallVector<nn::SourceAttr> sources(record.getCopies());
  if (record.getSource())
    sources.push_back(record.getSource());
  for (nn::SourceAttr source : sources)
    if (source.getStrides().size() != dims || source.getValid().size() != dims)
      return emitOpError() << "has a source of " << source.getStrides().size()
                           << " strides and " << source.getValid().size()
                           << " valid extents for " << dims << " dims";
  return success();
}

LogicalResult BufferOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getBucket())
    return success();
  auto bucket =
      tables.lookupNearestSymbolFrom<BufferOp>(*this, getBucketAttr());
  if (!bucket || bucket.getKind() != BufferKind::Bucket)
    return emitOpError() << "is in " << getBucketAttr()
                         << ", which is not a bucket";
  if (getSlots() != bucket.getSlots())
    return emitOpError() << "has " << getSlots() << " slots, but its bucket "
                         << getBucketAttr() << " has " << bucket.getSlots();
  if (getKind() == BufferKind::Part && !bucket.getShardAxes().empty())
    return emitOpError() << "is a shard of " << getBucketAttr()
                         << ", which is sharded itself";
  if (bucket.getMemRefType().getElementType() !=
      getMemRefType().getElementType())
    return emitOpError() << "has another element type than its bucket "
                         << getBucketAttr() << " of "
                         << bucket.getMemRefType().getElementType();
  return success();
}

LogicalResult EventOp::verify() {
  if (int64_t(getSlots()) < 1)
    return emitOpError() << "needs at least one slot";
  return success();
}

LogicalResult FuncOp::verify() {
  for (Operation &op : *getBlock())
    if (!isa_and_nonnull<RTDialect>(op.getDialect()) ||
        isa<FuncOp, BufferOp, EventOp, StageOp, ProgramOp>(op))
      return op.emitOpError() << "cannot be part of an rt.func";
  for (Type type : getBlock()->getArgumentTypes())
    if (!isa<EventType>(type) &&
        !(isa<MemRefType>(type) && cast<MemRefType>(type).hasStaticShape() &&
          isBuffer(cast<MemRefType>(type))))
      return emitOpError() << "takes " << type
                           << ", which is neither a buffer nor an event";
  int64_t frame = getFrame();
  if (frame < 0 || frame % kAlignment)
    return emitOpError() << "has a frame of " << frame
                         << " bytes, which is not a multiple of " << kAlignment;
  int64_t last = -1, arguments = getBlock()->getNumArguments();
  for (int64_t argument : getGivesUp().value_or(ArrayRef<int64_t>())) {
    if (argument <= last || argument >= arguments ||
        !isa<MemRefType>(getBlock()->getArgument(argument).getType()))
      return emitOpError() << "lists argument " << argument << " of "
                           << arguments
                           << " in 'gives_up', which lists buffers in "
                              "ascending order";
    last = argument;
  }
  if (!isEntry())
    return success();
  if (getBlock()->getNumArguments())
    return emitOpError() << "is an entry point, which takes no arguments";
  if (!getBlock()->getOps<TemporaryOp>().empty() || frame != 0)
    return emitOpError() << "is an entry point, which has no frame";
  return success();
}

/// Checks that an op is in an entry point, which alone refers to buffers of the
/// arena by name.
static LogicalResult checkInEntry(Operation *op) {
  auto function = op->getParentOfType<FuncOp>();
  if (function.isEntry())
    return success();
  return op->emitOpError() << "is in @" << function.getSymName()
                           << ", which is not an entry point";
}

LogicalResult ForOp::verify() {
  if (failed(checkInEntry(*this)) || failed(verifyLoop(*this)))
    return failure();
  for (Operation &op : *getBlock())
    if (!isa_and_nonnull<RTDialect>(op.getDialect()) ||
        isa<FuncOp, BufferOp, EventOp, StageOp, ProgramOp, TemporaryOp, ForOp>(
            op))
      return op.emitOpError() << "cannot be part of a loop";
  return success();
}

LogicalResult GraphOp::verify() { return checkInEntry(*this); }

LogicalResult TemporaryOp::verify() {
  if (!isContiguous(getType()))
    return emitOpError() << "must be contiguous, is " << getType();
  if (!getOffset())
    return success();
  int64_t begin = *getOffset();
  if (begin < 0 || begin % kAlignment)
    return emitOpError() << "has offset " << begin
                         << ", which is not a multiple of " << kAlignment;
  int64_t frame = (*this)->getParentOfType<FuncOp>().getFrame();
  if (begin + getBytes() > frame)
    return emitOpError() << "ends at byte " << begin + getBytes()
                         << " of a frame of " << frame;
  return success();
}

/// Checks the slots that an op names, which may be relative to the enclosing
/// loop: none is negative and, unless the number is taken modulo the number of
/// slots, none is beyond the last slot.
template <typename OpT>
static LogicalResult checkSlots(OpT op, int64_t slots, bool rotatesSlots) {
  int64_t first = op.getSlot(), last = first;
  if (auto loop = dyn_cast<ForOp>(op->getParentOp()); loop && op.getLoop()) {
    first += int64_t(loop.getBegin());
    last += int64_t(loop.getEnd()) - 1;
  }
  if (first < 0)
    return op.emitOpError() << "names slot " << first;
  if (!rotatesSlots && last >= slots)
    return op.emitOpError()
           << "names slot " << last << ", but the buffer has " << slots;
  return success();
}

LogicalResult AddressOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(checkInEntry(*this)))
    return failure();
  auto buffer =
      tables.lookupNearestSymbolFrom<BufferOp>(*this, getBufferAttr());
  if (!buffer)
    return emitOpError() << "names " << getBufferAttr()
                         << ", which is not an rt.buffer";
  if (buffer.getKind() == BufferKind::Frame)
    return emitOpError() << "names " << getBufferAttr()
                         << ", which is a buffer for frames";
  if (auto row = buffer.getBucketAttr())
    if (auto bucket = tables.lookupNearestSymbolFrom<BufferOp>(*this, row);
        bucket && !bucket.getShardAxes().empty())
      return emitOpError() << "names " << getBufferAttr()
                           << ", which is in the sharded bucket " << row;
  if (getType() != buffer.getType()) {
    InFlightDiagnostic diag = emitOpError() << "uses " << getBufferAttr()
                                            << " as " << getType();
    diag.attachNote(buffer.getLoc())
        << "it is declared as " << buffer.getType();
    return diag;
  }
  bool isBucket = buffer.isInBucket();
  int64_t slots = buffer.getSlots();
  if (isBucket && getLoop() && !getAmong())
    return emitOpError() << "names another slot of " << getBufferAttr()
                         << " in each iteration, which needs 'among'";
  if (getAmong() && !isBucket)
    return emitOpError() << "has 'among' for slots of " << getBufferAttr()
                         << ", which is neither a bucket nor in one";
  if (getAmong() && getAmong()->back() > slots)
    return emitOpError() << "has 'among' with slots up to "
                         << getAmong()->back() - 1 << ", but the buffer has "
                         << slots;
  return checkSlots(*this, slots, buffer.rotatesSlots() || getAmong());
}

LogicalResult AddressOp::verify() {
  if (!getAmong())
    return success();
  ArrayRef<int64_t> among = *getAmong();
  if (among.size() == 2 && among[0] >= 0 && among[0] < among[1] && getLoop())
    return success();
  return emitOpError("has 'among', which needs a slot relative to a loop and a "
                     "nonempty range of slots");
}

LogicalResult FillOp::verifySymbolUses(SymbolTableCollection &tables) {
  AddressOp address = getAddress();
  auto buffer = address ? tables.lookupNearestSymbolFrom<BufferOp>(
                              *this, address.getBufferAttr())
                        : BufferOp();
  if (!buffer || !buffer.getRefilled())
    return emitOpError("needs the address of an input that is refilled");
  return success();
}

LogicalResult EventOfOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(checkInEntry(*this)))
    return failure();
  auto event = tables.lookupNearestSymbolFrom<EventOp>(*this, getEventAttr());
  if (!event)
    return emitOpError() << "names " << getEventAttr()
                         << ", which is not an rt.event";
  return checkSlots(*this, event.getSlots(), /*rotatesSlots=*/true);
}

LogicalResult ViewOp::verify() {
  MemRefType from = getSource().getType(), to = getResult().getType();
  int64_t bytes = getElementBytes(from.getElementType());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type";
  int64_t begin = int64_t(getOffset()) * bytes;
  if (begin < 0)
    return emitOpError() << "begins " << -begin << " bytes before its source";
  int64_t end = begin + getSpanBytes(to);
  if (end > getSpanBytes(from))
    return emitOpError() << "ends at byte " << end << " of a source of "
                         << getSpanBytes(from);
  return success();
}

LogicalResult LaunchOp::verify() {
  for (Value buffer : getOperands())
    if (!isContiguous(cast<MemRefType>(buffer.getType())))
      return emitOpError() << "needs contiguous buffers, has "
                           << buffer.getType();
  if (getOuts().empty())
    return emitOpError() << "needs at least one out";
  auto inplace = getInplace();
  if (!inplace)
    return success();
  if (inplace->size() != getOuts().size())
    return emitOpError() << "has " << getOuts().size() << " outs, but "
                         << inplace->size() << " entries of 'inplace'";
  for (int64_t in : *inplace)
    if (in < -1 || in >= int64_t(getIns().size()))
      return emitOpError() << "computes in place of operand " << in << " of "
                           << getIns().size();
  return success();
}

/// The bytes from the start of the first to the end of the last element that a
/// strided batch of matrices accesses.
static int64_t matrixBytes(int64_t rows, int64_t columns, int64_t stride,
                           ArrayRef<int64_t> batch, ArrayRef<int64_t> strides,
                           int64_t elementBytes) {
  int64_t last = (rows - 1) * stride + columns - 1;
  for (auto [size, step] : llvm::zip(batch, strides))
    last += (size - 1) * step;
  return (last + 1) * elementBytes;
}

/// Checks that two buffers' elements have the same type.
static LogicalResult checkSameElements(Operation *op, Value a, Value b) {
  auto of = [](Value v) { return cast<MemRefType>(v.getType()); };
  if (of(a).getElementType() == of(b).getElementType())
    return success();
  return op->emitOpError() << "mixes elements of " << of(a) << " and " << of(b);
}

/// Checks that the library supports the GEMM's element types.
template <typename Op>
static LogicalResult checkElementTypes(Op op) {
  auto of = [](Value v) {
    return cast<MemRefType>(v.getType()).getElementType();
  };
  Type a = of(op.getA()), b = of(op.getB()), c = of(op.getC());
  bool isHalf = a.isBF16() || a.isF16();
  if (a == b && (isHalf || a.isF32() || a.isF64()) &&
      (c == a || (isHalf && c.isF32())))
    return success();
  return op.emitOpError() << "does not support operands of " << a << " and "
                          << b << " with a result of " << c;
}

/// Checks the vector or matrix of an epilogue; `buffer` is null if it has none.
static LogicalResult checkEpilogueOperand(GemmOp op, StringRef name,
                                          Value buffer, bool isNeeded,
                                          bool isAllowed, int64_t elements) {
  StringRef epilogue = stringifyEpilogue(op.getEpilogue());
  if (!buffer)
    return isNeeded ? LogicalResult(op.emitOpError()
                                    << "has no " << name << ", which '"
                                    << epilogue << "' needs")
                    : success();
  if (!isAllowed)
    return op.emitOpError()
           << "has a " << name << ", but '" << epilogue << "' uses none";
  auto type = cast<MemRefType>(buffer.getType());
  auto result = cast<MemRefType>(op.getC().getType());
  if (!isContiguous(type) || type.getNumElements() != elements ||
      type.getElementType() != result.getElementType())
    return op.emitOpError()
           << "has a " << name << " " << type << ", but '" << epilogue
           << "' needs " << elements << " elements of "
           << result.getElementType() << ", contiguous";
  return success();
}

/// Checks the epilogue and the operand `added`.
static LogicalResult checkEpilogue(GemmOp op) {
  GemmAttr s = op.getShape();
  Epilogue epilogue = op.getEpilogue();
  bool isGelu = epilogue == Epilogue::Gelu,
       isGeluGrad = epilogue == Epilogue::GeluGrad,
       isBias = epilogue == Epilogue::Bias, isSum = op.writesVector();
  bool isBetaZero = s.getBeta().getValue().isZero();
  auto type = cast<MemRefType>(op.getC().getType());
  StringRef name = stringifyEpilogue(epilogue);
  if (epilogue != Epilogue::None &&
      (s.getBatch()[0] != 1 || s.getBatch()[1] != 1))
    return op.emitOpError()
           << "has epilogue '" << name << "', which does not support a batch";
  if (epilogue != Epilogue::None && (type.getElementType().isF64() ||
                                     (isSum && !type.getElementType().isF32())))
    return op.emitOpError()
           << "has epilogue '" << name
           << "', which does not support results of " << type.getElementType();
  if ((isGelu || isGeluGrad) && !isBetaZero)
    return op.emitOpError()
           << "has epilogue '" << name << "', which needs beta 0";
  int64_t columns = epilogue == Epilogue::SumA ? s.getM() : s.getN();
  if (failed(checkEpilogueOperand(op, "vector", op.getVector(), isBias || isSum,
                                  isBias || isSum || isGelu, columns)) ||
      failed(checkEpilogueOperand(op, "matrix", op.getMatrix(), isGeluGrad,
                                  isGelu || isGeluGrad, s.getM() * s.getN())))
    return failure();
  if (op.getMatrix() && (s.getN() % 8 || s.getLdc() != s.getN()))
    return op.emitOpError()
           << "has a matrix of " << s.getN() << " columns, but ldc is "
           << s.getLdc() << "; both must be the same multiple of 8";
  if (!op.getAdded())
    return success();
  if (isBetaZero || (epilogue != Epilogue::None && !isBias))
    return op.emitOpError("has 'added', which needs a nonzero beta and the "
                          "epilogue 'none' or 'bias'");
  if (op.getAdded().getType() != type)
    return op.emitOpError()
           << "adds " << op.getAdded().getType() << " to " << type;
  return success();
}

LogicalResult GroupedGemmOp::verify() {
  auto typeOf = [](Value buffer) { return cast<MemRefType>(buffer.getType()); };
  MemRefType a = typeOf(getA()), b = typeOf(getB()), c = typeOf(getC()),
             ends = typeOf(getEnds());
  for (MemRefType type : {a, b, c, ends})
    if (!isContiguous(type))
      return emitOpError() << "needs contiguous buffers, not " << type;
  bool isSum = getForm() == GroupedForm::Sums;
  MemRefType matrices = isSum ? c : b,
             ofN = getForm() == GroupedForm::Transposed ? c : a,
             ofK = isSum                                  ? b
                   : getForm() == GroupedForm::Transposed ? a
                                                          : c;
  if (ofN.getRank() != 2 || ofK.getRank() != 2 || matrices.getRank() != 3 ||
      ofN.getDimSize(0) != ofK.getDimSize(0) ||
      matrices.getShape().drop_front() !=
          ArrayRef<int64_t>({ofN.getDimSize(1), ofK.getDimSize(1)}))
    return emitOpError() << "has shapes that do not match the form '"
                         << stringifyGroupedForm(getForm()) << "'";
  if (ends.getShape() != matrices.getShape().take_front(1) ||
      !ends.getElementType().isInteger(32))
    return emitOpError() << "needs ends of i32, one for each of "
                         << matrices.getDimSize(0) << " groups";
  if (getAdds() && !isSum)
    return emitOpError("adds, which only the form 'tn' can");
  return checkElementTypes(*this);
}

LogicalResult GemmOp::verify() {
  if (failed(checkElementTypes(*this)) || failed(checkEpilogue(*this)))
    return failure();
  GemmAttr s = getShape();
  ArrayRef<int64_t> batch = s.getBatch();
  auto check = [&](Value buffer, int64_t rows, int64_t columns, int64_t stride,
                   ArrayRef<int64_t> strides, StringRef name) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t bytes = matrixBytes(rows, columns, stride, batch, strides,
                                getElementBytes(type.getElementType()));
    if (bytes <= getSpanBytes(type))
      return success();
    return LogicalResult(emitOpError()
                         << "touches " << bytes << " bytes of " << name
                         << ", which has " << getSpanBytes(type));
  };
  int64_t m = s.getM(), n = s.getN(), k = s.getK();
  if (failed(check(getA(), s.getTransA() ? k : m, s.getTransA() ? m : k,
                   s.getLda(), s.getA(), "A")) ||
      failed(check(getB(), s.getTransB() ? n : k, s.getTransB() ? k : n,
                   s.getLdb(), s.getB(), "B")) ||
      failed(check(getC(), m, n, s.getLdc(), s.getC(), "C")))
    return failure();
  return success();
}

/// Checks that a buffer is contiguous.
static LogicalResult checkContiguous(Operation *op, Value buffer) {
  if (isContiguous(cast<MemRefType>(buffer.getType())))
    return success();
  return op->emitOpError() << "needs contiguous buffers, has "
                           << buffer.getType();
}

/// The number of elements of a buffer.
static int64_t elements(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements();
}

LogicalResult CopyOp::verify() {
  if (failed(checkContiguous(*this, getTo())) ||
      failed(checkContiguous(*this, getFrom())))
    return failure();
  if (getSpanBytes(getTo().getType()) != getSpanBytes(getFrom().getType()))
    return emitOpError() << "needs buffers of equal size, but copies "
                         << getFrom().getType() << " to " << getTo().getType();
  return success();
}

LogicalResult ZeroOp::verify() { return checkContiguous(*this, getTo()); }

LogicalResult AllReduceOp::verify() {
  if (getBuffers().empty())
    return emitOpError() << "needs a buffer";
  Type element = cast<MemRefType>(getBuffers()[0].getType()).getElementType();
  for (Value buffer : getBuffers()) {
    if (failed(checkContiguous(*this, buffer)))
      return failure();
    if (cast<MemRefType>(buffer.getType()).getElementType() != element)
      return emitOpError() << "needs buffers of one element type";
  }
  return success();
}

/// Checks that the number of elements of `large` is a multiple of that of
/// `small`, and that both are contiguous and of one element type.
static LogicalResult checkBlocks(Operation *op, Value small, Value large) {
  if (failed(checkContiguous(op, small)) ||
      failed(checkContiguous(op, large)) ||
      failed(checkSameElements(op, small, large)))
    return failure();
  if (elements(large) % elements(small) == 0)
    return success();
  return op->emitOpError() << "splits " << elements(large)
                           << " elements into blocks of " << elements(small);
}

LogicalResult AllGatherOp::verify() {
  return checkBlocks(*this, getInput(), getOutput());
}

LogicalResult ReduceScatterOp::verify() {
  return checkBlocks(*this, getOutput(), getInput());
}

LogicalResult ShardSliceOp::verify() {
  return checkBlocks(*this, getOutput(), getInput());
}

LogicalResult AllToAllOp::verify() {
  if (elements(getInput()) != elements(getOutput()))
    return emitOpError() << "sends " << elements(getInput())
                         << " elements but receives " << elements(getOutput());
  return checkBlocks(*this, getInput(), getOutput());
}

/// Whether a buffer is one i64.
static bool isInteger(MemRefType type) {
  return type.getElementType().isInteger(64) && type.getNumElements() == 1;
}

LogicalResult CommIndexOp::verify() {
  if (!isInteger(getType()))
    return emitOpError() << "must return one i64, not " << getType();
  return success();
}

LogicalResult ConstantOp::verify() {
  if (!isInteger(getType()))
    return emitOpError() << "must return one i64, not " << getType();
  return success();
}

LogicalResult SendOp::verify() { return checkContiguous(*this, getBuffer()); }

LogicalResult RecvOp::verify() { return checkContiguous(*this, getBuffer()); }

LogicalResult ExchangeOp::verify() {
  if (failed(checkContiguous(*this, getSent())))
    return failure();
  return checkContiguous(*this, getReceived());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &tables) {
  // Only entry points call, and they cannot be called: there is no recursion.
  if (failed(checkInEntry(*this)))
    return failure();
  auto callee = tables.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "names " << getCalleeAttr()
                         << ", which is not an rt.func";
  if (TypeRange(getArgs()) != TypeRange(callee.getBlock()->getArgumentTypes()))
    return emitOpError() << "calls " << getCalleeAttr()
                         << " with other argument types than it takes";
  if (callee.isEntry())
    return emitOpError() << "calls " << getCalleeAttr()
                         << ", which is an entry point";
  int64_t needed = callee.getFrame();
  if (getFrameAttr() && needed == 0)
    return emitOpError() << "passes " << getCalleeAttr()
                         << " a frame, but it needs none";
  if (getFrameAttr()) {
    auto frame =
        tables.lookupNearestSymbolFrom<BufferOp>(*this, getFrameAttr());
    if (!frame || frame.getKind() != BufferKind::Frame)
      return emitOpError() << "names " << getFrameAttr()
                           << ", which is not a buffer for frames";
    if (frame.getBytes() < needed)
      return emitOpError() << "passes " << getCalleeAttr() << " a frame of "
                           << frame.getBytes() << " bytes, but it needs "
                           << needed;
    if (frame.getSlots() > 1 && !isa<ForOp>((*this)->getParentOp()))
      return emitOpError() << "passes " << getCalleeAttr() << " a frame of "
                           << frame.getSlots()
                           << " slots, which is only allowed in a loop";
  } else if (needed > 0) {
    return emitOpError() << "passes " << getCalleeAttr()
                         << " no frame, but it needs " << needed << " bytes";
  }
  return success();
}
