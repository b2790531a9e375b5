//===- Forward.cpp - Programs that compute a model's outputs --------------===//

#include "runtime/train/Forward.h"

#include "runtime/Backend.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/NpyFile.h"
#include "runtime/model/SourceMap.h"
#include "runtime/model/Weights.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/FileNames.h"
#include "runtime/support/Files.h"

#include <cerrno>
#include <cstring>

using namespace pcc;

bool pcc::isForwardProgram(const pcc_program &program) {
  return program.n_stages == 1 && program.stages[0].forward;
}

static std::string fileOf(const std::string &folder, const char *name) {
  return folder + "/" + arrayFile(name);
}

static std::vector<int64_t> shapeOf(const pcc_layout &layout) {
  return {layout.shape, layout.shape + layout.rank};
}

static int64_t countOf(const pcc_layout &layout) {
  int64_t count = 1;
  for (int d = 0; d < layout.rank; ++d)
    count *= layout.shape[d];
  return count;
}

static void readInput(const std::string &folder, const pcc_input &input,
                      char *arena) {
  NpyFile file(fileOf(folder, input.name));
  if (file.shape() != shapeOf(input.layout))
    fail(ExitData,
         format("array '%s' is %s, input '%s' takes %s", file.path().c_str(),
                shapeText(file.shape()).c_str(), input.name,
                shapeText(shapeOf(input.layout)).c_str()));
  int64_t count = countOf(input.layout);
  const Elements &elements = file.elements();
  int64_t wide = firstTooWide(elements, 0, count, input.dtype);
  if (wide >= 0)
    fail(ExitData,
         format("array '%s' holds %lld as element %lld, which input '%s' of "
                "type %s has no number for",
                file.path().c_str(),
                static_cast<long long>(elements.integer(wide)),
                static_cast<long long>(wide), input.name,
                infoOf(input.dtype).numpy));
  HostView view(arena + input.arena_offset, count * sizeOf(input.dtype),
                backend::Access::Write);
  if (!copyElements(file.elements(), 0, count, 1, input.dtype,
                    static_cast<char *>(view.data())))
    fail(ExitData,
         format("array '%s' has elements of type %s, input '%s' "
                "takes %s",
                file.path().c_str(), infoOf(file.elements().type).numpy,
                input.name, dtypeName(input.dtype)));
}

/// The header of a .npy file, version 1, padded to 64 bytes.
static std::string headerOf(const pcc_output &output, int32_t dtype) {
  std::string shape;
  for (int d = 0; d < output.layout.rank; ++d)
    shape += format("%lld,", static_cast<long long>(output.layout.shape[d]));
  std::string dict =
      format("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
             infoOf(dtype).descr, shape.c_str());
  dict.resize((10 + dict.size() + 1 + 63) / 64 * 64 - 11, ' ');
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

static void writeOutput(const std::string &folder, const pcc_output &output,
                        char *arena) {
  // numpy has no bf16.
  int32_t dtype = output.dtype == PCC_BF16 ? PCC_F32 : output.dtype;
  std::string path = fileOf(folder, output.name),
              header = headerOf(output, dtype);
  int64_t count = countOf(output.layout);
  HostView view(arena + output.arena_offset, count * sizeOf(output.dtype),
                backend::Access::Read);
  const void *elements = view.data();
  int64_t bytes = count * sizeOf(output.dtype);
  std::vector<float> wide;
  if (dtype != output.dtype) {
    wide.resize(count);
    convert(wide.data(), dtype, 1, elements, output.dtype, 1, count);
    elements = wide.data();
    bytes = count * sizeOf(dtype);
  }
  FILE *file = fopen(path.c_str(), "wb");
  bool good =
      file && fwrite(header.data(), 1, header.size(), file) == header.size();
  good = good && fwrite(elements, 1, bytes, file) == static_cast<size_t>(bytes);
  good = file && !fclose(file) && good;
  if (!good)
    fail(ExitOutput,
         format("cannot write '%s': %s", path.c_str(), strerror(errno)));
}

void pcc::runForward(const pcc_program &program,
                     const TrainingOptions &options) {
  const pcc_stage &stage = program.stages[0];
  for (const auto &given : options.given)
    if (given.first != "data" && given.first != "outputs" &&
        given.first != "model" && given.first != "init" &&
        given.first != "no-cuda-graphs")
      fail(ExitUsage, format("--%s: this program computes the model's outputs, "
                             "and trains nothing",
                             given.first.c_str()));
  if (options.data.empty() && stage.n_inputs)
    fail(ExitUsage, "--data DIR is missing: the folder of the inputs' arrays");
  if (options.outputs.empty())
    fail(ExitUsage, "--outputs DIR is missing: where the outputs' arrays go");
  makeFolders(options.outputs);
  for (int i = 0; i < stage.n_forward_outputs; ++i) {
    std::string path = fileOf(options.outputs, stage.forward_outputs[i].name);
    for (const std::string &input : dataFiles(options.data))
      if (isSameFile(path, input))
        fail(ExitOutput,
             format("--outputs would overwrite '%s', which --data reads",
                    path.c_str()),
             "name another folder");
  }
  Coordinates none;
  std::string resources;
  pcc_context *context = backend::prepare(program, none, resources);
  char *arena = backend::allocateArena(stage.arena_bytes, stage.kept_bytes, {});
  SourceFiles files(program, options.model);
  std::unique_ptr<WeightFiles> initFiles;
  fillParameters(program, stage, none, arena,
                 initialValues(program, options.init, options.seed, initFiles),
                 files);
  for (int i = 0; i < stage.n_inputs; ++i)
    readInput(options.data, stage.inputs[i], arena);
  backend::beginEntry(context, stage.forward);
  stage.forward(context, arena);
  for (int i = 0; i < stage.n_forward_outputs; ++i)
    writeOutput(options.outputs, stage.forward_outputs[i], arena);
}
