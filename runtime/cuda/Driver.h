//===- Driver.h - NVIDIA's driver -------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_DRIVER_H
#define PCC_RUNTIME_CUDA_DRIVER_H

#include "runtime/Program.h"
#include "runtime/cuda/Libraries.h"
#include <cuda.h>

namespace pcc::cuda {

/// Addresses of the driver's functions.
struct Driver {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Driver.def"
};

/// The driver, which the first call opens; null, with what to tell a user and
/// what helps, where there is none or one that is too old.
const Driver *findDriver(std::string &missing, std::string &note);
/// The same; ends the program with ExitDevice where there is none.
const Driver &driver();
/// The version of CUDA that it is for: "13.0".
std::string driverText(const Driver &driver);

/// Ends the job if a call of the driver did not succeed, with what was to be
/// done ("launch of kernel_3_gelu") and, if it is known, for which node of the
/// model. The code is ExitCommunication where the device has failed, as a lost
/// rank does: hardware errors, and after the first step all that a device
/// finds. Else it is ExitDevice, or ExitMemory.
void check(CUresult result, const char *what, const char *subject = "",
           const char *node = "");
/// Notes the entry whose operations the host issues from here on.
void noteEntry(pcc_step_fn entry);
/// Notes that the device has computed the entry.
void noteComputed();
/// Ends the job as check() does if the device has failed, of which a library
/// tells only that it failed itself.
void checkDevice(const char *what);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_DRIVER_H
