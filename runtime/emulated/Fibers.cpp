//===- Fibers.cpp - Cooperative threads -----------------------------------===//

#include "runtime/emulated/Fibers.h"
#include <cstdlib>
#include <sys/mman.h>

using namespace pcc;

/// Large enough for kernel code, which is compiled with few optimizations and
/// keeps much on the stack, and for libm's functions. Unused pages take no
/// memory. The page below a stack is inaccessible; kernels touch every page
/// that they pass.
static constexpr size_t kStackBytes = Fibers::kStackKiB << 10;
static constexpr size_t kGuardBytes = 4096;
/// The number of different offsets within a page at which stacks end, and the
/// distance between two.
static constexpr size_t kColors = 32, kColorBytes = 128;

#if defined(__x86_64__)
asm(R"(
.text
.globl pcc_emu_begin
.hidden pcc_emu_begin
.type pcc_emu_begin, @function
pcc_emu_begin:
  popq %rdi
  popq %rax
  call *%rax
  ud2
)");
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
#endif

static char *newStack() {
  void *memory =
      mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE))
    abort();
  return static_cast<char *>(memory) + kGuardBytes;
}

Fibers::~Fibers() {
  for (Fiber &fiber : fibers)
    if (fiber.stack)
      munmap(fiber.stack - kGuardBytes, kGuardBytes + kStackBytes);
}

bool Fibers::isBehindStack(const void *address) const {
  if (running >= fibers.size())
    return false;
  const char *stack = fibers[running].stack;
  return address < stack && address >= stack - kGuardBytes;
}

void Fibers::enter(void *argument) {
  auto *self = static_cast<Fibers *>(argument);
  self->body(self->argument);
  self->fibers[self->running].hasEnded = true;
  self->pause();
}

void Fibers::start(size_t count, Body newBody, void *newArgument) {
  body = newBody;
  argument = newArgument;
  if (fibers.size() < count)
    fibers.resize(count);
  for (size_t i = 0; i < count; ++i) {
    Fiber &fiber = fibers[i];
    if (!fiber.stack)
      fiber.stack = newStack();
    // The used ends of the stacks are staggered, so that they do not all map to
    // the same cache sets.
    char *end = fiber.stack + kStackBytes - i % kColors * kColorBytes;
    fiber.pointer = prepareStack(end, enter, this);
    fiber.hasEnded = false;
  }
}
