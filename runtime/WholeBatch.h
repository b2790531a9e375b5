//===- WholeBatch.h - Losses that have no parts -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_WHOLEBATCH_H
#define PCC_RUNTIME_WHOLEBATCH_H

// Names of C. NOLINTBEGIN(readability-identifier-naming)

#ifdef __cplusplus
extern "C" {
#endif

/// A loss that only a batch with all of its samples has.
typedef struct {
  const char *reason; ///< such as "'/MatMul' joins several samples"
} pcc_whole_batch;

/// Absent from programs whose loss follows from those of parts of a batch.
extern const pcc_whole_batch pcc_the_whole_batch __attribute__((weak));

#ifdef __cplusplus
} // extern "C"
#endif

// NOLINTEND(readability-identifier-naming)

#endif // PCC_RUNTIME_WHOLEBATCH_H
