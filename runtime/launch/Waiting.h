//===- Waiting.h - How long threads that wait keep a core -------*- C++ -*-===//
//
// The threads of a rank meet after each kernel. One that is early looks again
// and again whether the others are there, which is faster than to sleep and be
// woken up, but by OpenMP's own choice does so for milliseconds: on cores that
// have other work as well it keeps from its core the very thread that it waits
// for. On a busy machine a step of 12 ms then takes 1100 to 1500. With 20000
// turns, about half a millisecond, it takes 220; with 2000 it takes 140, but
// where nothing else runs, steps with products by oneDNN get slower by 4 %.
//
// OpenMP reads this from the environment when it is loaded, ahead of main.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_WAITING_H
#define PCC_RUNTIME_LAUNCH_WAITING_H

namespace pcc {

/// Begins this process again with a limit of turns, unless its environment says
/// how threads wait. For the first moment of a process, ahead of all libraries,
/// when nothing is lost; where it is not possible nothing happens.
void limitSpins(char **argv, char **environment);

/// Has programs that this process starts sleep at once, unless its user said
/// how threads wait: for ranks that share cores with each other.
void stopSpinsOfRanks();

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_WAITING_H
