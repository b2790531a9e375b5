//===- CallData.h - Constants that runtime calls take -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_CALLDATA_H
#define PCC_PASSES_CODEGEN_EMIT_CALLDATA_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Emit/Data.h"
#include <array>
#include <optional>

namespace pcc {

/// The pcc_gemm_desc of a GEMM or, with an epilogue, its pcc_fused_desc.
/// Calls of equal shapes share a constant, which names the node of the first.
/// `dtypes`: of A, B and C.
Datum gemmDatum(rt::GemmAttr shape, const std::array<int32_t, 3> &dtypes,
                std::optional<rt::Epilogue> epilogue, Datum node);

/// The pcc_grouped_gemm_desc of a grouped GEMM.
Datum groupedGemmDatum(rt::GroupedGemmOp op, Datum node);

/// The pcc_attention_desc of a forward or backward pass.
Datum attentionDatum(rt::AttentionOp op, DataBuilder &data);
Datum attentionDatum(rt::AttentionGradOp op, DataBuilder &data);

/// The pcc_kernel that an op launches: the device kernel, if the module has one
/// of that name, else the CPU kernel. Fails with an error if that is not
/// lowered.
mlir::FailureOr<Datum> kernelDatum(rt::LaunchOp op, DataBuilder &data);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_CALLDATA_H
