//===- Mpirun.h - Ranks that Open MPI's mpirun starts -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_MPIRUN_H
#define PCC_RUNTIME_LAUNCH_MPIRUN_H

#include <cstdint>
#include <string>

namespace pcc {

/// For a child of the program that was started by hand: becomes mpirun, which
/// starts `self` as so many ranks on this host; they share `folder`.
[[noreturn]] void becomeMpirun(int64_t ranks, char **argv,
                               const std::string &self,
                               const std::string &folder);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_MPIRUN_H
