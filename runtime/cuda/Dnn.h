//===- Dnn.h - cuDNN's descriptors ------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_DNN_H
#define PCC_RUNTIME_CUDA_DNN_H

#include <cstdint>
#include <cudnn.h>
#include <string>
#include <vector>

namespace pcc::cuda {

/// Addresses of the library's functions.
struct Dnn {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Dnn.def"
};

/// The library, which the first call opens; ends the program with ExitDevice
/// where it is missing or too old.
const Dnn &dnn();

/// Makes descriptors and sets what they say. The first failure is kept, and
/// nothing is done behind it, so that whoever builds much asks once.
class DnnBuilder {
public:
  /// The library's own.
  using Descriptor = cudnnBackendDescriptor_t;

  /// `library` must outlive this.
  explicit DnnBuilder(const Dnn &library) : library(library) {}
  DnnBuilder(const DnnBuilder &) = delete;
  /// Destroys all that was made here but what was kept.
  ~DnnBuilder();

  /// A new descriptor; null behind a failure.
  Descriptor create(cudnnBackendDescriptorType_t type);
  /// Sets an attribute of one element.
  template <typename T>
  void set(Descriptor descriptor, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, const T &value) {
    set(descriptor, name, type, 1, &value);
  }
  void set(Descriptor descriptor, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, int64_t count, const void *values);
  /// Ends what may be set of a descriptor.
  void finalize(Descriptor descriptor);
  /// Reads up to `count` elements of an attribute; answers how many there are.
  int64_t get(Descriptor descriptor, cudnnBackendAttributeName_t name,
              cudnnBackendAttributeType_t type, int64_t count, void *values);
  /// Executes a plan on what a variant pack names.
  void execute(cudnnHandle_t handle, Descriptor plan, Descriptor pack);
  /// Leaves a descriptor that was made here to the caller.
  Descriptor keep(Descriptor descriptor);

  /// Whether nothing failed so far.
  bool isWell() const { return failure.empty(); }
  /// What failed, in the library's words; or "".
  const std::string &error() const { return failure; }
  /// Makes this the failure, unless there was one before.
  void fail(const std::string &what);

private:
  void check(cudnnStatus_t status, const char *what);

  const Dnn &library;
  std::vector<Descriptor> made;
  std::string failure;
};

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_DNN_H
