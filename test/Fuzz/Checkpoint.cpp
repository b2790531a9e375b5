//===- Checkpoint.cpp - Fuzzes the reader of checkpoints ------------------===//
//
// Reads trainer_state.json, the optimizer's file and the model's into a program
// of one parameter [6, 4], of which 5 rows are not padding. Hashes would reject
// nearly every input before it is read. Each input is therefore read as it is,
// and again with the correct hashes of its files, which must change nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/model/SavedFiles.h"
#include "test/Fuzz/Fuzz.h"

#include <cstdlib>
#include <cstring>

using namespace pcc;

static const int64_t arenaBytes = 192;
/// As in older checkpoints, without a folder, which fuzz::write() lacks.
static const char *const optimizerName = "optim-rank-00000.safetensors";

static TrainingState makeState() {
  static const int64_t shape[] = {6, 4}, source[] = {5, 4}, stride[] = {4, 1};
  static const int32_t begin[] = {0, 0, 0};
  static const pcc_layout layout = {2, shape, begin, nullptr};
  static const pcc_source from = {"w", "w",      nullptr,  0,      0,
                                  0,   PCC_BF16, PCC_BF16, 2,      0,
                                  0,   source,   0,        stride, source};
  static const pcc_tensor tensors[] = {
      {"w", nullptr, PCC_PARAM, PCC_F32, PCC_INIT_NORMAL, 1, layout, 0, &from,
       0, nullptr, 0, nullptr, nullptr, 0},
      {"exp_avg.w", "w", PCC_STATE, PCC_F32, PCC_INIT_ZERO, 0, layout, 96,
       &from, 0, nullptr, 0, nullptr, nullptr, 0}};
  static pcc_stage stage;
  static pcc_program program;
  static char arena[arenaBytes];
  static const Coordinates none;
  static SourceFiles files(program, "");
  stage.n_tensors = 2;
  stage.tensors = tensors;
  program.n_stages = 1;
  program.stages = &stage;
  program.seq = 4;
  program.micro_batch = program.microbatches = program.data_parallel = 1;
  return {program, stage, none, arena, files, 0};
}

/// The program's state after loading; empty if the input was rejected.
static std::string load(const TrainingState &state) {
  memset(state.arena, 0, arenaBytes);
  try {
    TrainingOptions options, before;
    SavedFiles files(fuzz::folder());
    fuzz::use(readTrainerState(state.program, files, options, before).step);
    loadCheckpoint(state, files);
  } catch (const fuzz::Failure &) {
    return "";
  }
  return std::string(state.arena, arenaBytes);
}

/// The entry that a writer of this file would have recorded.
static nlohmann::ordered_json entryOf(const std::string &file) {
  BlockHasher hasher;
  hasher.add(file.data(), file.size());
  FileHashes hashes = hasher.finish();
  hashes.headerBytes = std::min<int64_t>(file.size(), 64);
  hashes.header = hashText(file.data(), hashes.headerBytes);
  return pcc::entryOf(hashes);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TrainingState state = makeState();
  fuzz::clear();
  fuzz::Input input(data, size);
  std::string text = input.next(), optimizer = input.next(),
              model = input.rest();
  fuzz::write(stateFile, text);
  fuzz::write(optimizerName, optimizer);
  fuzz::write(modelFile, model);
  std::string found = load(state);
  auto fields = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!fields.is_object() || fields.contains("hash") ||
      fields.contains("hashes"))
    return 0;
  fuzz::write(stateFile,
              stateText(fields, {{modelFile, entryOf(model)},
                                 {optimizerName, entryOf(optimizer)}}));
  if (load(state) != found)
    abort();
  return 0;
}
