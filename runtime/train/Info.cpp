//===- Info.cpp - The texts that describe a program -----------------------===//

#include "runtime/train/Info.h"

#include "runtime/Backend.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/Inputs.h"
#include "runtime/launch/TargetCpu.h"
#include "runtime/support/Error.h"
#include "runtime/support/Mesh.h"
#include "runtime/telemetry/Log.h"

using namespace pcc;

std::string pcc::batchText(const pcc_program &program) {
  return format("%lld samples = micro batch %lld x dp %lld x %lld microbatch%s",
                static_cast<long long>(globalBatch(program)),
                static_cast<long long>(program.micro_batch),
                static_cast<long long>(program.data_parallel),
                static_cast<long long>(program.microbatches),
                program.microbatches == 1 ? "" : "es");
}

std::string pcc::gemmText(const pcc_program &program) {
  std::string text;
  for (int32_t dtype : {PCC_BF16, PCC_F16}) {
    bool has = false;
    for (int s = 0; s < program.n_stages; ++s)
      for (int i = 0; i < program.stages[s].n_tensors; ++i) {
        const pcc_tensor &tensor = program.stages[s].tensors[i];
        has |= (tensor.kind == PCC_PARAM || tensor.kind == PCC_COPY) &&
               tensor.dtype == dtype;
      }
    if (has)
      text += format("%s%s: %s", text.empty() ? "" : ", ",
                     dtype == PCC_BF16 ? "bf16" : "f16",
                     backend::gemmText(dtype).c_str());
  }
  return text;
}

backend::Offload pcc::offloadOf(const pcc_program &program,
                                const pcc_stage &stage,
                                const TrainingOptions &options) {
  backend::Offload offload;
  offload.bytes = stage.offloaded_bytes;
  if (program.offload_dir)
    offload.folder =
        options.offloadDir.empty() ? program.offload_dir : options.offloadDir;
  return offload;
}

std::string pcc::offloadText(const backend::Offload &offload) {
  if (!offload.bytes)
    return "";
  return format(", %s offloaded to %s", bytesText(offload.bytes).c_str(),
                offload.folder.empty() ? "the host's memory"
                                       : ("'" + offload.folder + "'").c_str());
}

std::string pcc::infoText(const pcc_program &program) {
  std::string text = format("model      %s, %s parameters\n", program.model,
                            grouped(program.parameters).c_str());
  if (program.source)
    text += format("compiled   from %s\n", program.source);
  if (std::string cpu = targetCpuText(); !cpu.empty())
    text += "target     " + cpu + "\n";
  text += format("mesh       %s\n", meshText(program).c_str());
  text += "batch      " + batchText(program) + "\n";
  text += format("data       %s\n", describeWantedData(program).c_str());
  for (int i = 0; i < program.n_implied; ++i)
    text += format("           %s is taken as %s\n", program.implied[i].name,
                   program.implied[i].ones ? "ones" : "0, 1, ...");
  for (int s = 0; s < program.n_stages; ++s) {
    const pcc_stage &stage = program.stages[s];
    text += format("stage %-4d %s a rank%s\n", s,
                   bytesText(stage.arena_bytes - stage.offloaded_bytes).c_str(),
                   offloadText(offloadOf(program, stage, {})).c_str());
  }
  if (program.summary && *program.summary)
    text += format("\n%s\n", program.summary);
  return text;
}
