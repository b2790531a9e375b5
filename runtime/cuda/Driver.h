//===- Driver.h - NVIDIA's driver -------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_DRIVER_H
#define PCC_RUNTIME_CUDA_DRIVER_H

#include "runtime/Program.h"
#include "runtime/cuda/Libraries.h"
#include <cuda.h>

namespace pcc::cuda {

/// The addresses of the driver's functions.
struct Driver {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Driver.def"
};

/// Returns the driver, which the first call loads. If there is none, or it is
/// too old, returns null and sets an error message and a hint.
const Driver *findDriver(std::string &missing, std::string &note);
/// The same; exits with ExitDevice if there is none.
const Driver &driver();
/// The CUDA version that the driver supports: "13.0".
std::string driverText(const Driver &driver);

/// Ends the job if a call of the driver failed. `what` and `subject` name the
/// operation ("the launch of ", "kernel_3_gelu"), `node` the node of the model
/// if it is known. Exits with ExitCommunication if the device has failed, as
/// for a lost rank: hardware errors, and every error that the device reports in
/// an entry that it has completed before. Else exits with ExitDevice or
/// ExitMemory.
void check(CUresult result, const char *what, const char *subject = "",
           const char *node = "");
/// Notes the entry whose operations the host issues next.
void noteEntry(pcc_step_fn entry);
/// Notes that the device has computed the entry.
void noteComputed();
/// Ends the job as check() does if the device has failed, when a library
/// reports its own failure only.
void checkDevice(const char *what);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_DRIVER_H
