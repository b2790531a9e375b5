//===- Memory.h - Device memory of the test double --------------*- C++ -*-===//

#ifndef PCC_TEST_CUDA_DOUBLE_MEMORY_H
#define PCC_TEST_CUDA_DOUBLE_MEMORY_H

#include <cstddef>
#include <cuda.h>

namespace fake {

/// Takes bytes of the device for good. Returns false if it has fewer.
bool takeDeviceBytes(size_t bytes);

/// Makes mapped memory, of the device or of the host, accessible to the device.
/// A range that an operation accesses must be in one mapping.
void addMapped(CUdeviceptr place, size_t bytes);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_MEMORY_H
