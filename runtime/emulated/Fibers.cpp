//===- Fibers.cpp - Threads that run when they are told to ----------------===//
//
// Stacks are exchanged by hand: swapcontext() asks the kernel for the mask of
// signals each time, and a block of threads pauses thousands of times.
//
//===----------------------------------------------------------------------===//

#include "runtime/emulated/Fibers.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace pcc;

/// Code of kernels and of libm's functions; a page at the end stays unused.
static constexpr size_t kStackBytes = 128 << 10;

/// Pushes what a function keeps, leaves the stack's pointer in *save and goes
/// on at `to`, another such pointer.
// NOLINTBEGIN(readability-identifier-naming): names of assembler code.
extern "C" void pcc_emu_swap(void **save, void *to);

#if defined(__x86_64__)
asm(R"(
.text
.globl pcc_emu_swap
.hidden pcc_emu_swap
.type pcc_emu_swap, @function
pcc_emu_swap:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.globl pcc_emu_begin
.hidden pcc_emu_begin
.type pcc_emu_begin, @function
pcc_emu_begin:
  movq %rbx, %rdi
  call *%r12
  ud2
)");
extern "C" void pcc_emu_begin();

/// What pcc_emu_swap() finds on the stack of a fiber that has not begun.
static void *prepare(char *stack, void (*entry)(Fibers *), Fibers *self) {
  auto **top = reinterpret_cast<void **>(stack + kStackBytes);
  // The stack is aligned to 16 bytes where a function is called.
  *--top = nullptr;
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(pcc_emu_begin);
  *--top = nullptr;                         // rbp
  *--top = self;                            // rbx
  *--top = reinterpret_cast<void *>(entry); // r12
  for (int i = 0; i < 3; ++i)
    *--top = nullptr; // r13 to r15
  return top;
}
#elif defined(__aarch64__)
asm(R"(
.text
.globl pcc_emu_swap
.hidden pcc_emu_swap
.type pcc_emu_swap, %function
pcc_emu_swap:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.globl pcc_emu_begin
.hidden pcc_emu_begin
.type pcc_emu_begin, %function
pcc_emu_begin:
  mov x0, x19
  blr x20
  brk #0
)");
extern "C" void pcc_emu_begin();

static void *prepare(char *stack, void (*entry)(Fibers *), Fibers *self) {
  auto **top = reinterpret_cast<void **>(stack + kStackBytes - 160);
  memset(top, 0, 160);
  top[0] = self;                                     // x19
  top[1] = reinterpret_cast<void *>(entry);          // x20
  top[11] = reinterpret_cast<void *>(pcc_emu_begin); // x30
  return top;
}
#else
#error "no fibers for this processor"
#endif
// NOLINTEND(readability-identifier-naming)

Fibers::~Fibers() {
  for (Fiber &fiber : fibers)
    free(fiber.stack);
}

void Fibers::enter(Fibers *self) {
  self->body(self->argument);
  Fiber &fiber = self->fibers[self->running];
  fiber.hasEnded = true;
  pcc_emu_swap(&fiber.pointer, self->caller);
}

void Fibers::start(size_t count, Body newBody, void *newArgument) {
  body = newBody;
  argument = newArgument;
  if (fibers.size() < count)
    fibers.resize(count);
  for (size_t i = 0; i < count; ++i) {
    Fiber &fiber = fibers[i];
    if (!fiber.stack)
      fiber.stack = static_cast<char *>(aligned_alloc(4096, kStackBytes));
    if (!fiber.stack)
      abort();
    fiber.pointer = prepare(fiber.stack, enter, this);
    fiber.hasEnded = false;
  }
}

void Fibers::resume(size_t fiber) {
  running = fiber;
  pcc_emu_swap(&caller, fibers[fiber].pointer);
}

void Fibers::pause() { pcc_emu_swap(&fibers[running].pointer, caller); }
