//===- Mpirun.h - Ranks that Open MPI's mpirun starts -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_MPIRUN_H
#define PCC_RUNTIME_LAUNCH_MPIRUN_H

#include <cstdint>
#include <string>

namespace pcc {

/// Executes mpirun, which starts `self` as so many ranks on this host; they
/// share `folder`. Called in a child of the manually started program.
[[noreturn]] void becomeMpirun(int64_t ranks, char **argv,
                               const std::string &self,
                               const std::string &folder);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_MPIRUN_H
