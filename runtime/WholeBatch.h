//===- WholeBatch.h - Losses that need the whole batch ----------*- C++ -*-===//

#ifndef PCC_RUNTIME_WHOLEBATCH_H
#define PCC_RUNTIME_WHOLEBATCH_H

// Names of C. NOLINTBEGIN(readability-identifier-naming)

#ifdef __cplusplus
extern "C" {
#endif

/// A loss that is only defined for a batch with all of its samples.
typedef struct {
  const char *reason; ///< such as "'/MatMul' combines several samples"
} pcc_whole_batch;

/// Missing in programs whose loss can be computed from the losses of parts of a
/// batch.
extern const pcc_whole_batch pcc_the_whole_batch __attribute__((weak));

#ifdef __cplusplus
} // extern "C"
#endif

// NOLINTEND(readability-identifier-naming)

#endif // PCC_RUNTIME_WHOLEBATCH_H
