/*===- Emulator.h - Kernels for GPUs, run by a CPU ---------------*- C++
 * -*-===//
 *
 * Runs a kernel's device code, compiled for the host, as a GPU would: a fiber
 * for each thread of a block, which goes on to the next barrier or shuffle;
 * blocks one after the other, in an order that is drawn. It is strict. With a
 * message that names kernel, block and thread the process is aborted where
 *
 *   - threads of a block wait at different barriers, or some have ended;
 *   - lanes of a warp exchange values with lanes that are elsewhere;
 *   - an access is not aligned as it says, or lies in no buffer of the kernel,
 *     or writes to one that the kernel only reads;
 *   - two threads touch the same element, one of them writing, and nothing
 *     says which is first;
 *   - a thread's own memory does not fit into its fiber's stack;
 *   - a block has more shared memory than the GPU offers.
 *
 * Shared memory is full of PCC_EMU_POISON at a block's begin, and so are, as a
 * kernel begins, results that lie in no operand's place. It counts launches and
 * the sectors, 32 bytes each, of the kernel's buffers that were read and
 * written: a warp's k-th execution of an access touches the distinct sectors of
 * its lanes. There is no cache. Beside that it counts the sectors that are
 * touched at all, which is the least there could be.
 *
 * Compiled kernels call the functions of the last part. What runs on several
 * threads of the host at a time are different kernels.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PCC_RUNTIME_EMULATED_EMULATOR_H
#define PCC_RUNTIME_EMULATED_EMULATOR_H

#include <stdint.h>

// Names as in C. NOLINTBEGIN(readability-identifier-naming)
#ifdef __cplusplus
extern "C" {
#endif

/// What memory is full of that nobody has written: as an f32 and as two bf16 it
/// is signalling NaNs, as two f16 NaNs, and as an index it lies in no buffer.
enum { PCC_EMU_POISON = 0x7fa57fa5 };

/// A buffer of a kernel.
struct pcc_emu_buffer {
  /// The whole.
  int64_t bytes;
  /// What is written as one.
  int32_t element_bytes;
  /// Whether the kernel may write it.
  int32_t is_written;
};

/// A kernel; compiled code has one of each, in an array `pcc_emu_kernels` of
/// `pcc_emu_kernel_count`.
struct pcc_emu_kernel {
  /// The symbol.
  const char *name;
  /// Does a thread's work; `buffers` are pointers to operands, then results.
  void (*run)(void *const *buffers);
  const struct pcc_emu_buffer *buffers;
  int64_t buffer_count;
  /// Blocks, threads of a block, bytes of a block's shared memory.
  int64_t grid, block, shared;
  /// Accesses in the code; each has a number below.
  int64_t sites;
};

/// What has been counted since the last pcc_emu_reset().
struct pcc_emu_counts {
  /// Of the kernel.
  int64_t launches;
  /// Sectors of 32 bytes of the buffers.
  int64_t read_sectors, written_sectors;
  /// The same, each counted once in a launch however often it is touched.
  int64_t distinct_read, distinct_written;
  /// Of all launches.
  int64_t blocks;
};

/// Runs a kernel to its end.
void pcc_emu_launch(const struct pcc_emu_kernel *kernel, void *const *buffers);

/// Chooses the order of blocks, warps and lanes of the launches that follow.
void pcc_emu_seed(uint64_t seed);
/// Launches whose buffers have more elements are not checked for races.
void pcc_emu_check_races(int64_t most_elements);

/// Blocks of the launches that follow may have so many bytes of shared memory;
/// unless told otherwise, as many as one of the default GPU, sm_90.
void pcc_emu_limit_shared(int64_t bytes);

/// Counts of all launches of a kernel, by name; zeros where there was none.
struct pcc_emu_counts pcc_emu_count(const char *kernel);
/// Forgets all counts.
void pcc_emu_reset(void);

/// A function that compiled kernels call.
struct pcc_emu_symbol {
  /// What code calls it.
  const char *name;
  /// The function.
  void *address;
};
/// All of them, with a null name at the end, for who loads code himself.
const struct pcc_emu_symbol *pcc_emu_symbols(void);

/* What compiled kernels call. `site` is the number of an access or of a place
 * where threads meet. */

/// Ids and sizes, in x.
int32_t pcc_emu_thread(void);
int32_t pcc_emu_block(void);
int32_t pcc_emu_block_size(void);
int32_t pcc_emu_grid_size(void);
/// All threads of the block meet.
void pcc_emu_barrier(int32_t site);
/// The lanes of a mask meet.
void pcc_emu_sync_warp(int32_t mask, int32_t site);
/// The lanes of a mask meet and exchange 32 bits: each gets those of the lane
/// whose number differs by `distance`'s bits.
int32_t pcc_emu_shuffle(int32_t mask, int32_t bits, int32_t distance,
                        int32_t site);
/// The lanes of a warp meet and load four matrices of 8 x 8 16-bit elements
/// from shared memory, as ldmatrix: each says where one of their rows lies, and
/// gets a word of each matrix.
void pcc_emu_load_matrices(const void *row, int32_t is_transposed, int32_t site,
                           int32_t *result);
/// The lanes of a warp meet and multiply, as mma.sync.m16n8k16 does f16 or bf16
/// with f32 sums: 4 words of a, 2 of b, 4 sums.
void pcc_emu_multiply(const int32_t *a, const int32_t *b, const float *sums,
                      int32_t is_bfloat, int32_t site, float *result);
/// The block's shared memory.
void *pcc_emu_shared(void);
/// Said ahead of an access. `kind`: 1 if it writes, plus 2 if it is to shared
/// memory.
void pcc_emu_access(const void *address, int32_t bytes, int32_t alignment,
                    int32_t kind, int32_t site);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming)

#endif /* PCC_RUNTIME_EMULATED_EMULATOR_H */
