//===- ModelFile.cpp - The parameters as a safetensors file ---------------===//

#include "runtime/model/ModelFile.h"

#include "runtime/Backend.h"
#include "runtime/model/SourceTensors.h"
#include "runtime/support/DType.h"

#include <memory>

using namespace pcc;

std::string pcc::writeModel(const TrainingState &state, int64_t step,
                            const std::string &path, FileHashes &written) {
  std::vector<SourceTensor> sources = sourceTensors(state.program);
  std::unique_ptr<SafeTensorsWriter> writer;
  if (backend::rank() == 0) {
    std::vector<SafeTensorsWriter::Entry> entries;
    for (const SourceTensor &tensor : sources)
      entries.push_back({tensor.map.name, dtypeName(tensor.map.dtype),
                         tensor.map.shape, tensor.bytes()});
    writer = std::make_unique<SafeTensorsWriter>(
        path, entries,
        std::map<std::string, std::string>{{"step", std::to_string(step)}});
  }
  gatherSourceTensors(state, sources,
                      [&](const SourceTensor &tensor, const char *bytes) {
                        writer->write(bytes, tensor.bytes());
                      });
  return writer ? writer->finish(written) : "";
}
