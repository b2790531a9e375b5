//===- RT.cpp - Registration and syntax of the rt dialect -----------------===//

#include "dialects/RT/RT.h"
#include "dialects/Loops.h"
#include "dialects/NN/NN.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// Parses `<["pp"=2]>`.
static ParseResult parseMeshAxes(OpAsmParser &parser,
                                 pcc::dist::MeshAxesAttr &axes) {
  axes = dyn_cast_or_null<pcc::dist::MeshAxesAttr>(
      pcc::dist::MeshAxesAttr::parse(parser, {}));
  return success(axes != nullptr);
}

static void printMeshAxes(OpAsmPrinter &printer, Operation *,
                          pcc::dist::MeshAxesAttr axes) {
  axes.print(printer);
}

/// Parses `64`, or `64, 256, 128`: the offsets of the first slot and the
/// others.
static ParseResult parseOffsets(OpAsmParser &parser, IntegerAttr &offset,
                                DenseI64ArrayAttr &others) {
  SmallVector<int64_t> offsets;
  if (parser.parseCommaSeparatedList(
          [&] { return parser.parseInteger(offsets.emplace_back()); }))
    return failure();
  Builder &builder = parser.getBuilder();
  offset = builder.getI64IntegerAttr(offsets.front());
  if (offsets.size() > 1)
    others = builder.getDenseI64ArrayAttr(ArrayRef(offsets).drop_front());
  return success();
}

static void printOffsets(OpAsmPrinter &printer, Operation *, IntegerAttr offset,
                         DenseI64ArrayAttr others) {
  printer << offset.getInt();
  for (int64_t other : others ? others.asArrayRef() : ArrayRef<int64_t>())
    printer << ", " << other;
}

/// Parses `<init normal decay>`, the entries of a record.
static ParseResult parseRecord(OpAsmParser &parser,
                               pcc::nn::RecordAttr &record) {
  record = dyn_cast_or_null<pcc::nn::RecordAttr>(
      pcc::nn::RecordAttr::parse(parser, {}));
  return success(record != nullptr);
}

static void printRecord(OpAsmPrinter &printer, Operation *,
                        pcc::nn::RecordAttr record) {
  record.print(printer);
}

/// Parses `1 to 3`: the first slot, and the slot after the last.
static ParseResult parseAmong(OpAsmParser &parser, DenseI64ArrayAttr &among) {
  int64_t first, end;
  if (parser.parseInteger(first) || parser.parseKeyword("to") ||
      parser.parseInteger(end))
    return failure();
  among = parser.getBuilder().getDenseI64ArrayAttr({first, end});
  return success();
}

static void printAmong(OpAsmPrinter &printer, Operation *,
                       DenseI64ArrayAttr among) {
  printer << among[0] << " to " << among[1];
}

#include "dialects/RT/Dialect.cpp.inc"
#include "dialects/RT/Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/RT/Attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/RT/Types.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/RT/Ops.cpp.inc"

namespace pcc::rt {

void RTDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/RT/Attrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/RT/Types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/RT/Ops.cpp.inc"
      >();
}

int64_t getElementBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

SmallVector<int64_t> getStrides(MemRefType type) {
  return type.getStridesAndOffset().first;
}

/// Whether a type has the identity layout and no empty dim. MLIR computes
/// strides by affine algebra, which takes microseconds; callers skip that for
/// such types.
static bool isDense(MemRefType type) {
  return type.getLayout().isIdentity() &&
         llvm::all_of(type.getShape(), [](int64_t n) { return n > 0; });
}

int64_t getSpanBytes(MemRefType type) {
  if (isDense(type))
    return type.getNumElements() * getElementBytes(type.getElementType());
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(type.getShape(), getStrides(type)))
    last += (size - 1) * stride;
  return (last + 1) * getElementBytes(type.getElementType());
}

bool isBuffer(MemRefType type) {
  if (isDense(type))
    return type.getElementType().isIntOrFloat();
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0 &&
         type.getElementType().isIntOrFloat() &&
         llvm::all_of(type.getShape(), [](int64_t n) { return n > 0; }) &&
         llvm::all_of(strides, [](int64_t stride) { return stride >= 0; });
}

