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

/// An nn::InputRole, written as its keyword.
def Pipe_RoleAttr : Attr<CPred<"::llvm::isa<::pcc::nn::InputRoleAttr>($_self)">,
                         "role of a program input"> {
  let storageType = "::pcc::nn::InputRoleAttr";
  let returnType = "::pcc::nn::InputRole";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::pcc::nn::InputRoleAttr::get($_builder.getContext(), $0)";
}

def Pipe_InputOp : Pipe_Symbol<"input"> {
  let summary = "An input, which the runtime fills before a step";
  let description = [{
    `role` is the input's `nn.role`, `name` its name in the model. Inputs with
    a batch dim (tokens, targets, labels, samples and data) have one instance
    per microbatch, other inputs one per step.

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
  let summary = "An output, which the runtime reads after a step";
  let description = [{
    A scalar of a training step or an evaluation, such as the loss, or an output
    of a forward-only program.

    ```mlir
    pipe.output @output.loss : tensor<f32> name "loss"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyStaticShapeTensor>:$type, StrAttr:$name);
  let assemblyFormat = "$sym_name `:` $type `name` $name attr-dict";
}

def Pipe_ValueOp : Pipe_Symbol<"value"> {
  let summary = "A tensor that is passed between tasks";
  let description = [{
    One task produces it and other tasks use it, on the same stage or, after a
    transfer, on others. Each stage that holds it has one instance per
    microbatch, or one per step if the task runs once per step.

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
  let summary = "A function of one rank's nn and dist ops, called by tasks";
  let description = [{
    A body has no side effects: parameters and state are arguments, and a result
    that updates one of them is marked `into` with the argument's number. The
    result overwrites that argument.

    Tasks bind arguments and results to symbols. So identical layers share one
    body, which their tasks call with different parameters and values. An
    argument is printed with the name that its location has. On a mesh every
    value declares its sharding, arguments after `as`.

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

    `gives_up` lists arguments that are dead after every call: the body may
    overwrite their memory.

    **Constraints:**
    - it ends in `pipe.yield`, with a value for each result;
    - it has no `nn.read`, `nn.write` or `nn.accumulate`;
    - `into` names an argument of the result's type; an argument is named at
      most once;
    - `gives_up` lists arguments in ascending order, none of which `into` names.
  }];
  // For each result the argument that it overwrites, or -1.
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
    /// The argument that result i overwrites; nullopt if it has memory of its
    /// own.
    std::optional<unsigned> getReplaced(unsigned i) {
      int64_t argument = getInto()[i];
      return argument < 0 ? std::nullopt : std::optional<unsigned>(argument);
    }
    /// The result that overwrites an argument, if any does.
    std::optional<unsigned> getReplacing(unsigned argument) {
      for (auto [i, replaced] : ::llvm::enumerate(getInto()))
        if (replaced == int64_t(argument))
          return unsigned(i);
      return std::nullopt;
    }
    /// Whether an argument is dead after every call.
    bool isDeadAfterCall(unsigned argument) {
      return getGivesUp() &&
             ::llvm::is_contained(*getGivesUp(), int64_t(argument));
    }
    /// Whether a result overwrites an argument whose old value is not used.
    bool overwrites(unsigned argument) {
      return getReplacing(argument) &&
             getBlock()->getArgument(argument).use_empty();
    }
    /// Whether the body only renames state, to send it under the name of a
    /// `pipe.value`: it has no ops, each result is the argument that it
    /// overwrites, there is at least one result, and `gives_up` is empty.
    bool isRename();
  }];
}

def Pipe_TaskOp : Pipe_Op<"task", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a body with arguments and results bound to symbols";
  let description = [{
    A task is the part of a step that one stage runs without waiting for a
    transfer. Arguments are bound to `pipe.input`s, `pipe.value`s, parameters
    or state, which are read when the task begins, or to integers. Results are
    bound to `pipe.value`s and `pipe.output`s, or overwrite a parameter or state
    when the task ends.

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

    Gradient buffers are not initialized when a step begins. The first
    microbatch overwrites a gradient; later ones accumulate into it. `first`
    names the body of the overwriting run; a `pipe.run` with `first` calls it.

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
    - an argument is bound to a `pipe.input`, `pipe.value`, `nn.param` or
      `nn.state`, or, if it is a `tensor<i64>`, to an integer;
    - a result that overwrites an argument is bound to the argument's `nn.param`
      or `nn.state`. If that is an `nn.state`, the result may instead be bound
      to a `pipe.value`, which then uses the state's memory; the state is dead;
    - any other result is bound to a `pipe.value` or `pipe.output`;
    - no two arguments are bound to the same parameter or state, no two results
      to the same symbol;
    - a symbol is bound to both an argument and a result only if that result
      overwrites that argument;
    - only a task that runs once per microbatch has a `first` body.
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
    /// The body that a run calls.
    ::mlir::FlatSymbolRefAttr getCallee(bool isFirst) {
      return isFirst && getFirstAttr() ? getFirstAttr() : getBodyAttr();
    }
    /// The entry point whose schedules run this task; training for a gather,
    /// which evaluation runs as well.
    Entry getEntry() {
      if (getPhase() == Phase::ForwardOnly)
        return Entry::Forward;
      return getPhase() == Phase::Evaluate ||
                     getPhase() == Phase::EvaluateResult
                 ? Entry::Evaluate
                 : Entry::Train;
    }
    /// Whether schedules of an entry point run this task. Gathers run in
    /// training and in evaluation.
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
    /// The symbols that the arguments are bound to, then those of the results.
    ::llvm::SmallVector<::llvm::StringRef> getBoundSymbols();
    /// The integer that argument i is bound to; nullopt for a symbol.
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
  let summary = "Returns the results of a body";
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

def Pipe_ScheduleOp : Pipe_Op<"schedule", [NoTerminator, SingleBlock,
    NoRegionArguments]> {
  let summary = "The ordered list of one stage's runs and transfers";
  let description = [{
    Each entry point has one schedule per stage. Transfers are posted in this
    order. Sends and receives of a channel match in order: the n-th send of one
    stage with the n-th receive of the other. A sequence that repeats for
    consecutive microbatches is a `pipe.loop`.

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
    - it contains only runs, releases, sends, receives, exchanges and loops.

    `--pipe-check` verifies that each task runs in a valid order and as often as
    it must.
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
  let summary = "Repeats ops of a schedule for consecutive microbatches";
  let description = [{
    The loop variable `%m` counts the microbatches of [begin, end). Ops in the
    loop name microbatches relative to it, such as `%m + 1`.

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
    - it has at least one iteration and at least one op;
    - it contains only runs, releases, sends, receives and exchanges;
    - they name microbatches relative to the loop variable; in every iteration
      these are microbatches of the schedule.
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
  let summary = "Runs a task, for one microbatch or for the whole step";
  let description = [{
    See `pipe.schedule` for an example.

    **Constraints:**
    - the symbol is a task of the schedule's stage and entry point;
    - a run of a task that runs once per microbatch names a microbatch of the
      schedule; any other run names none;
    - `first` requires a task with a `first` body.
  }];
  let arguments = (ins FlatSymbolRefAttr:$task, Optional<Index>:$loop,
                   OptionalAttr<I64Attr>:$microbatch, UnitAttr:$first);
  let assemblyFormat = [{
    $task (`microbatch` custom<Ahead>($loop, $microbatch)^)? (`first` $first^)?
    attr-dict
  }];
  let extraClassDeclaration = [{
    /// The microbatch when the enclosing loop's variable is `variable`; 0 for a
    /// task that runs once per step.
    int64_t getMicrobatchAt(int64_t variable) {
      return int64_t(getMicrobatch().value_or(0)) + (getLoop() ? variable : 0);
    }
  }];
}

def Pipe_ReleaseOp : Pipe_Step<"release"> {
  let summary = "Marks a gathered bucket as dead";
  let description = [{
    The bucket is dead until a task gathers it again, so its memory may be
    reused. See `pipe.schedule` for the context.

    ```mlir
    nn.param @w : tensor<8xf32> init normal
    nn.state @copy.w : tensor<8xbf16> copy of @w
    nn.state @bucket.0.copy : tensor<1x8xbf16> bucket members [@copy.w] at [0]
        {nn.released}
    pipe.schedule train stage 0 microbatches 1 {
      pipe.release @bucket.0.copy
    }
    ```

    **Constraints:**
    - the symbol is a bucket marked `nn.released`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$row);
  let assemblyFormat = "$row attr-dict";
}

def Pipe_SendOp : Pipe_Step<"send"> {
  let summary = "Sends an instance of a value to another stage";
  let description = [{
    See `pipe.schedule` for an example.

    **Constraints** (of all transfers):
    - the symbol is a `pipe.value`, the microbatch one of the schedule;
    - the peer stage is not the schedule's stage.
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
  let summary = "Sends and receives concurrently";
  let description = [{
    Opposing transfers between two stages must be one op. With blocking
    transfers, two stages that both send first would deadlock. See
    `pipe.schedule` for an example, `pipe.send` for constraints.
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
