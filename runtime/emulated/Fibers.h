//===- Fibers.h - Cooperative threads ---------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_FIBERS_H
#define PCC_RUNTIME_EMULATED_FIBERS_H

#include "runtime/emulated/Switch.h"
#include <cstddef>
#include <vector>

namespace pcc {

/// A set of fibers, each with its own stack, that all run one function. They
/// run on the thread that resumes them, one at a time.
class Fibers {
public:
  /// The size of a fiber's stack.
  static constexpr size_t kStackKiB = 512;
  /// The function that each fiber runs once.
  using Body = void (*)(void *argument);

  Fibers() = default;
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;
  ~Fibers();

  /// Prepares `count` fibers to run the body.
  void start(size_t count, Body body, void *argument);
  /// Runs a fiber until it pauses or ends.
  void resume(size_t fiber) {
    running = fiber;
    switchStacks(&caller, fibers[fiber].pointer);
  }
  /// Called by the running fiber: makes resume() return to its caller.
  void pause() { switchStacks(&fibers[running].pointer, caller); }
  /// Whether a fiber's body has returned.
  bool hasEnded(size_t fiber) const { return fibers[fiber].hasEnded; }
  /// The index of the running fiber.
  size_t current() const { return running; }
  /// Whether an inaccessible address is in the guard page of the stack of the
  /// fiber that runs, or ran last.
  bool isBehindStack(const void *address) const;

private:
  static void enter(void *self);

  struct Fiber {
    char *stack = nullptr;
    void *pointer = nullptr; ///< of its stack, while it pauses
    bool hasEnded = false;
  };
  std::vector<Fiber> fibers;
  size_t running = 0;
  void *caller = nullptr;
  Body body = nullptr;
  void *argument = nullptr;
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_FIBERS_H
