//===- Libdevice.cpp - The functions that kernels call --------------------===//
//
// Functions with the names of NVIDIA's libdevice, implemented by the C library.
//
//===----------------------------------------------------------------------===//

#include "runtime/emulated/Emulator.h"
#include <cmath>

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names.
extern "C" {
#define PCC_FUNCTION1(name)                                                    \
  double __nv_##name(double x) { return std::name(x); }                        \
  float __nv_##name##f(float x) { return std::name(x); }
#define PCC_FUNCTION2(name)                                                    \
  double __nv_##name(double x, double y) { return std::name(x, y); }           \
  float __nv_##name##f(float x, float y) { return std::name(x, y); }
#include "runtime/emulated/Libdevice.def"

double __nv_rsqrt(double x) { return 1 / sqrt(x); }
float __nv_rsqrtf(float x) { return 1 / sqrtf(x); }
double __nv_powi(double x, int n) { return pow(x, n); }
float __nv_powif(float x, int n) { return powf(x, float(n)); }

// Of RoundBF16.c; the first rounds as cvt.rn.bf16.f32.
uint16_t pcc_round_bf16(float x);
_Float16 __truncsfbf2(float x);
}

const pcc_emu_symbol *pcc_emu_symbols(void) {
#define PCC_SYMBOL(name) {#name, reinterpret_cast<void *>(name)}
#define PCC_FUNCTION1(name) PCC_SYMBOL(__nv_##name), PCC_SYMBOL(__nv_##name##f),
#define PCC_FUNCTION2(name) PCC_FUNCTION1(name)
  static const pcc_emu_symbol symbols[] = {
#include "runtime/emulated/Libdevice.def"
      PCC_SYMBOL(__nv_rsqrt),         PCC_SYMBOL(__nv_rsqrtf),
      PCC_SYMBOL(__nv_powi),          PCC_SYMBOL(__nv_powif),
      PCC_SYMBOL(pcc_round_bf16),     PCC_SYMBOL(__truncsfbf2),
      PCC_SYMBOL(pcc_emu_thread),     PCC_SYMBOL(pcc_emu_block),
      PCC_SYMBOL(pcc_emu_block_size), PCC_SYMBOL(pcc_emu_grid_size),
      PCC_SYMBOL(pcc_emu_barrier),    PCC_SYMBOL(pcc_emu_sync_warp),
      PCC_SYMBOL(pcc_emu_shuffle),    PCC_SYMBOL(pcc_emu_load_matrices),
      PCC_SYMBOL(pcc_emu_multiply),   PCC_SYMBOL(pcc_emu_shared),
      PCC_SYMBOL(pcc_emu_access),     {nullptr, nullptr}};
  return symbols;
}
// NOLINTEND(readability-identifier-naming)
