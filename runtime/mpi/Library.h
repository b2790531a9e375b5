//===- Library.h - Open MPI's library ---------------------------*- C++ -*-===//
//
// The library is opened when a launcher has started the ranks. So a program
// that starts its own ranks does not need it. The macros of mpi.h that stand
// for objects of the library, such as MPI_COMM_WORLD, must not be used.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MPI_LIBRARY_H
#define PCC_RUNTIME_MPI_LIBRARY_H

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace pcc {
namespace mpi {

/// The functions of MPI, without their prefix, and its objects.
struct Library {
// Names as in C. NOLINTBEGIN(readability-identifier-naming)
#define PCC_MPI(name, result, parameters) result(*name) parameters;
#include "runtime/mpi/Functions.def"
#undef PCC_MPI
  // NOLINTEND(readability-identifier-naming)
  MPI_Comm world;
  MPI_Datatype byte, f32, f64, i64, i32, u16;
  MPI_Op sum, max, min;
  MPI_Info noInfo;
  MPI_Errhandler returnErrors;
};

/// The library, opened by the first call. Exits with ExitWorld if it is
/// missing.
const Library &library();

/// Exits with ExitCommunication if an MPI call failed.
void check(int status, const char *what);

} // namespace mpi
} // namespace pcc

#endif // PCC_RUNTIME_MPI_LIBRARY_H
