//===- CallData.h - What calls of the runtime point to ----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_CALLDATA_H
#define PCC_PASSES_CODEGEN_EMIT_CALLDATA_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Emit/Data.h"
#include <array>
#include <optional>

namespace pcc {

/// What pcc_gemm, or with an epilogue pcc_gemm_fused, takes: a constant per
/// shape, which many calls share, and which names the first one's node.
/// `dtypes` are those of A, B and C.
Datum gemmDatum(rt::GemmAttr shape, const std::array<int32_t, 3> &dtypes,
                std::optional<rt::Epilogue> epilogue, Datum node);

/// The pcc_attention_desc of a forward or of a backward pass.
Datum attentionDatum(rt::AttentionOp op, DataBuilder &data);
Datum attentionDatum(rt::AttentionGradOp op, DataBuilder &data);

/// The pcc_kernel that an op launches: a device's, where the module around it
/// has one of that name, else a CPU's. Fails, with an error, if that is not
/// lowered.
mlir::FailureOr<Datum> kernelDatum(rt::LaunchOp op, DataBuilder &data);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_CALLDATA_H
