//===- Library.cpp - Open MPI's library -----------------------------------===//

#include "runtime/mpi/Library.h"

#include "runtime/support/Error.h"

#include <dlfcn.h>
#include <type_traits>

using namespace pcc;

/// The name of Open MPI 4 and 5. Other implementations have another ABI.
static const char *const fileName = "libmpi.so.40";

[[noreturn]] static void failMissing() {
  fail(ExitWorld,
       format("ranks that a launcher starts communicate by MPI, but Open MPI's "
              "library cannot be opened: %s",
              dlerror()),
       "install Open MPI (Debian: openmpi-bin); ranks of one host need no MPI "
       "if the program is started without a launcher");
}

static void *find(void *file, const char *name) {
  void *found = dlsym(file, name);
  if (!found)
    failMissing();
  return found;
}

static mpi::Library open() {
  // Its plugins use its symbols.
  void *file = dlopen(fileName, RTLD_NOW | RTLD_GLOBAL);
  if (!file)
    failMissing();
  mpi::Library made = {};
#define PCC_MPI(name, result, parameters)                                      \
  made.name = reinterpret_cast<result(*) parameters>(find(file, "MPI"          \
                                                                "_" #name));
#include "runtime/mpi/Functions.def"
#undef PCC_MPI
  auto object = [&](auto &handle, const char *name) {
    handle = static_cast<std::remove_reference_t<decltype(handle)>>(
        find(file, name));
  };
  object(made.world, "ompi_mpi_comm_world");
  object(made.byte, "ompi_mpi_byte");
  object(made.f32, "ompi_mpi_float");
  object(made.f64, "ompi_mpi_double");
  object(made.i64, "ompi_mpi_int64_t");
  object(made.i32, "ompi_mpi_int32_t");
  object(made.u16, "ompi_mpi_uint16_t");
  object(made.sum, "ompi_mpi_op_sum");
  object(made.max, "ompi_mpi_op_max");
  object(made.min, "ompi_mpi_op_min");
  object(made.noInfo, "ompi_mpi_info_null");
  object(made.returnErrors, "ompi_mpi_errors_return");
  return made;
}

const mpi::Library &mpi::library() {
  static const Library opened = open();
  return opened;
}

void mpi::check(int status, const char *what) {
  if (status == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  library().Error_string(status, text, &length);
  fail(ExitCommunication, format("%s failed: %s", what, text));
}
