//===- Steps.cpp - Issues the steps of a run ------------------------------===//

#include "runtime/train/Steps.h"

#include "runtime/model/Numbers.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Trace.h"
#include "runtime/train/Report.h"

#include <algorithm>
#include <cmath>

using namespace pcc;

void pcc::provideInputs(const StepMachine &machine, const Dataset &data,
                        const DataOrder &order, const StepValues &values) {
  const auto &[program, stage, coordinates, context, arena] = machine;
  checkSamples(program, data, order, values.step);
  backend::setFiller(
      [&program = program, &stage = stage, &coordinates = coordinates, &data,
       &order,
       step = values.step](int32_t input, int64_t microbatch, char *to) {
        fillInput(program, stage.inputs[input], coordinates, microbatch, to,
                  data, order, step);
      });
  fillInputs(program, stage, coordinates, arena, data, order, values);
}

void Steps::issue(const StepValues &values) {
  issued.push_back({values.step, values.lr, steadyNow()});
  TraceSpan span(Track::Host, "step");
  setPhase("step", values.step);
  span.note("step", values.step);
  {
    TraceSpan inputs(Track::Host, "inputs");
    provideInputs(machine, data, order, values);
  }
  TraceSpan work(Track::Host, "run");
  std::vector<backend::Traffic> before;
  if (reports)
    before = backend::traffic();
  backend::beginEntry(machine.context, machine.stage.step);
  machine.stage.step(machine.context, machine.arena);
  if (reports)
    ofStep = trafficSince(before, backend::traffic());
  outputs.request(machine.arena);
}

StepResult Steps::take() {
  StepResult result;
  Issued first = issued.front();
  issued.pop_front();
  TraceSpan span(Track::Host, "scalars");
  span.note("step", first.step);
  outputs.take();
  result.step = first.step;
  result.lr = first.lr;
  result.items =
      globalBatch(machine.program) * std::max<int64_t>(machine.program.seq, 1);
  if (!outputs.read("loss", result.loss))
    fail(ExitInternal, "the program has no output called 'loss'");
  result.hasNorm = outputs.read("norm", result.norm);
  outputs.read("aux", result.aux);
  outputs.read("load", result.load);
  if (outputs.read(lossScaleName, result.lossScale))
    result.overflows = std::isfinite(result.loss) && result.hasNorm &&
                       !std::isfinite(result.norm) && result.lossScale > 1;
  // A step that was issued ahead began when the previous one ended.
  double now = steadyNow();
  result.seconds = now - std::max(first.begin, takenAt);
  takenAt = now;
  return result;
}
