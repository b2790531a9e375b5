//===- Switch.h - From one stack to another ---------------------*- C++ -*-===//
//
// By hand, for swapcontext() asks the kernel for the mask of signals each time,
// and a block of threads pauses thousands of times. On x86 without a call, too:
// processors guess where a function returns by the calls before, and these were
// on other stacks.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EMULATED_SWITCH_H
#define PCC_RUNTIME_EMULATED_SWITCH_H

#include <cstring>

namespace pcc {

// NOLINTBEGIN(readability-identifier-naming): names of assembler code.
#if defined(__x86_64__)
static_assert(sizeof(void *) == 8, "pushes pointers");

/// Leaves the stack's pointer in *save and goes on at `to`, another such
/// pointer or what prepareStack() has made. Returns when something goes on
/// here.
[[gnu::always_inline]] inline void switchStacks(void **save, void *to) {
  // All registers are changed. Below the stack's end is what a function that
  // calls none may keep there.
  asm volatile("leaq -128(%%rsp), %%rsp\n"
               "pushq %%rbp\n"
               "leaq 1f(%%rip), %%rdx\n"
               "pushq %%rdx\n"
               "movq %%rsp, (%0)\n"
               "movq %1, %%rsp\n"
               "popq %%rdx\n"
               "jmpq *%%rdx\n"
               "1:\n"
               "popq %%rbp\n"
               "leaq 128(%%rsp), %%rsp\n"
               : "+D"(save), "+S"(to)
               :
               : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12",
                 "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                 "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

/// Where a stack begins.
extern "C" void pcc_emu_begin();

/// Has what switches to a stack, which ends at a multiple of 16 bytes, call a
/// function that never returns.
inline void *prepareStack(char *end, void (*entry)(void *), void *argument) {
  // The stack is aligned to 16 bytes where a function is called.
  auto **top = reinterpret_cast<void **>(end);
  *--top = nullptr;
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(entry);
  *--top = argument;
  *--top = reinterpret_cast<void *>(pcc_emu_begin);
  return top;
}
#elif defined(__aarch64__)
/// The same as a function.
extern "C" void pcc_emu_swap(void **save, void *to);
inline void switchStacks(void **save, void *to) { pcc_emu_swap(save, to); }

/// Where a stack begins.
extern "C" void pcc_emu_begin();

inline void *prepareStack(char *end, void (*entry)(void *), void *argument) {
  auto **top = reinterpret_cast<void **>(end - 160);
  memset(top, 0, 160);
  top[0] = argument;                                 // x19
  top[1] = reinterpret_cast<void *>(entry);          // x20
  top[11] = reinterpret_cast<void *>(pcc_emu_begin); // x30
  return top;
}
#else
#error "no fibers for this processor"
#endif
// NOLINTEND(readability-identifier-naming)

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_SWITCH_H
