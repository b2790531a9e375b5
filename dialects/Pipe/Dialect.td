//===- Dialect.td - The pipe dialect -----------------------*- tablegen -*-===//

#ifndef PCC_PIPE_DIALECT
#define PCC_PIPE_DIALECT

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Pipe_Dialect : Dialect {
  let name = "pipe";
  let summary = "Who does what, when: tasks, and an explicit order of them";
  let description = [{
    A body holds one rank's nn and dist ops. A task is a call of a body, whose
    arguments and results it binds to module-level symbols: program inputs and
    outputs, parameters and state, values that cross tasks. A schedule lists,
    for one stage, every run of a task and every transfer; nothing of a task is
    ever repeated in it.
  }];
  let cppNamespace = "::pcc::pipe";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::pcc::nn::NNDialect"];
}

/// What a task is part of. Reduce and the update phases run once per step, gather
/// ahead of a step and of an evaluation, the others once per microbatch.
/// ReduceEach is what is reduced of each, and added up.
def Pipe_Phase : I32EnumAttr<"Phase", "what a task is part of", [
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

/// Which of the program's entry points a schedule is.
def Pipe_Entry : I32EnumAttr<"Entry", "an entry point of the program", [
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
