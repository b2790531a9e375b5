//===- Dnn.cpp - cuDNN descriptors ----------------------------------------===//

#include "runtime/cuda/Dnn.h"

#include "runtime/cuda/Libraries.h"
#include "runtime/support/Error.h"

#include <algorithm>

using namespace pcc;
using namespace pcc::cuda;

/// From this version on a plan masks by -inf, and backward passes in bf16/fp16
/// are correct.
static const size_t oldestDnn = 91002;

const Dnn &cuda::dnn() {
  static const Dnn table = [] {
    // cuDNN compiles some of its kernels with NVRTC, which it opens by its name
    // only.
    static Library compiler("libnvrtc.so.13", Library::Part::Toolkit);
    Library library("libcudnn.so.9", Library::Part::Toolkit);
    library.require("attention is computed by cuDNN: 'pip install "
                    "nvidia-cudnn-cu13' has it, PCC_CUDA_LIBRARIES names "
                    "folders that are looked into first, and pcc "
                    "--attention-backend tiles compiles a program without "
                    "it");
    Dnn table;
#define PCC_FUNCTION(name) library.find(PCC_CUDA_NAME(name), table.name);
#include "runtime/cuda/Dnn.def"
    size_t version = table.cudnnGetVersion();
    if (version < oldestDnn)
      pcc::fail(ExitDevice,
                format("'%s' is cuDNN %s, and %s is needed",
                       library.path().c_str(), versionText(version).c_str(),
                       versionText(oldestDnn).c_str()),
                "'pip install nvidia-cudnn-cu13' has a later one");
    return table;
  }();
  return table;
}

DnnBuilder::~DnnBuilder() {
  // Descriptors that refer to others are destroyed before them.
  std::reverse(made.begin(), made.end());
  for (Descriptor descriptor : made)
    library.cudnnBackendDestroyDescriptor(descriptor);
}

void DnnBuilder::fail(const std::string &what) {
  if (isWell())
    failure = what;
}

void DnnBuilder::check(cudnnStatus_t status, const char *what) {
  if (status == CUDNN_STATUS_SUCCESS)
    return;
  char reason[512] = "";
  library.cudnnGetLastErrorString(reason, sizeof(reason));
  fail(format("%s: %s%s%s", what, library.cudnnGetErrorString(status),
              *reason ? ", " : "", reason));
}

DnnBuilder::Descriptor DnnBuilder::create(cudnnBackendDescriptorType_t type) {
  Descriptor descriptor = nullptr;
  if (!isWell())
    return nullptr;
  check(library.cudnnBackendCreateDescriptor(type, &descriptor),
        "a descriptor cannot be created");
  if (isWell())
    made.push_back(descriptor);
  return descriptor;
}

void DnnBuilder::set(Descriptor descriptor, cudnnBackendAttributeName_t name,
                     cudnnBackendAttributeType_t type, int64_t count,
                     const void *values) {
  if (isWell())
    check(
        library.cudnnBackendSetAttribute(descriptor, name, type, count, values),
        format("attribute %d is refused", static_cast<int>(name)).c_str());
}

void DnnBuilder::finalize(Descriptor descriptor) {
  if (isWell())
    check(library.cudnnBackendFinalize(descriptor), "a descriptor is refused");
}

int64_t DnnBuilder::get(Descriptor descriptor, cudnnBackendAttributeName_t name,
                        cudnnBackendAttributeType_t type, int64_t count,
                        void *values) {
  int64_t there = 0;
  if (isWell())
    check(
        library.cudnnBackendGetAttribute(descriptor, name, type, count, &there,
                                         values),
        format("attribute %d cannot be read", static_cast<int>(name)).c_str());
  return there;
}

void DnnBuilder::execute(cudnnHandle_t handle, Descriptor plan,
                         Descriptor pack) {
  if (isWell())
    check(library.cudnnBackendExecute(handle, plan, pack),
          "it cannot be executed");
}

DnnBuilder::Descriptor DnnBuilder::keep(Descriptor descriptor) {
  made.erase(std::remove(made.begin(), made.end(), descriptor), made.end());
  return descriptor;
}
