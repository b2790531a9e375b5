//===- Compute.cpp - Copies, clears and constants -------------------------===//

#include "runtime/cuda/Context.h"
#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

void pcc_set_node(pcc_context *ctx, const char *node) {
  stateOf(ctx).node = node;
}

void pcc_copy(pcc_context *ctx, void *to, const void *from, int64_t bytes) {
  if (bytes <= 0)
    return;
  check(driver().cuMemcpyDtoDAsync(at(to), at(from), bytes,
                                   streamOf(ctx, PCC_COMPUTE_STREAM)),
        "a copy", "", stateOf(ctx).node);
}

void pcc_zero(pcc_context *ctx, void *to, int64_t bytes) {
  if (bytes <= 0)
    return;
  check(driver().cuMemsetD8Async(at(to), 0, bytes,
                                 streamOf(ctx, PCC_COMPUTE_STREAM)),
        "a clear", "", stateOf(ctx).node);
}

const void *pcc_constant_at(pcc_context *, int32_t number) {
  return reinterpret_cast<const void *>(extra().constants +
                                        number * int64_t{PCC_ALIGNMENT});
}
