//===- Checkpoint.cpp - Fuzzes the reader of checkpoints ------------------===//
//
// trainer_state.json, the optimizer's file and the model's, read into a program
// of one parameter [6, 4], of which 5 rows are not padding.
//
//===----------------------------------------------------------------------===//

#include "runtime/common/Checkpoint.h"
#include "test/Fuzz/Fuzz.h"

using namespace pcc;

static TrainingState makeState() {
  static const int64_t shape[] = {6, 4}, source[] = {5, 4}, stride[] = {4, 1};
  static const int32_t begin[] = {0, 0, 0};
  static const pcc_layout layout = {2, shape, begin, nullptr};
  static const pcc_source from = {"w", nullptr, 0,      0, 0,      PCC_BF16, 2,
                                  0,   0,       source, 0, stride, source};
  static const pcc_tensor tensors[] = {
      {"w", nullptr, PCC_PARAM, PCC_F32, PCC_INIT_NORMAL, 1, layout, 0, &from,
       0, nullptr, 0, nullptr},
      {"exp_avg.w", "w", PCC_STATE, PCC_F32, PCC_INIT_ZERO, 0, layout, 96,
       &from, 0, nullptr, 0, nullptr}};
  static pcc_stage stage;
  static pcc_program program;
  static char arena[192];
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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TrainingState state = makeState();
  fuzz::clear();
  fuzz::Input input(data, size);
  fuzz::write("trainer_state.json", input.next());
  fuzz::write("optim-rank-00000.safetensors", input.next());
  fuzz::write("model.safetensors", input.rest());
  try {
    Options options, before;
    fuzz::use(
        readTrainerState(state.program, fuzz::folder(), options, before).step);
  } catch (const fuzz::Failure &) {
  }
  try {
    loadCheckpoint(state, fuzz::folder());
  } catch (const fuzz::Failure &) {
  }
  return 0;
}