bool isContiguous(MemRefType type) {
  if (isDense(type))
    return true;
  SmallVector<int64_t> strides = getStrides(type);
  int64_t expected = 1;
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    if (type.getDimSize(dim) != 1 && strides[dim] != expected)
      return false;
    expected *= type.getDimSize(dim);
  }
  return true;
}

bool hasAlignedRows(MemRefType type) {
  SmallVector<int64_t> strides = getStrides(type);
  int64_t bytes = getElementBytes(type.getElementType());
  for (auto [extent, stride] : llvm::zip(type.getShape(), strides))
    if (extent > 1 && &stride != &strides.back() && stride * bytes % 16)
      return false;
  return strides.back() == 1;
}

namespace {
/// Runs of contiguous elements at a constant distance from each other.
struct Runs {
  int64_t length = 1, distance = 0;
};
} // namespace

/// The runs of a type, in elements; nullopt if they have several distances.
static std::optional<Runs> findRuns(MemRefType type) {
  Runs runs;
  int64_t next = 1;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip(type.getShape(), getStrides(type)))) {
    if (extent == 1)
      continue;
    if (runs.distance == 0 && stride == runs.length)
      runs.length *= extent;
    else if (runs.distance == 0 && stride > runs.length)
      runs.distance = stride;
    else if (stride != next)
      return std::nullopt;
    next = stride * extent;
  }
  return runs;
}

bool areInterleaved(MemRefType type, int64_t begin, MemRefType other,
                    int64_t otherBegin) {
  std::optional<Runs> runs = findRuns(type), others = findRuns(other);
  if (!runs || !others || !runs->distance ||
      type.getElementType() != other.getElementType() ||
      runs->distance != others->distance)
    return false;
  int64_t bytes = getElementBytes(type.getElementType());
  int64_t period = runs->distance * bytes;
  int64_t after = ((otherBegin - begin) % period + period) % period;
  return after >= runs->length * bytes &&
         after + others->length * bytes <= period;
}

bool isCollective(Operation *op) {
  return isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp>(op);
}

int64_t getStream(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp, SendOp,
            RecvOp, FillOp, LaunchOp, RecordOp, WaitOp>(
          [](auto op) { return op.getStream(); })
      .Default([](Operation *) { return 0; });
}

int64_t BufferOp::getBytes() { return getSpanBytes(getMemRefType()); }

bool FuncOp::isEntry() { return llvm::is_contained(kEntries, getSymName()); }

int64_t TemporaryOp::getBytes() {
  return llvm::alignTo(getSpanBytes(getType()), kAlignment);
}

bool BufferOp::rotatesSlots() {
  return getKind() == BufferKind::Value || getRefilled();
}

int64_t BufferOp::getSlotBytes() {
  return llvm::alignTo(getBytes(), kAlignment);
}

int64_t BufferOp::getSlotOffset(int64_t slot) {
  int64_t first = *getOffset();
  if (slot == 0)
    return first;
  return getOthers() ? (*getOthers())[slot - 1] : first + slot * getSlotBytes();
}

int64_t BufferOp::getEnd() {
  int64_t last = getSlotOffset(int64_t(getSlots()) - 1);
  if (getOthers())
    last = std::max(int64_t(*getOffset()), *llvm::max_element(*getOthers()));
  return last + getSlotBytes();
}

ArrayAttr BufferOp::getShardAxes() {
  LayoutAttr layout = getLayoutAttr();
  bool isBucket =
      getKind() == BufferKind::Bucket || getKind() == BufferKind::Part;
  return isBucket && layout ? cast<ArrayAttr>(layout.getAxes()[1])
                            : ArrayAttr::get(getContext(), {});
}

int64_t AllReduceOp::getBytes() {
  int64_t bytes = 0;
  for (Value buffer : getBuffers())
    bytes = llvm::alignTo(bytes, kAlignment) +
            getSpanBytes(cast<MemRefType>(buffer.getType()));
  return bytes;
}

int64_t ProgramOp::getAxisSize(StringRef name) {
  std::optional<unsigned> axis = getAxes().find(name);
  return axis ? getAxes().getSizes()[*axis] : 1;
}

SmallVector<ArrayAttr> ProgramOp::getAllComms() {
  SmallVector<ArrayAttr> all;
  for (ArrayAttr list : {getComms(), getBesideAttr()})
    if (list)
      llvm::append_range(all, list.getAsRange<ArrayAttr>());
  return all;
}

