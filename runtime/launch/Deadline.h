//===- Deadline.h - A time for what ranks do together -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_DEADLINE_H
#define PCC_RUNTIME_LAUNCH_DEADLINE_H

#include <memory>
#include <string>

namespace pcc {

/// While it lives, gives what this rank does a time in seconds (0: any), beyond
/// which it ends with ExitCommunication; and, once a signal asks for an end,
/// startPatience, beyond which it ends with ExitDone. For what ranks that a
/// launcher has started do together before they are connected: `what` as in
/// "joining the other ranks".
class Deadline {
public:
  /// The ranks have more time one after the other: the first one speaks.
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
