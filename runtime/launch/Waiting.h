//===- Waiting.h - How long waiting threads occupy a core -------*- C++ -*-===//
//
// The threads of a rank synchronize after each kernel. A thread that arrives
// early spins, which is faster than sleeping and being woken. By default OpenMP
// spins for milliseconds. On cores with other work, the spinning thread
// occupies the core that the awaited thread needs. On a busy machine a step of
// 12 ms then takes 1100 to 1500 ms. With 20,000 iterations (about 0.5 ms) it
// takes 220 ms. With 2,000 iterations it takes 140 ms, but on an idle machine
// steps with oneDNN's GEMMs become 4 % slower.
//
// OpenMP reads the limit from the environment when it is loaded, before main.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_WAITING_H
#define PCC_RUNTIME_LAUNCH_WAITING_H

namespace pcc {

/// Executes this process again with a limit of spin iterations, unless its
/// environment already configures how threads wait. To be called first in a
/// process, before any library initializes, when no state is lost. Does nothing
/// if it is not possible.
void limitSpins(char **argv, char **environment);

/// Makes the threads of programs that this process starts sleep without
/// spinning, unless the user configured how threads wait. For ranks that share
/// cores.
void stopSpinsOfRanks();

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_WAITING_H
