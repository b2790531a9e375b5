//===- Dialect.td - The pipe dialect -----------------------*- tablegen -*-===//

#ifndef PCC_PIPE_DIALECT
#define PCC_PIPE_DIALECT

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Pipe_Dialect : Dialect {
  let name = "pipe";
  let summary = "Pipeline parallelism: bodies, tasks and explicit schedules";
  let description = [{
    A body is a function of one rank's nn and dist ops. A task calls a body and
    binds its arguments and results to module-level symbols: program inputs and
    outputs, parameters, state, and values that are passed between tasks. A
    schedule lists every run of a task and every transfer of one stage, in
    order; it refers to tasks by name.
  }];
  let cppNamespace = "::pcc::pipe";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

/// The phase of a step that a task belongs to. Update and EvaluateResult run
/// once per step and evaluation, Reduce once per step after the last microbatch
/// that adds to its gradients. Gather runs once per step or evaluation, or, for
/// buckets that are `nn.released`, before every use. All other phases run once
/// per microbatch; ReduceEach reduces the gradients of each microbatch and
/// accumulates the results.
def Pipe_Phase : I32EnumAttr<"Phase", "phase of a task", [
    I32EnumAttrCase<"Forward", 0, "forward">,
    I32EnumAttrCase<"Backward", 1, "backward">,
    I32EnumAttrCase<"ForwardBackward", 2, "forward_backward">,
    I32EnumAttrCase<"Update", 3, "update">,
    I32EnumAttrCase<"Evaluate", 4, "evaluate">,
    I32EnumAttrCase<"EvaluateResult", 5, "evaluate_result">,
    I32EnumAttrCase<"ForwardOnly", 6, "forward_only">,
    I32EnumAttrCase<"Reduce", 7, "reduce">,
    I32EnumAttrCase<"Gather", 8, "gather">,
    I32EnumAttrCase<"ReduceEach", 9, "reduce_each">]> {
  let cppNamespace = "::pcc::pipe";
  let genSpecializedAttr = 0;
}
def Pipe_PhaseAttr : EnumAttr<Pipe_Dialect, Pipe_Phase, "phase"> {
  let assemblyFormat = "`` $value";
}

/// The entry point of the program that a schedule implements.
def Pipe_Entry : I32EnumAttr<"Entry", "entry point of the program", [
    I32EnumAttrCase<"Train", 0, "train">,
    I32EnumAttrCase<"Evaluate", 1, "evaluate">,
    I32EnumAttrCase<"Forward", 2, "forward">]> {
  let cppNamespace = "::pcc::pipe";
  let genSpecializedAttr = 0;
}
def Pipe_EntryAttr : EnumAttr<Pipe_Dialect, Pipe_Entry, "entry"> {
  let assemblyFormat = "`` $value";
}

#endif // PCC_PIPE_DIALECT
