//===- Ops.td - Operations of the pipe dialect -------------*- tablegen -*-===//

#ifndef PCC_PIPE_OPS
#define PCC_PIPE_OPS

include "dialects/Pipe/Dialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Stages count from 0.
def Pipe_Stage : ConfinedAttr<I64Attr, [IntNonNegative]>;

class Pipe_Op<string mnemonic, list<Trait> traits = []>
    : Op<Pipe_Dialect, mnemonic, traits>;

class Pipe_Symbol<string mnemonic> : Pipe_Op<mnemonic, [Symbol]> {
  code tensorMethod = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType());
    }
  }];
  let extraClassDeclaration = tensorMethod;
}

/// The role of an input of nn, written as its keyword.
def Pipe_RoleAttr : Attr<CPred<"::llvm::isa<::pcc::nn::InputRoleAttr>($_self)">,
                         "role of an input of nn"> {
  let storageType = "::pcc::nn::InputRoleAttr";
  let returnType = "::pcc::nn::InputRole";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::pcc::nn::InputRoleAttr::get($_builder.getContext(), $0)";
}

def Pipe_InputOp : Pipe_Symbol<"input"> {
  let summary = "What the runtime fills before a step";
  let description = [{
    `role` is that of the input in nn, `name` the model's name of it. Inputs
    with a row per sample (tokens, targets, labels, samples and data) have an
    instance per microbatch, the others one per step.

    ```mlir
    pipe.input @input.tokens : tensor<2x64xi64> role tokens name "input_ids"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyStaticShapeTensor>:$type, Pipe_RoleAttr:$role, StrAttr:$name);
  let assemblyFormat = [{
    $sym_name `:` $type `role` custom<Role>($role) `name` $name attr-dict
  }];
  let extraClassDeclaration = !strconcat(tensorMethod, [{
    bool isPerMicrobatch();
  }]);
}

def Pipe_OutputOp : Pipe_Symbol<"output"> {
  let summary = "What the runtime reads after a step";
  let description = [{
    A scalar of a training step, or an output of a forward-only model.

    ```mlir
    pipe.output @output.loss : tensor<f32> name "loss"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyStaticShapeTensor>:$type, StrAttr:$name);
  let assemblyFormat = "$sym_name `:` $type `name` $name attr-dict";
}

def Pipe_ValueOp : Pipe_Symbol<"value"> {
  let summary = "A tensor that one task gives and others take";
  let description = [{
    There is one instance per microbatch and per stage that holds it.

    ```mlir
    pipe.value @value.0 : tensor<2x64x768xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyStaticShapeTensor>:$type);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
}

def Pipe_BodyOp : Pipe_Op<"body", [Symbol, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
                              ["getAsmBlockArgumentNames"]>]> {
  let summary = "What tasks compute, as a function of what they take";
  let description = [{
    One rank's nn and dist ops, without effects: parameters and state come in
    as arguments, and a result goes `into` the argument whose place it takes.
    Tasks bind arguments and results to symbols, so equal layers, with other
    parameters and other neighbours, are calls of one body. An argument is
    printed with the name that its location has. On a mesh all values say how
    they lie, arguments behind `as`.

    ```mlir
    pipe.body @block (%x: tensor<2x8xf32>, %w: tensor<8x8xf32>,
                      %dw: tensor<8x8xf32>)
        -> (tensor<2x8xf32>, tensor<8x8xf32> into 2) {
      %y = nn.contract "bm,mn->bn" %x, %w
          : tensor<2x8xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
      %g = nn.contract "bm,bn->mn" %x, %y
          : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<8x8xf32>
      %sum = nn.sum %dw, %g : tensor<8x8xf32>
      pipe.yield %y, %sum : tensor<2x8xf32>, tensor<8x8xf32>
    }
    ```

    `gives_up` are arguments that nobody needs after any call of the body: it
    may leave anything where they lie.

    **Constraints:**
    - it ends in `pipe.yield`, with a value for each result;
    - it has no `nn.read`, `nn.write` or `nn.accumulate`;
    - `into` names an argument of the result's type, each at most once;
    - `gives_up` are arguments in ascending order, none of them in `into`.
  }];
  // By result: the argument whose place it takes, or -1.
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI64ArrayAttr:$into,
                   OptionalAttr<DenseI64ArrayAttr>:$gives_up);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    ::mlir::OperandRange getResults() {
      return getBlock()->getTerminator()->getOperands();
    }
    /// The argument whose place result i takes; nothing where it has its own.
    std::optional<unsigned> getReplaced(unsigned i) {
      int64_t argument = getInto()[i];
      return argument < 0 ? std::nullopt : std::optional<unsigned>(argument);
    }
    /// The result that takes an argument's place, if one does.
    std::optional<unsigned> getReplacing(unsigned argument) {
      for (auto [i, replaced] : ::llvm::enumerate(getInto()))
        if (replaced == int64_t(argument))
          return unsigned(i);
      return std::nullopt;
    }
    /// Whether nobody needs an argument afterwards.
    bool givesUp(unsigned argument) {
      return getGivesUp() &&
             ::llvm::is_contained(*getGivesUp(), int64_t(argument));
    }
    /// Whether a result goes into an argument's place that does not depend on
    /// what was there.
    bool overwrites(unsigned argument) {
      return getReplacing(argument) &&
             getBlock()->getArgument(argument).use_empty();
    }
    /// Whether it only gives what is there another name, by which it is sent
    /// to others: it has results, each the argument whose place it takes, no
    /// ops, and gives nothing up.
    bool onlyRenames();
  }];
}

def Pipe_TaskOp : Pipe_Op<"task", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A part of a step that one stage runs without waiting";
  let description = [{
    A body, and what its arguments and results are in this task: arguments are
    `pipe.input`s, `pipe.value`s, parameters and state, which are read as the
    task begins, or integers; results are `pipe.value`s and `pipe.output`s, or
    take the place of a parameter or state as the task ends.

    ```mlir
    pipe.input @input.tokens : tensor<2x64xi64> role tokens name "input_ids"
    pipe.value @value.0 : tensor<2x64x768xf32>
    nn.param @wte : tensor<256x768xf32> init normal
    pipe.body @look_up (%ids: tensor<2x64xi64>, %wte: tensor<256x768xf32>)
        -> (tensor<2x64x768xf32>) {
      %x = nn.embedding %ids, %wte : tensor<2x64xi64>, tensor<256x768xf32>
          -> tensor<2x64x768xf32>
      pipe.yield %x : tensor<2x64x768xf32>
    }
    pipe.task @forward.0 stage 0 forward calls @look_up
        (@input.tokens, @wte) -> (@value.0)
    ```

    Microbatches add up their gradients in states that hold nothing as a step
    begins. So the first run that writes one must put its part there, and the
    others add to it. `first` is the body that does so; a run says whether it
    calls this one.

    ```mlir
    pipe.value @x : tensor<8xf32>
    nn.param @w : tensor<8xf32> init normal
    nn.state @grad.w : tensor<8xf32> gradient of @w
    pipe.body @add (%x: tensor<8xf32>, %grad: tensor<8xf32>)
        -> (tensor<8xf32> into 1) {
      %sum = nn.sum %grad, %x : tensor<8xf32>
      pipe.yield %sum : tensor<8xf32>
    }
    pipe.body @put (%x: tensor<8xf32>, %grad: tensor<8xf32>)
        -> (tensor<8xf32> into 1) {
      pipe.yield %x : tensor<8xf32>
    }
    pipe.task @backward.0 stage 0 backward calls @add first @put
        (@x, @grad.w) -> (@grad.w)
    ```

    **Constraints:**
    - it calls a `pipe.body` with a symbol for each argument and result, of the
      declared type;
    - an argument is a `pipe.input`, `pipe.value`, `nn.param` or `nn.state`, or,
      if it is a `tensor<i64>`, an integer;
    - a result that takes an argument's place is bound to the `nn.param` or
      `nn.state` that the argument is, or to a `pipe.value`, which lies where
      the `nn.state` did, that holds nothing then; any other to a `pipe.value`
      or `pipe.output`;
    - no two arguments are the same parameter or state, no two results the
      same symbol;
    - nothing is both taken and given but by a result that takes its place;
    - what runs once per step has no body for its first run.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Pipe_Stage:$stage,
    Pipe_PhaseAttr:$phase, FlatSymbolRefAttr:$body,
    OptionalAttr<FlatSymbolRefAttr>:$first, ArrayAttr:$sources,
    DefaultValuedAttr<ArrayAttr, "{}">:$targets);
  let assemblyFormat = [{
    $sym_name `stage` $stage $phase `calls` $body (`first` $first^)?
    custom<Bindings>($sources) (`->` custom<Bindings>($targets)^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isPerMicrobatch() { return pipe::isPerMicrobatch(getPhase()); }
    /// What a run calls.
    ::mlir::FlatSymbolRefAttr getCallee(bool isFirst) {
      return isFirst && getFirstAttr() ? getFirstAttr() : getBodyAttr();
    }
    /// The entry point whose schedules run this task, or the first of them.
    Entry getEntry() {
      if (getPhase() == Phase::ForwardOnly)
        return Entry::Forward;
      return getPhase() == Phase::Evaluate ||
                     getPhase() == Phase::EvaluateResult
                 ? Entry::Evaluate
                 : Entry::Train;
    }
    /// Whether the schedules of an entry point run it: gathers are run by those
    /// of training and of evaluation.
    bool isIn(Entry entry) {
      return getPhase() == Phase::Gather ? entry != Entry::Forward
                                         : getEntry() == entry;
    }
    /// The symbol that argument i is bound to; empty for an integer.
    ::llvm::StringRef getSource(unsigned i) {
      auto symbol =
          ::mlir::dyn_cast<::mlir::FlatSymbolRefAttr>(getSources()[i]);
      return symbol ? symbol.getValue() : ::llvm::StringRef();
    }
    /// The symbols that arguments, then results, are bound to.
    ::llvm::SmallVector<::llvm::StringRef> getBoundSymbols();
    /// The integer that argument i is bound to, if it is.
    std::optional<int64_t> getInteger(unsigned i) {
      if (auto integer = ::mlir::dyn_cast<::mlir::IntegerAttr>(getSources()[i]))
        return integer.getInt();
      return std::nullopt;
    }
    /// The symbol that result i is bound to.
    ::llvm::StringRef getTarget(unsigned i) {
      return ::mlir::cast<::mlir::FlatSymbolRefAttr>(getTargets()[i])
          .getValue();
    }
  }];
}

def Pipe_YieldOp : Pipe_Op<"yield", [Pure, Terminator,
    HasParent<"BodyOp">]> {
  let summary = "The results of a body";
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

def Pipe_ScheduleOp : Pipe_Op<"schedule", [NoTerminator, SingleBlock,
    NoRegionArguments]> {
  let summary = "Everything one stage does in a step, in order";
  let description = [{
    Transfers are posted in this order and pair with those of the other stage
    per channel, first with first. What a stage does alike for one microbatch
    after another is a `pipe.loop`.

    ```mlir
    pipe.value @value.0 : tensor<2x64x768xf32>
    pipe.value @value.1 : tensor<2x64x768xf32>
    pipe.body @take (%d: tensor<2x64x768xf32>) {
      pipe.yield
    }
    pipe.body @nothing () {
      pipe.yield
    }
    pipe.task @backward.0 stage 0 backward calls @take (@value.1)
    pipe.task @update.0 stage 0 update calls @nothing ()
    pipe.schedule train stage 0 microbatches 2 {
      pipe.send @value.0 microbatch 0 to 1 channel 0
      pipe.exchange @value.0 microbatch 1 to 1 channel 0,
                    @value.1 microbatch 0 from 1 channel 1
      pipe.run @backward.0 microbatch 0
      pipe.recv @value.1 microbatch 1 from 1 channel 1
      pipe.run @backward.0 microbatch 1
      pipe.run @update.0
    }
    ```

    **Constraints:**
    - it holds runs, releases, sends, receives, exchanges and loops of them only. That
      each task runs when and as often as it must is checked by `--pipe-check`.
  }];
  let arguments = (ins Pipe_EntryAttr:$entry, Pipe_Stage:$stage,
                   ConfinedAttr<I64Attr, [IntPositive]>:$microbatches);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $entry `stage` $stage `microbatches` $microbatches attr-dict-with-keyword
    $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
  }];
}

def Pipe_LoopOp : Pipe_Op<"loop", [HasParent<"ScheduleOp">, NoTerminator,
    SingleBlock, DeclareOpInterfaceMethods<OpAsmOpInterface,
                                           ["getAsmBlockArgumentNames"]>]> {
  let summary = "Steps that are done for one microbatch after another";
  let description = [{
    The steps are done for each microbatch of [begin, end), in order; they name
    microbatches by how many they are behind it.

    ```mlir
    pipe.value @value.0 : tensor<2x64x768xf32>
    pipe.value @value.1 : tensor<2x64x768xf32>
    pipe.body @take (%x: tensor<2x64x768xf32>) {
      pipe.yield
    }
    pipe.task @backward.0 stage 0 backward calls @take (@value.1)
    pipe.schedule train stage 0 microbatches 32 {
      pipe.send @value.0 microbatch 0 to 1 channel 0
      pipe.loop %m = 0 to 31 {
        pipe.exchange @value.0 microbatch %m + 1 to 1 channel 0,
                      @value.1 microbatch %m from 1 channel 1
        pipe.run @backward.0 microbatch %m
      }
      pipe.recv @value.1 microbatch 31 from 1 channel 1
      pipe.run @backward.0 microbatch 31
    }
    ```

    **Constraints:**
    - it runs at least once and has at least one step;
    - it holds runs, releases, sends, receives and exchanges only, which name
      microbatches of the schedule, all of them relative to the loop's.
  }];
  let arguments = (ins I64Attr:$begin, I64Attr:$end);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
  }];
}

class Pipe_Step<string mnemonic, list<Trait> traits = []>
    : Pipe_Op<mnemonic, !listconcat(traits,
    [ParentOneOf<["ScheduleOp", "LoopOp"]>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>])>;

def Pipe_RunOp : Pipe_Step<"run"> {
  let summary = "Runs a task, of one microbatch or once per step";
  let description = [{
    See `pipe.schedule` for an example.

    **Constraints:**
    - the symbol is a task of the schedule's stage and entry point;
    - a microbatch of the schedule is named where the task is of a phase that
      runs once per microbatch, and none where it is not;
    - `first` is said of a task that has a body for it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$task, Optional<Index>:$loop,
                   OptionalAttr<I64Attr>:$microbatch, UnitAttr:$first);
  let assemblyFormat = [{
    $task (`microbatch` custom<Ahead>($loop, $microbatch)^)? (`first` $first^)?
    attr-dict
  }];
  let extraClassDeclaration = [{
    /// The microbatch where the loop around is at `variable`; 0 for a task
    /// that runs once per step.
    int64_t getMicrobatchAt(int64_t variable) {
      return int64_t(getMicrobatch().value_or(0)) + (getLoop() ? variable : 0);
    }
  }];
}

def Pipe_ReleaseOp : Pipe_Step<"release"> {
  let summary = "Says that a gathered row is not used any more";
  let description = [{
    A row that is marked `nn.released` holds nothing from here on, until a task
    gathers it again. See `pipe.schedule` for the place of a step.

    **Constraints:**
    - the symbol is such a row.
  }];
  let arguments = (ins FlatSymbolRefAttr:$row);
  let assemblyFormat = "$row attr-dict";
}

def Pipe_SendOp : Pipe_Step<"send"> {
  let summary = "Sends an instance of a value to another stage";
  let description = [{
    See `pipe.schedule` for an example.

    **Constraints** (of all transfers):
    - the symbol is a `pipe.value`, the microbatch one of the schedule's;
    - the other stage is not the schedule's own.
  }];
  let arguments = (ins FlatSymbolRefAttr:$value, Optional<Index>:$loop,
                   I64Attr:$microbatch, I64Attr:$stage, I64Attr:$channel);
  let assemblyFormat = [{
    $value `microbatch` custom<Ahead>($loop, $microbatch) `to` $stage
    `channel` $channel attr-dict
  }];
}

def Pipe_RecvOp : Pipe_Step<"recv"> {
  let summary = "Receives an instance of a value from another stage";
  let description = [{
    See `pipe.schedule` for an example, `pipe.send` for constraints.
  }];
  let arguments = (ins FlatSymbolRefAttr:$value, Optional<Index>:$loop,
                   I64Attr:$microbatch, I64Attr:$stage, I64Attr:$channel);
  let assemblyFormat = [{
    $value `microbatch` custom<Ahead>($loop, $microbatch) `from` $stage
    `channel` $channel attr-dict
  }];
}

def Pipe_ExchangeOp : Pipe_Step<"exchange", [AttrSizedOperandSegments]> {
  let summary = "A send and a receive that wait for each other";
  let description = [{
    Opposing transfers between two stages must be one op: under rendezvous two
    stages that both send first would wait forever. See `pipe.schedule` for an
    example, `pipe.send` for constraints.
  }];
  let arguments = (ins FlatSymbolRefAttr:$sent, Optional<Index>:$send_loop,
    I64Attr:$send_microbatch, I64Attr:$send_stage, I64Attr:$send_channel,
    FlatSymbolRefAttr:$received, Optional<Index>:$recv_loop,
    I64Attr:$recv_microbatch, I64Attr:$recv_stage, I64Attr:$recv_channel);
  let assemblyFormat = [{
    $sent `microbatch` custom<Ahead>($send_loop, $send_microbatch) `to`
    $send_stage `channel` $send_channel `,` $received `microbatch`
    custom<Ahead>($recv_loop, $recv_microbatch) `from` $recv_stage
    `channel` $recv_channel attr-dict
  }];
}

#endif // PCC_PIPE_OPS
