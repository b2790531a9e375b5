//===- CallData.cpp - Constants that runtime calls take -------------------===//

#include "passes/Codegen/Emit/CallData.h"
#include "analysis/ElementTypes.h"
#include "dialects/NN/Location.h"
#include "passes/Codegen/Gpu/Device.h"
#include "runtime/Runtime.h"

using namespace mlir;
using namespace pcc;

static_assert(int(rt::Epilogue::None) == PCC_NO_EPILOGUE &&
              int(rt::Epilogue::Bias) == PCC_BIAS &&
              int(rt::Epilogue::Gelu) == PCC_GELU &&
              int(rt::Epilogue::GeluGrad) == PCC_GELU_GRAD &&
              int(rt::Epilogue::SumA) == PCC_SUM_A &&
              int(rt::Epilogue::SumB) == PCC_SUM_B);

Datum pcc::gemmDatum(rt::GemmAttr s, const std::array<int32_t, 3> &dtypes,
                     std::optional<rt::Epilogue> epilogue, Datum node) {
  SmallVector<Datum> fields;
  for (int32_t dtype : dtypes)
    fields.push_back(Datum::i32(dtype));
  for (bool transposed : {s.getTransA(), s.getTransB()})
    fields.push_back(Datum::i32(transposed));
  for (int64_t extent :
       {s.getM(), s.getN(), s.getK(), s.getLda(), s.getLdb(), s.getLdc()})
    fields.push_back(Datum::i64(extent));
  for (DenseI64ArrayAttr pair : {s.getBatch(), s.getA(), s.getB(), s.getC()})
    for (int64_t value : pair.asArrayRef())
      fields.push_back(Datum::i64(value));
  for (FloatAttr factor : {s.getAlpha(), s.getBeta()})
    fields.push_back(Datum::f32(factor.getValueAsDouble()));
  fields.push_back(std::move(node));
  Datum product = Datum::structure(fields);
  if (!epilogue)
    return product;
  return Datum::structure({product, Datum::i32(int32_t(*epilogue))});
}

static_assert(int(rt::GroupedForm::Transposed) == PCC_GROUPED_NT &&
              int(rt::GroupedForm::Plain) == PCC_GROUPED_NN &&
              int(rt::GroupedForm::Sums) == PCC_GROUPED_TN);

Datum pcc::groupedGemmDatum(rt::GroupedGemmOp op, Datum node) {
  auto typeOf = [](Value buffer) { return cast<MemRefType>(buffer.getType()); };
  auto dtypeOf = [&](Value buffer) {
    return Datum::i32(analysis::dtypeOf(typeOf(buffer).getElementType()));
  };
  MemRefType matrices =
      typeOf(op.getForm() == rt::GroupedForm::Sums ? op.getC() : op.getB());
  return Datum::structure(
      {dtypeOf(op.getA()), dtypeOf(op.getC()),
       Datum::i32(int32_t(op.getForm())), Datum::i32(op.getAdds()),
       Datum::i64(typeOf(op.getA()).getDimSize(0)),
       Datum::i64(matrices.getDimSize(0)), Datum::i64(matrices.getDimSize(1)),
       Datum::i64(matrices.getDimSize(2)), std::move(node)});
}

namespace {
/// Fields that only the backward pass has.
struct Backward {
  ValueRange cotangents;
  int64_t samples = 0, keyHeadGroup = 0, workspace = 0;
};
} // namespace

template <typename Op>
static Datum describe(Op op, DataBuilder &data, const Backward &backward = {}) {
  auto typeOf = [](Value buffer) { return cast<MemRefType>(buffer.getType()); };
  MemRefType q = typeOf(op.getQ()), k = typeOf(op.getK());
  SmallVector<Datum> fields = {
      Datum::i32(analysis::dtypeOf(q.getElementType())),
      Datum::i32(backward.samples > 0), Datum::i32(op.getCausal())};
  for (int64_t extent : {q.getDimSize(0), q.getDimSize(1), k.getDimSize(1),
                         q.getDimSize(2), k.getDimSize(2), q.getDimSize(3)})
    fields.push_back(Datum::i64(extent));
  SmallVector<Value> strided = {op.getQ(), op.getK(), op.getV()};
  llvm::append_range(strided, backward.cotangents);
  for (Value buffer : strided) {
    SmallVector<int64_t> strides = rt::getStrides(typeOf(buffer));
    for (int64_t stride : ArrayRef(strides).drop_back())
      fields.push_back(Datum::i64(stride));
  }
  if (backward.cotangents.empty())
    fields.append(9, Datum::i64(0));
  fields.push_back(Datum::f32(op.getScale().convertToDouble()));
  for (int64_t number :
       {backward.samples, backward.keyHeadGroup, backward.workspace})
    fields.push_back(Datum::i64(number));
  fields.push_back(data.addString(nn::sourceNode(op.getLoc())));
  return Datum::structure(fields);
}

Datum pcc::attentionDatum(rt::AttentionOp op, DataBuilder &data) {
  return describe(op, data);
}

Datum pcc::attentionDatum(rt::AttentionGradOp op, DataBuilder &data) {
  SmallVector<Value> cotangents = {op.getDq(), op.getDk(), op.getDv()};
  return describe(op, data,
                  {cotangents, int64_t(op.getSamples()), op.getKeyHeadGroup(),
                   rt::getSpanBytes(op.getWorkspace().getType())});
}

FailureOr<Datum> pcc::kernelDatum(rt::LaunchOp op, DataBuilder &data) {
  auto module = op->getParentOfType<ModuleOp>();
  SmallVector<int64_t> bytes;
  for (Type type : op->getOperandTypes())
    bytes.push_back(rt::getSpanBytes(cast<MemRefType>(type)));
  auto make = [&](StringRef name, Datum run, int64_t units, int64_t grain,
                  const std::array<int64_t, 3> &launched) {
    return Datum::structure(
        {data.addString(name), data.addString(nn::sourceNode(op.getLoc())),
         Datum::i32(bytes.size()),
         data.addArray("pcc.bytes", ArrayRef<int64_t>(bytes)), run,
         Datum::i64(units), Datum::i64(grain), Datum::i32(launched[0]),
         Datum::i32(launched[1]), Datum::i32(launched[2])});
  };
  std::string onDevice = codegen::deviceName(op.getKernel());
  if (auto device =
          module.lookupSymbol<gpu::GPUModuleOp>(codegen::kDeviceModule))
    if (auto kernel = device.lookupSymbol<gpu::GPUFuncOp>(onDevice)) {
      codegen::DeviceKernel made = codegen::describeDeviceKernel(kernel);
      return make(onDevice, Datum::null(), 0, 0,
                  {made.grid, made.block, made.shared});
    }
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(op.getKernel());
  auto units = function
                   ? function->getAttrOfType<IntegerAttr>(rt::kWorkItemsAttr)
                   : IntegerAttr();
  auto grain = function ? function->getAttrOfType<IntegerAttr>(rt::kGrainAttr)
                        : IntegerAttr();
  if (!units || !grain)
    return LogicalResult(op.emitOpError() << "launches " << op.getKernelAttr()
                                          << ", which is no lowered kernel");
  return make(op.getKernel(), Datum::address(op.getKernel()), units.getInt(),
              grain.getInt(), {0, 0, 0});
}
