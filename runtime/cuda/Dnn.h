//===- Dnn.h - cuDNN descriptors --------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_DNN_H
#define PCC_RUNTIME_CUDA_DNN_H

#include <cstdint>
#include <cudnn.h>
#include <string>
#include <vector>

namespace pcc::cuda {

/// The addresses of the library's functions.
struct Dnn {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Dnn.def"
};

/// Returns the library, which the first call loads; exits with ExitDevice if it
/// is missing or too old.
const Dnn &dnn();

/// Creates descriptors and sets their attributes. The first failure is kept and
/// makes later calls no-ops, so that callers check once at the end.
class DnnBuilder {
public:
  /// A descriptor of cuDNN's backend interface.
  using Descriptor = cudnnBackendDescriptor_t;

  /// `library` must outlive this.
  explicit DnnBuilder(const Dnn &library) : library(library) {}
  DnnBuilder(const DnnBuilder &) = delete;
  /// Destroys all descriptors that were created here, except those passed to
  /// keep().
  ~DnnBuilder();

  /// Returns a new descriptor; null after a failure.
  Descriptor create(cudnnBackendDescriptorType_t type);
  /// Sets an attribute of one element.
  template <typename T>
  void set(Descriptor descriptor, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, const T &value) {
    set(descriptor, name, type, 1, &value);
  }
  void set(Descriptor descriptor, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, int64_t count, const void *values);
  /// Finalizes a descriptor; no attributes can be set afterwards.
  void finalize(Descriptor descriptor);
  /// Reads up to `count` elements of an attribute; returns how many there are.
  int64_t get(Descriptor descriptor, cudnnBackendAttributeName_t name,
              cudnnBackendAttributeType_t type, int64_t count, void *values);
  /// Executes a plan with the addresses of a variant pack.
  void execute(cudnnHandle_t handle, Descriptor plan, Descriptor pack);
  /// Transfers the ownership of a descriptor that was created here to the
  /// caller.
  Descriptor keep(Descriptor descriptor);

  /// Whether nothing has failed so far.
  bool isWell() const { return failure.empty(); }
  /// The first failure, with the library's message if it is one of the library;
  /// or "".
  const std::string &error() const { return failure; }
  /// Records a failure, unless there was one before.
  void fail(const std::string &what);

private:
  void check(cudnnStatus_t status, const char *what);

  const Dnn &library;
  std::vector<Descriptor> made;
  std::string failure;
};

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_DNN_H
