/*===- Emulator.h - GPU kernels run by a CPU ---------------------*- C++
 * -*-===//
 *
 * Runs a kernel's device code, compiled for the host, as a GPU would. Each
 * thread of a block is a fiber, which runs to the next barrier or shuffle;
 * blocks run one after the other, in a random order. The process is aborted,
 * with a message that names kernel, block and thread, if
 *
 *   - threads of a block wait at different barriers, or some have ended;
 *   - lanes of a warp exchange values with lanes that wait elsewhere or do not
 *     take part;
 *   - an access is not aligned as it claims, is outside all buffers of the
 *     kernel, or writes to a buffer that the kernel only reads;
 *   - two threads access the same element, one of them writing, and no barrier
 *     orders them;
 *   - a thread reads shared memory that no thread of the block has written;
 *   - a thread's stack overflows its fiber's stack;
 *   - a block has more shared memory than the GPU offers.
 *
 * At a block's begin shared memory is filled with PCC_EMU_POISON. So are, at a
 * kernel's begin, results that share no memory with another buffer. The
 * emulator counts launches, and the sectors of 32 bytes of the kernel's buffers
 * that are read and written: a warp's k-th execution of an access touches the
 * distinct sectors of its lanes, without a cache. It also counts the distinct
 * sectors of a launch, which are a lower bound of the traffic.
 *
 * Compiled kernels call the functions of the last part. A launch runs on one
 * host thread; several host threads may run launches at a time.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PCC_RUNTIME_EMULATED_EMULATOR_H
#define PCC_RUNTIME_EMULATED_EMULATOR_H

#include <stdint.h>

// Names as in C. NOLINTBEGIN(readability-identifier-naming)
#ifdef __cplusplus
extern "C" {
#endif

/// The content of unwritten memory: signalling NaN as f32 and as two bf16, NaN
/// as two f16, and out of bounds as an index.
enum { PCC_EMU_POISON = 0x7fa57fa5 };

/// A buffer of a kernel.
struct pcc_emu_buffer {
  /// The size of the buffer.
  int64_t bytes;
  /// The size of an element, rounded up to whole bytes.
  int32_t element_bytes;
  /// Whether the kernel may write it.
  int32_t is_written;
};

/// A kernel. Compiled code has an array `pcc_emu_kernels` of
/// `pcc_emu_kernel_count` kernels.
struct pcc_emu_kernel {
  /// The symbol.
  const char *name;
  /// Runs one thread; `buffers` are pointers to operands, then results.
  void (*run)(void *const *buffers);
  const struct pcc_emu_buffer *buffers;
  int64_t buffer_count;
  /// The blocks, the threads of a block, and its shared memory in bytes.
  int64_t grid, block, shared;
  /// The number of access sites in the code, which are numbered from 0.
  int64_t sites;
};

/// Counts since the last pcc_emu_reset().
struct pcc_emu_counts {
  int64_t launches;
  /// Sectors of 32 bytes of the buffers.
  int64_t read_sectors, written_sectors;
  /// The same, with each sector counted once per launch.
  int64_t distinct_read, distinct_written;
  /// Over all launches.
  int64_t blocks;
};

/// Runs a kernel to its end.
void pcc_emu_launch(const struct pcc_emu_kernel *kernel, void *const *buffers);

/// Selects the order of blocks, warps and lanes of later launches.
void pcc_emu_seed(uint64_t seed);
/// Launches whose buffers have more elements are not checked for races, nor for
/// reads of unwritten shared memory.
void pcc_emu_check_races(int64_t most_elements);

/// Sets the most shared memory of a block in later launches; the default is
/// that of the default GPU, sm_90.
void pcc_emu_limit_shared(int64_t bytes);

/// The counts of all launches of a kernel, by name; zeros without a launch.
struct pcc_emu_counts pcc_emu_count(const char *kernel);
/// Resets all counts.
void pcc_emu_reset(void);

/// A function that compiled kernels call.
struct pcc_emu_symbol {
  /// The name that code calls.
  const char *name;
  void *address;
};
/// All functions, with a null name at the end, for callers that load code
/// themselves.
const struct pcc_emu_symbol *pcc_emu_symbols(void);

/* The functions that compiled kernels call. `site` is the number of an access
 * or of a barrier or shuffle in the code. */

/// Ids and sizes, in x.
int32_t pcc_emu_thread(void);
int32_t pcc_emu_block(void);
int32_t pcc_emu_block_size(void);
int32_t pcc_emu_grid_size(void);
/// A barrier of the block.
void pcc_emu_barrier(int32_t site);
/// A barrier of the lanes of a mask.
void pcc_emu_sync_warp(int32_t mask, int32_t site);
/// A shuffle of the lanes of a mask: each receives the 32 bits of the lane
/// whose number differs in the bits of `distance`.
int32_t pcc_emu_shuffle(int32_t mask, int32_t bits, int32_t distance,
                        int32_t site);
/// ldmatrix: the lanes of a warp load four matrices of 8 x 8 low-precision
/// elements from shared memory. Each lane passes the address of one row, and
/// receives a word of each matrix.
void pcc_emu_load_matrices(const void *row, int32_t is_transposed, int32_t site,
                           int32_t *result);
/// mma.sync.m16n8k16 of f16 or bf16 with f32 sums: each lane passes 4 words of
/// a, 2 of b and 4 sums.
void pcc_emu_multiply(const int32_t *a, const int32_t *b, const float *sums,
                      int32_t is_bfloat, int32_t site, float *result);
/// The block's shared memory.
void *pcc_emu_shared(void);
/// Called before an access. `kind`: 1 for a write, plus 2 for shared memory.
void pcc_emu_access(const void *address, int32_t bytes, int32_t alignment,
                    int32_t kind, int32_t site);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming)

#endif /* PCC_RUNTIME_EMULATED_EMULATOR_H */
