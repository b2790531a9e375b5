//===- Toolkit.h - Where pcc's files and CUDA are ---------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_TOOLKIT_H
#define PCC_PASSES_CODEGEN_GPU_TOOLKIT_H

#include <string>
#include <vector>

namespace pcc {

/// The folder of the files that programs are linked from: `../lib/pcc` of the
/// running tool's folder, in a build tree and in an installation.
std::string libraryFolder();

namespace codegen {

/// Returns the folder of the CUDA toolkit: $CUDA_HOME, or the first with
/// bin/ptxas of: the one found when pcc was configured (in a build tree),
/// NVIDIA's packages for Python next to pcc and in $VIRTUAL_ENV, the toolkit of
/// the nvcc on the PATH, and /usr/local/cuda. Empty if there is none.
std::string findCudaToolkit();

/// The folders of a toolkit, and of cuDNN and NCCL next to it, that have
/// libraries that programs load.
std::vector<std::string> cudaLibraryFolders(const std::string &toolkit);

} // namespace codegen
} // namespace pcc

#endif // PCC_PASSES_CODEGEN_GPU_TOOLKIT_H
