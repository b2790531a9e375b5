//===- Train.cpp - The training loop --------------------------------------===//

#include "runtime/train/Train.h"

#include "runtime/checkpoint/SaveFolder.h"
#include "runtime/launch/Signals.h"
#include "runtime/model/ExportModel.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Console.h"
#include "runtime/telemetry/Trace.h"
#include "runtime/train/Report.h"
#include "runtime/train/Run.h"

#include <csignal>
#include <cstring>

using namespace pcc;

void Run::noteEmpty(int64_t step) {
  if (empty++ > 0)
    return;
  std::string why = lossCheck().findMissingTargets(step);
  if (first())
    warn(format("step %lld updates nothing: ", static_cast<long long>(step)) +
         why);
}

void Run::noteNonfinite(const StepResult &result) {
  if (result.nonfiniteInRow > 1)
    return;
  std::string why =
      lossCheck().findBadData(result.step, result.step > done + 1);
  if (first())
    warn(LossCheck::findNonfinite(result) + ": it updates nothing" +
         (why.empty() ? "" : "; " + why));
}

std::string Run::evaluate(int64_t step) {
  TraceSpan span(Track::Host, "evaluate");
  setPhase("the evaluation after step", step);
  Evaluation::Result result =
      evaluation->run(context, stage, coordinates, arena);
  std::string batches =
      format("%lld batches of '%s'", static_cast<long long>(result.batches),
             valData->path().c_str());
  if (result.empty == result.batches)
    return "no valid targets in the " + batches;
  if (!first())
    return "";
  if (result.empty && !leftOut)
    warn(format("%lld of the %s contribute nothing: they have no valid targets",
                static_cast<long long>(result.empty), batches.c_str()));
  leftOut = leftOut || result.empty;
  log->evaluation(step, result.loss);
  return "";
}

void Run::save(int64_t step) {
  TraceSpan span(Track::Host, "save");
  setPhase("the save after step", step);
  double begin = steadyNow();
  std::string folder = saveCheckpoint(
      state(), options,
      {step, skipped(), before.nonfinite + nonfinite, nonfiniteInRow,
       readNumbers(stage, arena), data->positionAfter(step)});
  savedStep = step;
  if (first())
    log->say(
        format("saved      %s in %.2f s", folder.c_str(), steadyNow() - begin));
}

void Run::finish() {
  if (empty && first())
    log->say(format("skipped    %lld of the steps: no valid targets",
                    static_cast<long long>(empty)));
  if (overflowed && first())
    log->say(format("skipped    %lld of the steps: gradient overflow",
                    static_cast<long long>(overflowed)));
  if (nonfinite && first())
    log->say(
        format("skipped    %lld of the steps: the loss or the gradient norm "
               "was not finite",
               static_cast<long long>(nonfinite)));
  if (std::string graphs = backend::graphsText(); !graphs.empty() && first())
    log->say("graphs     " + graphs);
  if (!options.report.empty())
    writeReport(options.report, steps->traffic());
  if (options.exportOnnx.empty())
    return;
  double begin = steadyNow();
  setPhase("the export");
  exportModel(state(), options.exportOnnx);
  if (first())
    log->say(format("exported   %s in %.2f s", options.exportOnnx.c_str(),
                    steadyNow() - begin));
}

int Run::findRequest() {
  bool leavesFiles = !options.save.empty() || !options.logJson.empty() ||
                     !options.tensorboardDir.empty() ||
                     !options.exportOnnx.empty() || !options.trace.empty() ||
                     !options.report.empty();
  int request = stopSignal();
  if (consoleError() && !leavesFiles && !request)
    request = SIGPIPE;
  if (consoleError() && !saidClosed) {
    saidClosed = true;
    std::string what = isConsoleClosed()
                           ? "standard output was closed"
                           : "cannot write to standard output: " +
                                 std::string(strerror(consoleError()));
    if (leavesFiles)
      warn(what + "; the run continues without output");
    else if (!isConsoleClosed())
      fail(ExitOutput, what);
  }
  return backend::maxOverRanks(request);
}

bool Run::stopsEarly() {
  int signal = findRequest();
  if (signal && first())
    print(format("stopped by %s before the first step; nothing to save\n",
                 signalName(signal)));
  return signal != 0;
}

void Run::issue(int64_t step) {
  StepValues values = stepValues(options, step, schedule.at(step));
  values.update = step - skipped();
  steps->issue(values);
}

void Run::countNonfinite(StepResult &result) {
  if (result.overflows || result.skipped)
    return;
  // The program has updated nothing: @update decides by the same two values.
  bool isTaken = LossCheck::findNonfinite(result).empty();
  if (isTaken) {
    nonfiniteInRow = 0;
    return;
  }
  if (nonfiniteInRow >= options.skipNonfinite)
    return;
  result.nonfiniteInRow = ++nonfiniteInRow;
  result.nonfinite = before.nonfinite + ++nonfinite;
}

void Run::settle(int64_t left) {
  while (steps->pending() > left) {
    StepResult result = steps->take();
    lossCheck().requireCapacity(result.step, savedStep);
    result.skipped = options.skipEmpty && lossCheck().isEmpty(result);
    countNonfinite(result);
    if (first()) {
      log->step(result);
      for (const std::string &line : data->passesBegun(result.step))
        log->say(line);
    }
    if (result.overflows)
      ++overflowed;
    else if (result.skipped)
      noteEmpty(result.step);
    else if (result.nonfiniteInRow)
      noteNonfinite(result);
    else
      lossCheck().requireFinite(result, done + 1, savedStep, nonfiniteInRow);
  }
}

void Run::loop() {
  if (done >= last && first())
    log->say(format("nothing to do: %lld of %lld steps are done",
                    static_cast<long long>(done),
                    static_cast<long long>(last)));
  for (int64_t step = done + 1; step <= last; ++step) {
    if (step == traceFrom)
      startTrace();
    issue(step);
    settle(ahead);
    // The ranks see a signal at different moments but stop after the same step.
    int signal = findRequest();
    bool evaluates = evaluatesAfter(step);
    bool ends = step == last || signal;
    bool saves = options.saveEvery > 0 && step % options.saveEvery == 0;
    // Files are only written after this step was checked.
    if (evaluates || ends || saves || step == traceTo) {
      settle(0);
      backend::drain();
    }
    std::string problem = evaluates ? evaluate(step) : "";
    bool end = ends || !problem.empty();
    if ((saves || end) && !options.save.empty())
      save(step);
    if (tracing && (step == traceTo || end))
      writeTrace(program, options.trace);
    if (!problem.empty())
      fail(ExitData, problem,
           options.save.empty()
               ? "without --save nothing was written"
               : format("the checkpoint of step %lld is written",
                        static_cast<long long>(step)));
    if (!signal)
      continue;
    if (first())
      log->say(format(
          "stopped by %s after step %lld%s", signalName(signal),
          static_cast<long long>(step),
          options.save.empty() ? "; without --save nothing was written" : ""));
    return;
  }
}

void pcc::train(const pcc_program &program, TrainingOptions options,
                const Launch &launch) {
  Run run(program, options, launch);
  if (run.begin()) {
    run.loop();
    run.finish();
  }
  setPhase("the end");
  leaveSaveFolder();
}
