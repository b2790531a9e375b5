//===- Switch.h - Switching between stacks ----------------------*- C++ -*-===//
//
// In assembly, as swapcontext() makes a system call for the signal mask each
// time, and a block's threads pause thousands of times. On x86 without a call,
// too: the processor's return-address prediction would use calls on other
// stacks.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EMULATED_SWITCH_H
#define PCC_RUNTIME_EMULATED_SWITCH_H

#include <cstring>

namespace pcc {

// NOLINTBEGIN(readability-identifier-naming): names of assembler code.
#if defined(__x86_64__)
static_assert(sizeof(void *) == 8, "pushes pointers");

/// Saves the stack pointer in *save and continues at `to`, another such pointer
/// or a result of prepareStack(). Returns when another fiber switches back.
[[gnu::always_inline]] inline void switchStacks(void **save, void *to) {
  // All registers are clobbered. The 128 bytes below the stack pointer are the
  // red zone of a leaf function.
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

/// The entry point of a new stack.
extern "C" void pcc_emu_begin();

/// Prepares a stack, whose `end` is a multiple of 16 bytes, so that a switch to
/// it calls `entry`, which never returns.
inline void *prepareStack(char *end, void (*entry)(void *), void *argument) {
  // The stack is 16-byte aligned at a call.
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

/// The entry point of a new stack.
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
