//===- Deadline.h - A time limit for joint operations of ranks --*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_DEADLINE_H
#define PCC_RUNTIME_LAUNCH_DEADLINE_H

#include <memory>
#include <string>

namespace pcc {

/// Limits the time of an operation of this rank, while it exists, to a number
/// of seconds (0: no limit); then the rank exits with ExitCommunication. After
/// a signal that requests an end, the limit is startPatience; then it exits
/// with ExitDone. For joint operations of ranks that a launcher has started,
/// before they are connected. `what` names the operation, as in "joining the
/// other ranks".
class Deadline {
public:
  /// Ranks above 0 have slightly staggered, longer limits, so that one rank
  /// reports the error.
  Deadline(const std::string &what, double seconds, int rank);
  ~Deadline();
  Deadline(const Deadline &) = delete;
  Deadline &operator=(const Deadline &) = delete;

private:
  struct Watch;
  std::unique_ptr<Watch> watch;
};

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_DEADLINE_H
