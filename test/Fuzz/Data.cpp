//===- Data.cpp - Fuzzes the readers of training data ---------------------===//
//
// The first byte selects the format: token files (llm.c and uint16), Megatron's
// pair, two files as one dataset, a folder of arrays. Accepted data is then
// checked and read as a run does it.
//
//===----------------------------------------------------------------------===//

#include "runtime/data/Dataset.h"
#include "test/Fuzz/Fuzz.h"

#include <algorithm>

using namespace pcc;

/// Inputs of [2 samples, 4]: ids below 10 and their targets.
static const pcc_program &makeProgram() {
  static const int64_t shape[] = {2, 4};
  static const int32_t begin[] = {0, 0, 0};
  static const pcc_layout layout = {2, shape, begin, nullptr};
  static const pcc_input inputs[] = {
      {"tokens", "ids", PCC_I64, 0, layout, 0, 64, 10, "wte"},
      {"targets", "targets", PCC_I32, 0, layout, 0, 32, 10, "loss"}};
  static pcc_stage stage;
  static pcc_program program;
  stage.n_inputs = 2;
  stage.inputs = inputs;
  program.n_stages = 1;
  program.stages = &stage;
  program.seq = 4;
  program.micro_batch = 2;
  program.microbatches = 1;
  program.data_parallel = 1;
  return program;
}

static void read(const std::string &paths) {
  const pcc_program &program = makeProgram();
  std::unique_ptr<Dataset> data = openDataset(program, paths, "data");
  fuzz::use(data->describe().size());
  // Some ids are checked beforehand, the others when they are read.
  int64_t budget = 64;
  data->check(budget);
  const Shard shard = {{0, 1}, {2, 3}};
  for (int64_t n = 0; n < std::min<int64_t>(data->samples(), 100); ++n) {
    data->checkSample(n);
    for (int i = 0; i < program.stages->n_inputs; ++i) {
      char row[32];
      if (!data->copyConstant(program.stages->inputs[i], shard, row))
        data->copySample(program.stages->inputs[i], shard, n, row);
      fuzz::use(row[0]);
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::clear();
  fuzz::Input input(data, size);
  const std::string at = fuzz::folder() + "/";
  try {
    switch (input.byte() % 4) {
    case 0:
      fuzz::write("a.bin", input.rest());
      read(at + "a.bin");
      break;
    case 1:
      fuzz::write("a.idx", input.next());
      fuzz::write("a.bin", input.rest());
      read(at + "a.bin");
      break;
    case 2:
      fuzz::write("a.bin", input.next());
      fuzz::write("b.bin", input.rest());
      read(at + "a.bin," + at + "b.bin");
      break;
    default:
      fuzz::write("ids.npy", input.next());
      fuzz::write("labels.npy", input.rest());
      read(fuzz::folder());
    }
  } catch (const fuzz::Failure &) {
  }
  return 0;
}