int64_t ProgramOp::getCommIndex(ArrayAttr axes, int64_t stream) {
  bool isBeside = stream != 0;
  ArrayAttr list = isBeside ? getBesideAttr() : getComms();
  if (!list || !llvm::is_contained(list, axes))
    return -1;
  return llvm::find(list, axes) - list.begin() +
         (isBeside ? getComms().size() : 0);
}

/// Parses `@name(%a: memref<...>, ...) frame 64 { ... }`.
ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true))
    return failure();
  IntegerAttr frame;
  if (succeeded(parser.parseOptionalKeyword("frame")) &&
      parser.parseAttribute(frame, parser.getBuilder().getI64Type(),
                            getFrameAttrName(result.name), result.attributes))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void FuncOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  llvm::interleaveComma(getBlock()->getArguments(), p,
                        [&](BlockArgument arg) { p.printRegionArgument(arg); });
  p << ')';
  if (getFrame() != 0)
    p << " frame " << getFrame();
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getFrameAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/false);
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseLoop<ForOp>(parser, result);
}

void ForOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  for (BlockArgument variable : region.getArguments())
    setName(variable, "m");
}

void ForOp::print(OpAsmPrinter &p) { printLoop(p, *this); }

Value getViewedBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewOp>())
    buffer = view.getSource();
  return buffer;
}

SmallVector<Access> getAccesses(Operation *op) {
  SmallVector<Access> accesses;
  auto reads = [&](ValueRange buffers) {
    for (Value buffer : buffers)
      accesses.push_back({buffer, /*isWrite=*/false});
  };
  auto writes = [&](ValueRange buffers) {
    for (Value buffer : buffers)
      accesses.push_back({buffer, /*isWrite=*/true});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LaunchOp launch) {
        reads(launch.getIns());
        writes(launch.getOuts());
      })
      .Case([&](GemmOp gemm) {
        reads({gemm.getA(), gemm.getB()});
        if (gemm.getAdded())
          reads(gemm.getAdded());
        else if (!gemm.getShape().getBeta().getValue().isZero())
          reads(gemm.getC());
        Value vector = gemm.getVector(), matrix = gemm.getMatrix();
        if (vector && !gemm.writesVector())
          reads(vector);
        if (matrix && !gemm.writesMatrix())
          reads(matrix);
        writes(gemm.getC());
        if (vector && gemm.writesVector())
          writes(vector);
        if (matrix && gemm.writesMatrix())
          writes(matrix);
      })
      .Case([&](GroupedGemmOp gemm) {
        reads({gemm.getA(), gemm.getB(), gemm.getEnds()});
        if (gemm.getAdds())
          reads(gemm.getC());
        writes(gemm.getC());
      })
      .Case([&](AttentionOp attention) {
        reads({attention.getQ(), attention.getK(), attention.getV()});
        writes({attention.getResult(), attention.getStats()});
      })
      .Case([&](AttentionGradOp grad) {
        reads({grad.getDResult(), grad.getQ(), grad.getK(), grad.getV(),
               grad.getResult(), grad.getStats()});
        writes({grad.getDq(), grad.getDk(), grad.getDv(), grad.getWorkspace()});
      })
      .Case([&](CopyOp copy) {
        reads(copy.getFrom());
        writes(copy.getTo());
      })
      .Case([&](ZeroOp zero) { writes(zero.getTo()); })
      .Case([&](ReleaseOp release) { writes(release.getBuffer()); })
      .Case([&](AllReduceOp reduce) {
        reads(reduce.getBuffers());
        writes(reduce.getBuffers());
      })
      .Case<AllGatherOp, AllToAllOp, ShardSliceOp>([&](auto gathering) {
        reads(gathering.getInput());
        writes(gathering.getOutput());
      })
      .Case([&](ReduceScatterOp scatter) {
        reads(scatter.getInput());
        if (scatter.getAdds())
          reads(scatter.getOutput());
        writes(scatter.getOutput());
      })
      .Case([&](SendOp send) { reads(send.getBuffer()); })
      .Case([&](RecvOp recv) { writes(recv.getBuffer()); })
      .Case([&](FillOp fill) { writes(fill.getBuffer()); })
      .Case([&](ExchangeOp exchange) {
        reads(exchange.getSent());
        writes(exchange.getReceived());
      });
  return accesses;
}

} // namespace pcc::rt
