//===- Ops.td - Operations of the rt dialect ---------------*- tablegen -*-===//

#ifndef PCC_RT_OPS
#define PCC_RT_OPS

include "dialects/RT/Dialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class RT_Op<string mnemonic, list<Trait> traits = []>
    : Op<RT_Dialect, mnemonic, traits>;

def RT_Buffer : Type<
    And<[AnyStaticShapeMemRef.predicate,
         CPred<"::pcc::rt::isBuffer(::llvm::cast<::mlir::MemRefType>($_self))">]>,
    "memref of numbers with constant extents and strides and no offset",
    "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// The axes of a mesh, in the syntax of `dist.mesh`.
def RT_MeshAxesAttr
    : Attr<CPred<"::llvm::isa<::pcc::dist::MeshAxesAttr>($_self)">,
           "axes of a mesh"> {
  let storageType = "::pcc::dist::MeshAxesAttr";
  let returnType = "::pcc::dist::MeshAxesAttr";
  let convertFromStorage = "$_self";
}

/// The record of a parameter or state, `#nn.record`.
def RT_RecordAttr
    : Attr<CPred<"::llvm::isa<::pcc::nn::RecordAttr>($_self)">,
           "the record of a parameter or state"> {
  let storageType = "::pcc::nn::RecordAttr";
  let returnType = "::pcc::nn::RecordAttr";
  let convertFromStorage = "$_self";
}

def RT_ProgramOp : RT_Op<"program"> {
  let summary = "Properties that all stages of a program share";
  let description = [{
    - `axes`: the axes of the mesh, the last varying fastest with the rank;
    - `comms`: the communicators of the compute stream as lists of axis names,
      in the order of creation;
    - `beside`: communicators of communication streams. Operations of a
      communicator are serialized, so no communicator is shared by streams;
    - `parameters`: the number of parameters of the model, without padding;
    - `seq`: the sequence length; 0 if the model takes no tokens;
    - `offload_dir`: the folder for the files that back the offloaded ranges of
      arenas; absent on devices, where memory of the host backs them.

    ```mlir
    rt.program axes <["pp"=2, "dp"=2, "tp"=2]> comms [["tp"], ["dp"]]
        beside [["dp"]] microbatches 4 {micro_batch = 2, seq = 64}
    ```

    **Constraints:**
    - communicators are lists of these axes; no list is given twice in `comms`
      or in `beside`.
  }];
  let arguments = (ins RT_MeshAxesAttr:$axes, ArrayAttr:$comms,
    OptionalAttr<ArrayAttr>:$beside, I64Attr:$microbatches,
    DefaultValuedAttr<I64Attr, "1">:$micro_batch,
    DefaultValuedAttr<I64Attr, "0">:$seq,
    DefaultValuedAttr<I64Attr, "0">:$parameters,
    DefaultValuedAttr<F64Attr, "0.0">:$flops_per_step,
    OptionalAttr<StrAttr>:$model, OptionalAttr<StrAttr>:$source,
    OptionalAttr<StrAttr>:$summary, OptionalAttr<StrAttr>:$offload_dir);
  let assemblyFormat = [{
    `axes` custom<MeshAxes>($axes) `comms` $comms (`beside` $beside^)?
    `microbatches` $microbatches attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The size of a mesh axis; 1 when the mesh does not have it.
    int64_t getAxisSize(::llvm::StringRef axis);
    /// All communicators: those of the compute stream, then those of
    /// communication streams.
    ::llvm::SmallVector<::mlir::ArrayAttr> getAllComms();
    /// The index in getAllComms of the communicator over `axes` that operations
    /// on a stream use, or -1.
    int64_t getCommIndex(::mlir::ArrayAttr axes, int64_t stream = 0);
  }];
}

def RT_StageOp : RT_Op<"stage", [SymbolTable, IsolatedFromAbove, NoTerminator,
    SingleBlock, NoRegionArguments]> {
  let summary = "The program that all ranks of one pipeline stage execute";
  let description = [{
    A stage contains buffers, events, bodies of tasks, and the entry points that
    call the bodies: `@train` and, if compiled with it, `@evaluate`, or only
    `@forward`. `arena` is the size of the arena in bytes; it is absent until
    `--rt-plan` assigns offsets.

    The first `offloaded` bytes of the arena are backed by other memory than the
    rest: by the host's on a device, by a file on a CPU. They hold optimizer
    state: moments, and master weights, which have a working copy of a narrower
    type. Only kernels on the compute stream access them.

    ```mlir
    rt.stage 0 arena 128 {
      rt.buffer @x : memref<4x4xf32> input at 0 {role = "data", name = "x"}
      rt.buffer @frame : memref<64xi8> frame at 64
      rt.func @layer(%x: memref<4x4xf32>) frame 64 {
        %y = rt.temporary at 0 : memref<4x4xf32>
        rt.copy %x to %y : memref<4x4xf32> to memref<4x4xf32>
      }
      rt.func @train() {
        %x = rt.address @x : memref<4x4xf32>
        rt.call @layer(%x) frame @frame : memref<4x4xf32>
      }
    }
    ```

    **Constraints:**
    - it contains only buffers, events and functions;
    - `offloaded` is a positive multiple of 2 MiB and at most `arena`.
  }];
  let arguments = (ins I64Attr:$index, OptionalAttr<I64Attr>:$arena,
    OptionalAttr<I64Attr>:$offloaded);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $index (`arena` $arena^)? (`offloaded` $offloaded^)?
    attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    /// The size of the offloaded range of the arena, in bytes; 0: none.
    int64_t getOffloadedBytes() { return getOffloaded().value_or(0); }
  }];
  let hasVerifier = 1;
}

def RT_BufferOp : RT_Op<"buffer", [Symbol, HasParent<"StageOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A statically allocated buffer";
  let description = [{
    A buffer has `slots` instances in the arena, each aligned. By default they
    are contiguous. Slots of a value, a bucket or a frame may be anywhere; then
    `at` lists their offsets.

    | kind | contents | persistent |
    |---|---|---|
    | `param` | a parameter | yes |
    | `copy` | a working copy of a parameter | unless gathered from shards |
    | `state` | optimizer state | yes |
    | `number` | an `nn.state` number, such as the loss scale | yes |
    | `sum` | an accumulator without a first writer, such as a loss sum | yes |
    | `gradient` | a gradient with a first writer | no |
    | `bucket` | a flat buffer of parameters, copies, states or gradients | as its members |
    | `part` | the rank's shard of a bucket | yes |
    | `input`, `output` | an input or output of the program | no |
    | `value` | activations and other values between tasks | no |
    | `frame` | the scratch buffer of calls | no |

    Persistent buffers keep their contents from one entry to the next. A
    gradient is uninitialized when an entry begins: its first write overwrites
    it, and it is not reinitialized while it is live.

    Parameters and states carry attributes for the runtime: `layout`, `record`
    (see `#nn.record`), and `of` and `first` as in nn. Inputs have their `role`,
    their `name` in the model, for ids their bound, `nn.ids`, and `nn.dims` if
    given. Outputs have their `name`.

    The runtime fills inputs before an entry begins; an input that differs by
    microbatch has one slot for each. The entry itself fills `refilled` inputs
    by `rt.fill`; their slots are reused in rotation, as the slots of a value.

    **Buckets.** A buffer `in` a bucket begins at `element` of the bucket's flat
    buffer, in each slot of the bucket. A bucket that is reinitialized several
    times per entry may have several slots and use another one each time. If the
    layout of a bucket is sharded, each rank holds only its shard. Then only the
    runtime knows the members: they have no offset, and no op names them.

    **Shards.** A `part` is the rank's shard of an unsharded bucket, which
    persists while the rest of the bucket does not. Its `layout` names the axes
    that it is sharded over. It has the bucket's offset; its address is further
    by the shard's size times the rank's index along these axes. Outside its
    shard the bucket is uninitialized when an entry begins and after the shard
    is written. `rt.all_gather` of the part to its bucket, in place, makes the
    whole bucket valid.

    ```mlir
    rt.buffer @w : memref<256x64xf32> param at 0 record <init normal decay>
    rt.buffer @exp_avg.w : memref<256x64xf32> state at 131072 of @w
        record <decay>
    rt.buffer @input.tokens : memref<2x64xi64> input at 65536 slots 4
        {role = "tokens", name = "input_ids"}
    rt.buffer @input.labels : memref<2x64xi64> input at 67584 slots 2 refilled
        {role = "labels", name = "labels"}
    rt.buffer @x : memref<2x64xf32> value at 69632, 71168, 75776, 73216 slots 4
    rt.buffer @bucket.0.param : memref<1x64xf32> bucket at 65792
    rt.buffer @a : memref<4x8xf32> param in @bucket.0.param element 0 at 65792
    rt.buffer @b : memref<5xf32> param in @bucket.0.param element 32 at 65920
    rt.buffer @bucket.0.own : memref<1x32xf32> part in @bucket.0.param at 65792
        layout <[1, 64], [[], ["dp"]]>
    rt.buffer @bucket.1.grad : memref<1x64xf32> bucket at 77824, 79872 slots 2
    rt.buffer @grad.a : memref<4x8xf32> gradient in @bucket.1.grad element 32
        at 77952, 80000 slots 2
    ```

    **Constraints:**
    - the type is row major and contiguous;
    - there is at least one slot; a buffer in a bucket has as many as the
      bucket, a sharded bucket and a part have one;
    - only inputs are refilled;
    - only values, buckets (with their members) and frames list several offsets,
      one per slot, all multiples of the alignment;
    - a bucket has the shape [1, n] and is in no bucket;
    - `in` names an `rt.buffer` of the kind bucket and of the same element type;
    - a buffer has both `in` and `element` or neither, but a part has `in`, a
      sharded layout and no `element`, and its bucket is not sharded;
    - only a tensor of the model has a record: a parameter, copy, state, gradient
      or sum. Its sources have a stride and a valid extent for each dim;
    - only a number has a `first`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<RT_Buffer>:$type, RT_BufferKindAttr:$kind,
    OptionalAttr<I64Attr>:$offset,
    DefaultValuedAttr<I64Attr, "1">:$slots,
    OptionalAttr<DenseI64ArrayAttr>:$others,
    OptionalAttr<RT_LayoutAttr>:$layout,
    OptionalAttr<FlatSymbolRefAttr>:$bucket,
    OptionalAttr<I64Attr>:$element, UnitAttr:$refilled,
    OptionalAttr<FlatSymbolRefAttr>:$of, OptionalAttr<F64Attr>:$first,
    OptionalAttr<RT_RecordAttr>:$record);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$sym_name,
                                 "::mlir::MemRefType":$type,
                                 "BufferKind":$kind, "int64_t":$slots), [{
    build($_builder, $_state, sym_name, type, kind, {}, slots, {}, {}, {}, {},
          false, {}, {}, {});
  }]>];
  let assemblyFormat = [{
    $sym_name `:` $type $kind (`in` $bucket^)? (`element` $element^)?
    (`at` custom<Offsets>($offset, $others)^)? (`slots` $slots^)?
    (`refilled` $refilled^)? (`layout` $layout^)? (`of` $of^)?
    (`first` $first^)? (`record` custom<Record>($record)^)? attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() {
      return ::mlir::cast<::mlir::MemRefType>(getType());
    }
    /// Bytes of one instance.
    int64_t getBytes();
    /// Whether microbatches share slots in rotation.
    bool rotatesSlots();
    /// Whether it is a bucket or in one.
    bool isInBucket() {
      return getKind() == BufferKind::Bucket || getBucket().has_value();
    }
    /// Bytes of one instance, rounded up to the alignment.
    int64_t getSlotBytes();
    /// Bytes of all instances, each rounded up to the alignment.
    int64_t getTotalBytes() { return getSlotBytes() * getSlots(); }
    /// The offset of an instance. The buffer must have an offset.
    int64_t getSlotOffset(int64_t slot);
    /// The end of the instance with the highest offset, including alignment.
    int64_t getEnd();
    /// The axes that a bucket or a part is sharded over; empty for others.
    ::mlir::ArrayAttr getShardAxes();
    ::llvm::LogicalResult verifyRecord();
  }];
  let hasVerifier = 1;
}

def RT_EventOp : RT_Op<"event", [Symbol, HasParent<"StageOp">]> {
  let summary = "A synchronization point between streams";
  let description = [{
    A stage numbers its streams from 0. Stream 0 is the compute stream, the
    default of every op. Ops of one stream execute in program order; only events
    order ops of different streams. `rt.record` records an event after the work
    issued to its stream so far. `rt.wait` makes its stream wait for the latest
    record of the event. An entry begins when stream 0 has finished the previous
    entry. Other streams may still be busy, and events stay valid from one entry
    to the next.

    The collectives of one communicator are on one stream, and so are a stage's
    sends or receives of a channel (`--rt-verify`).

    An event has slots, as a buffer has. Its instances are SSA values, so a body
    takes them as arguments.

    ```mlir
    rt.stage 0 {
      rt.buffer @x : memref<16xf32> value
      rt.event @filled
      rt.event @reduced slots 2
      rt.func @reduce(%x: memref<16xf32>, %filled: !rt.event,
                      %reduced: !rt.event) {
        rt.wait %filled stream 1
        rt.all_reduce sum %x over ["dp"] stream 1 : memref<16xf32>
        rt.record %reduced stream 1
      }
      rt.func @train() {
        %x = rt.address @x : memref<16xf32>
        %filled = rt.event_of @filled : !rt.event
        %reduced = rt.event_of @reduced slot 1 : !rt.event
        rt.zero %x : memref<16xf32>
        rt.record %filled
        rt.call @reduce(%x, %filled, %reduced)
            : memref<16xf32>, !rt.event, !rt.event
        rt.wait %reduced
      }
    }
    ```

    **Constraints:**
    - there is at least one slot.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       DefaultValuedAttr<I64Attr, "1">:$slots);
  let assemblyFormat = "$sym_name (`slots` $slots^)? attr-dict";
  let hasVerifier = 1;
}

def RT_FuncOp : RT_Op<"func", [Symbol, IsolatedFromAbove, NoTerminator,
    SingleBlock, HasParent<"StageOp">]> {
  let summary = "A body of a task, or an entry point without arguments";
  let description = [{
    A body accesses its arguments, whose addresses differ by call, and its
    temporaries, which are in the scratch buffer that the caller passes. `frame`
    is the size of that buffer in bytes, once `--rt-plan` has assigned offsets.
    See `rt.stage` for an example. `gives_up` lists arguments that are dead
    after every call; the body may overwrite them.

    **Constraints:**
    - it contains only rt ops that are no declarations;
    - its arguments are buffers and events;
    - the frame is a multiple of the alignment;
    - `gives_up` lists buffers among the arguments, in ascending order;
    - the entry points, `@train`, `@evaluate` and `@forward`, take no arguments
      and have no temporaries; other functions have no loops.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       DefaultValuedAttr<I64Attr, "0">:$frame,
                       OptionalAttr<DenseI64ArrayAttr>:$gives_up);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    /// Whether it is an entry point, which the runtime calls.
    bool isEntry();
    /// Whether an argument is dead after every call.
    bool isDeadAfterCall(unsigned argument) {
      return getGivesUp() &&
             ::llvm::is_contained(*getGivesUp(), int64_t(argument));
    }
  }];
}

def RT_ForOp : RT_Op<"for", [HasParent<"FuncOp">, NoTerminator, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
                              ["getAsmBlockArgumentNames"]>]> {
  let summary = "Repeats ops for consecutive microbatches";
  let description = [{
    The loop variable runs over [begin, end). Ops in the loop name slots
    relative to it.

    ```mlir
    rt.stage 0 {
      rt.buffer @x : memref<4x4xf32> input slots 32
      rt.buffer @y : memref<4x4xf32> value slots 2
      rt.func @train() {
        rt.for %m = 0 to 31 {
          %x = rt.address @x slot %m + 1 : memref<4x4xf32>
          %y = rt.address @y slot %m + 1 : memref<4x4xf32>
          rt.copy %x to %y : memref<4x4xf32> to memref<4x4xf32>
        }
      }
    }
    ```

    **Constraints:**
    - it is in an entry point;
    - it has at least one iteration;
    - it contains only rt ops that are no declarations, temporaries or loops.
  }];
  let arguments = (ins I64Attr:$begin, I64Attr:$end);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
  }];
}

def RT_GraphOp : RT_Op<"graph", [HasParent<"FuncOp">]> {
  let summary = "Starts a section that a GPU captures as one graph";
  let description = [{
    The section extends to the next `rt.graph` or to the end of the entry point.
    A GPU captures it at its first execution and launches the graph from then
    on. With `turns` the section is a loop, and the graph holds that many
    iterations: one launch replaces them. CPUs ignore the op.

    ```mlir
    rt.stage 0 {
      rt.buffer @x : memref<4x4xf32> value slots 2
      rt.buffer @y : memref<4x4xf32> output
      rt.func @train() {
        rt.graph 0 turns 2
        rt.for %m = 0 to 6 {
          %x = rt.address @x slot %m : memref<4x4xf32>
          rt.zero %x : memref<4x4xf32>
        }
        rt.graph 1
        %x = rt.address @x slot 5 : memref<4x4xf32>
        %y = rt.address @y : memref<4x4xf32>
        rt.copy %x to %y : memref<4x4xf32> to memref<4x4xf32>
      }
    }
    ```

    **Constraints:**
    - it is in an entry point, and its number is unique in the stage;
    - `turns` is at least 1.

    `--rt-verify` rejects graphs that would differ between launches.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$index,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$turns);
  let assemblyFormat = "$index (`turns` $turns^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

def RT_AddressOp : RT_Op<"address", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Returns an instance of a buffer of the stage";
  let description = [{
    `slot` is the number of the microbatch that the instance belongs to. Values
    and refilled inputs may have fewer slots than there are microbatches:
    microbatch m uses slot m modulo the number of slots. `--rt-verify` rejects a
    read of another microbatch's instance.

    Slots of a bucket belong to no microbatch. In a loop an address names one
    slot, or rotates `among` a range of slots: each iteration uses the slot
    after the previous iteration's, and wraps around at the end of the range.

    ```mlir
    rt.buffer @x : memref<4x4xf32> value slots 2
    rt.buffer @bucket.0.grad : memref<1x64xf32> bucket slots 3
    rt.func @evaluate() {
      %x = rt.address @x slot 5 : memref<4x4xf32>
      rt.for %m = 1 to 8 {
        %g = rt.address @bucket.0.grad slot %m among 1 to 3 : memref<1x64xf32>
      }
    }
    ```

    **Constraints:**
    - it is in an entry point;
    - the symbol is an `rt.buffer` of the result's type and not of kind frame;
    - the buffer is not in a sharded bucket;
    - no slot is negative before the modulo is taken; for buffers that are
      neither values nor refilled, the slot exists, except with `among`;
    - `among` is given if and only if the buffer is a bucket or in one and the
      slot is relative to a loop; it is a nonempty range of existing slots.
  }];
  let arguments = (ins FlatSymbolRefAttr:$buffer, Optional<Index>:$loop,
                       DefaultValuedAttr<I64Attr, "0">:$slot,
                       OptionalAttr<DenseI64ArrayAttr>:$among);
  let results = (outs RT_Buffer:$result);
  let assemblyFormat = [{
    $buffer (`slot` custom<Ahead>($loop, $slot)^)?
    (`among` custom<Among>($among)^)? `:` type($result) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The first slot that it rotates through and their number: the range of
    /// `among`, or all `slots` of the buffer.
    std::pair<int64_t, int64_t> getTurns(int64_t slots) {
      if (!getAmong())
        return {0, slots};
      return {(*getAmong())[0], (*getAmong())[1] - (*getAmong())[0]};
    }
    /// The slot of a buffer with `slots` slots when the enclosing loop's
    /// variable is `variable`.
    int64_t getSlotAt(int64_t variable, int64_t slots) {
      auto [first, turns] = getTurns(slots);
      return first + (int64_t(getSlot()) + (getLoop() ? variable : 0)) % turns;
    }
  }];
}

def RT_TemporaryOp : RT_Op<"temporary", [HasParent<"FuncOp">]> {
  let summary = "Returns memory in the function's scratch buffer";
  let description = [{
    `offset` is in bytes from the start of the frame; `--rt-plan` assigns it.
    See `rt.stage` for an example.

    **Constraints:**
    - the offset is a multiple of the alignment, and the end is in the frame;
    - the type is row major and contiguous.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs RT_Buffer:$result);
  let assemblyFormat = "(`at` $offset^)? `:` type($result) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Its size in bytes, rounded up to the alignment.
    int64_t getBytes();
  }];
}

def RT_ConstantOp : RT_Op<"constant", [Pure]> {
  let summary = "Returns constant memory with an integer";
  let description = [{
    The memory is outside the arena.

    ```mlir
    %key = rt.constant 4294967296 : memref<i64>
    ```

    **Constraints:**
    - the result is one i64.
  }];
  let arguments = (ins I64Attr:$value);
  let results = (outs RT_Buffer:$result);
  let assemblyFormat = "$value `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def RT_ViewOp : RT_Op<"view", [Pure]> {
  let summary = "Returns a strided view of a buffer";
  let description = [{
    `offset` is in elements from the source's first element. The result's type
    has the shape and strides of the view.

    ```mlir
    %right = rt.view %x offset 2 : memref<4x4xf32>
        to memref<4x2xf32, strided<[4, 1]>>
    ```

    **Constraints:**
    - source and result have the same element type;
    - all elements are in the source.
  }];
  let arguments = (ins RT_Buffer:$source,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs RT_Buffer:$result);
  let assemblyFormat = [{
    $source (`offset` $offset^)? `:` type($source) `to` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def RT_EventOfOp : RT_Op<"event_of", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Returns an instance of an event of the stage";
  let description = [{
    `slot` is a microbatch's number; the instance is the slot with that number
    modulo the number of slots, as for `rt.address`. See `rt.event` for an
    example.

    **Constraints:**
    - it is in an entry point;
    - the symbol is an `rt.event`;
    - no slot is negative before the modulo is taken.
  }];
  let arguments = (ins FlatSymbolRefAttr:$event, Optional<Index>:$loop,
                       DefaultValuedAttr<I64Attr, "0">:$slot);
  let results = (outs RT_Event:$result);
  let assemblyFormat = [{
    $event (`slot` custom<Ahead>($loop, $slot)^)? `:` type($result) attr-dict
  }];
  let extraClassDeclaration = [{
    /// The slot of an event with `slots` slots when the enclosing loop's
    /// variable is `variable`.
    int64_t getSlotAt(int64_t variable, int64_t slots) {
      return (int64_t(getSlot()) + (getLoop() ? variable : 0)) % slots;
    }
  }];
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

/// The number of a stream; 0, the compute stream, is not printed.
def RT_Stream
    : DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">;

def RT_LaunchOp : RT_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "Launches a generated kernel";
  let description = [{
    The kernel is a function of the module; its arguments are the ins followed
    by the outs. `inplace` lists for each out the in whose memory it may share,
    or -1. On a communication stream the kernel runs after the communication
    issued before it.

    ```mlir
    rt.launch @gelu ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
    rt.launch @add ins(%sum, %came : memref<64xf32>, memref<64xf32>)
        outs(%sum : memref<64xf32>) inplace [0] stream 1
    ```

    **Constraints:**
    - all buffers are row major and contiguous;
    - there is at least one out;
    - `inplace`, if given, has the number of an in or -1 for each out.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<RT_Buffer>:$ins,
    Variadic<RT_Buffer>:$outs, OptionalAttr<DenseI64ArrayAttr>:$inplace,
    RT_Stream:$stream);
  let assemblyFormat = [{
    $kernel (`ins` `(` $ins^ `:` type($ins) `)`)?
    (`outs` `(` $outs^ `:` type($outs) `)`)? (`inplace` $inplace^)?
    (`stream` $stream^)? attr-dict
  }];
  let hasVerifier = 1;
}

def RT_GemmOp : RT_Op<"gemm", [AttrSizedOperandSegments]> {
  let summary = "Calls the library for a strided batched GEMM";
  let description = [{
    C = alpha op(A) op(B) + beta C, with shapes and factors of `#rt.gemm`.

    ```mlir
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, trans_b = true,
        lda = 2, ldb = 2, ldc = 8>
        : memref<4x2xf32>, memref<8x2xf32>, memref<4x8xf32>
    ```

    For bf16 and f16 it accumulates in f32 and rounds the result once.

    With `added`, it adds beta times that buffer instead of beta C, and C is
    only written. An epilogue is applied to S = alpha op(A) op(B) + beta C
    before rounding. It uses a vector and a matrix of C's shape:

    | epilogue | C | vector | matrix |
    |---|---|---|---|
    | `bias` | S + vector in each row | read | |
    | `gelu` | gelu (tanh) of S + vector in each row | read, optional | written: the argument of gelu; optional |
    | `gelu_grad` | S times the derivative of gelu (tanh) at matrix | | read |
    | `sum_a` | S | written: the sums of op(A)'s rows, one for each row of C | |
    | `sum_b` | S | written: the sums of op(B)'s columns, one for each column of C | |

    ```mlir
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8>
        epilogue <gelu> vector %bias : memref<8xf32>
        matrix %before : memref<4x8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
    ```

    **Constraints:**
    - A, B and C have the same element type, f32, f64, bf16 or f16; or A and B
      are both bf16 or both f16, and C is f32;
    - every element that is accessed is in its buffer;
    - vector and matrix are given as in the table. They are row major and
      contiguous and have C's element type. The vector has as many elements as C
      has columns (`sum_a`: rows), the matrix as many as C;
    - an epilogue needs a batch of 1 and C of f32, bf16 or f16; sums need f32;
    - a matrix needs a number of columns that is a multiple of 8 and equals C's
      leading dimension;
    - `gelu` and `gelu_grad` need beta 0;
    - `added` has C's type and needs a nonzero beta and the epilogue `none` or
      `bias`.
  }];
  let arguments = (ins RT_Buffer:$a, RT_Buffer:$b, RT_Buffer:$c,
    RT_GemmAttr:$shape,
    DefaultValuedAttr<RT_EpilogueAttr, "::pcc::rt::Epilogue::None">:$epilogue,
    Optional<RT_Buffer>:$vector, Optional<RT_Buffer>:$matrix,
    Optional<RT_Buffer>:$added);
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b,
                                 "::mlir::Value":$c, "GemmAttr":$shape), [{
    build($_builder, $_state, a, b, c, shape, Epilogue::None, {}, {}, {});
  }]>];
  let assemblyFormat = [{
    $a `,` $b `,` $c `as` $shape (`epilogue` $epilogue^)?
    (`vector` $vector^ `:` type($vector))?
    (`matrix` $matrix^ `:` type($matrix))?
    (`added` $added^ `:` type($added))?
    attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let extraClassDeclaration = [{
    /// Whether the vector is written, not read.
    bool writesVector() {
      return getEpilogue() == Epilogue::SumA || getEpilogue() == Epilogue::SumB;
    }
    /// Whether the matrix is written, not read.
    bool writesMatrix() {
      return getMatrix() && getEpilogue() == Epilogue::Gelu;
    }
    /// Whether it has neither an epilogue nor `added`.
    bool isPlain() { return getEpilogue() == Epilogue::None && !getAdded(); }
  }];
  let hasVerifier = 1;
}

def RT_GroupedGemmOp : RT_Op<"grouped_gemm"> {
  let summary = "A GEMM for each group of rows";
  let description = [{
    Group e has the rows from ends[e - 1] (0 for the first) up to ends[e], which
    only the running program knows. With A[r] a row of A and B[e] a matrix:

    | form | A | B | C |
    |---|---|---|---|
    | `nt` | [r, k] | [e, n, k] | [r, n]: C[r] = A[r] B[e]^T |
    | `nn` | [r, n] | [e, n, k] | [r, k]: C[r] = A[r] B[e] |
    | `tn` | [r, n] | [r, k] | [e, n, k]: C[e] = the sum over the group of A[r]^T B[r] |

    Rows of C after the last end become zero. With `adds`, which only `tn` may
    have, the sums are added to C. For bf16 and f16 it accumulates in f32 and
    rounds once.

    ```mlir
    rt.grouped_gemm nt %a, %w, %c ends %ends
        : memref<12x8xf32>, memref<4x32x8xf32>, memref<12x32xf32>, memref<4xi32>
    ```

    **Constraints:**
    - the shapes match the form, and buffers are contiguous;
    - element types are those of `rt.gemm`; ends are i32.
  }];
  let arguments = (ins RT_GroupedFormAttr:$form, RT_Buffer:$a, RT_Buffer:$b,
    RT_Buffer:$c, RT_Buffer:$ends, UnitAttr:$adds);
  let assemblyFormat = [{
    $form $a `,` $b `,` $c `ends` $ends (`adds` $adds^)? attr-dict `:` type($a)
    `,` type($b) `,` type($c) `,` type($ends)
  }];
  let hasVerifier = 1;
}

def RT_AttentionOp : RT_Op<"attention"> {
  let summary = "Calls the library for fused attention";
  let description = [{
    Computes `nn.attention` without bias and dropout in bf16 or f16: q is
    [b, s, h, d], k and v are [b, t, g, d]. `causal` masks keys after the
    query's position, where query 0 is at the position of key 0. Other positions
    are not supported.

    stats are [b, s, h] of f32: the log-sum-exp of each row's scores. They are
    stored as [b, h, s], the library's layout.

    ```mlir
    rt.attention causal %q, %k, %v to %o, %stats scale 0.125
        : memref<2x64x4x64xbf16>, memref<2x64x2x64xbf16>,
          memref<2x64x2x64xbf16>, memref<2x64x4x64xbf16>,
          memref<2x64x4xf32, strided<[256, 1, 64]>>
    ```

    **Constraints:**
    - q, k, v and the result have the same element type, bf16 or f16;
    - rows of q, k and v (along d) are contiguous and begin at multiples of 16
      bytes;
    - dims are as above, and h is a multiple of g;
    - the result is row major and contiguous; stats are stored as [b, h, s].
  }];
  let arguments = (ins RT_Buffer:$q, RT_Buffer:$k, RT_Buffer:$v,
    RT_Buffer:$result, RT_Buffer:$stats, F64Attr:$scale, UnitAttr:$causal);
  let assemblyFormat = [{
    (`causal` $causal^)? $q `,` $k `,` $v `to` $result `,` $stats
    `scale` $scale attr-dict `:` type($q) `,` type($k) `,` type($v) `,`
    type($result) `,` type($stats)
  }];
  let hasVerifier = 1;
}

def RT_AttentionGradOp : RT_Op<"attention_grad"> {
  let summary = "Calls the library for the backward pass of fused attention";
  let description = [{
    Computes the cotangents dq, dk and dv from d_result, the cotangent of the
    result, and from the operands and results of `rt.attention`. The library
    processes `samples` samples at a time and uses the workspace as scratch
    memory. With `key_heads` it processes that many key heads of a sample at a
    time, with the query heads that share them; otherwise all key heads.

    ```mlir
    rt.attention_grad %do, %q, %k, %v, %o, %stats to %dq, %dk, %dv
        workspace %w samples 2 scale 0.125
        : memref<2x64x4x64xbf16>, memref<2x64x4x64xbf16>,
          memref<2x64x4x64xbf16>, memref<2x64x4x64xbf16>,
          memref<2x64x4x64xbf16>, memref<2x64x4xf32, strided<[256, 1, 64]>>,
          memref<2x64x4x64xbf16>, memref<2x64x4x64xbf16>,
          memref<2x64x4x64xbf16>, memref<327680xi8>
    ```

    **Constraints:**
    - the constraints of `rt.attention` on q, k, v, the result and stats;
    - d_result has the shape of q and is row major and contiguous;
    - dq, dk and dv have the shapes of q, k and v, with rows as required of
      these; they may be interleaved views of one buffer;
    - the workspace is of i8;
    - b is a multiple of `samples`, and g of `key_heads`; `samples` is 1 unless
      all key heads are processed at a time;
    - the stats of the samples or heads processed at a time are a multiple of 16
      bytes, unless all are processed at once.
  }];
  let arguments = (ins RT_Buffer:$d_result, RT_Buffer:$q, RT_Buffer:$k,
    RT_Buffer:$v, RT_Buffer:$result, RT_Buffer:$stats, RT_Buffer:$dq,
    RT_Buffer:$dk, RT_Buffer:$dv, RT_Buffer:$workspace, I64Attr:$samples,
    OptionalAttr<I64Attr>:$key_heads, F64Attr:$scale, UnitAttr:$causal);
  let assemblyFormat = [{
    (`causal` $causal^)? $d_result `,` $q `,` $k `,` $v `,` $result `,` $stats
    `to` $dq `,` $dk `,` $dv `workspace` $workspace `samples` $samples
    (`key_heads` $key_heads^)? `scale` $scale attr-dict `:` type($d_result) `,` type($q) `,` type($k) `,`
    type($v) `,` type($result) `,` type($stats) `,` type($dq) `,` type($dk) `,`
    type($dv) `,` type($workspace)
  }];
  let extraClassDeclaration = [{
    /// The number of key heads that are processed at a time.
    int64_t getKeyHeadGroup() {
      return getKeyHeads().value_or(getK().getType().getDimSize(2));
    }
  }];
  let hasVerifier = 1;
}

def RT_CopyOp : RT_Op<"copy"> {
  let summary = "Copies a contiguous buffer";
  let description = [{
    ```mlir
    rt.copy %x to %y : memref<4x4xf32> to memref<16xf32>
    ```

    **Constraints:**
    - both buffers are row major and contiguous and have the same size in bytes.
  }];
  let arguments = (ins RT_Buffer:$to, RT_Buffer:$from);
  let assemblyFormat = [{
    $from `to` $to attr-dict `:` type($from) `to` type($to)
  }];
  let hasVerifier = 1;
}

def RT_ZeroOp : RT_Op<"zero"> {
  let summary = "Fills a contiguous buffer with zeros";
  let description = [{
    ```mlir
    rt.zero %x : memref<4x4xf32>
    ```

    **Constraints:**
    - the buffer is row major and contiguous.
  }];
  let arguments = (ins RT_Buffer:$to);
  let assemblyFormat = "$to attr-dict `:` type($to)";
  let hasVerifier = 1;
}

def RT_ReleaseOp : RT_Op<"release"> {
  let summary = "Marks a buffer as dead";
  let description = [{
    The op generates no code. The buffer's memory may be reused; it is not read
    until it is written again.

    ```mlir
    rt.release %x : memref<4x4xf32>
    ```
  }];
  let arguments = (ins RT_Buffer:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

//===----------------------------------------------------------------------===//
// Synchronization and communication. On the compute stream, communication
// blocks.
//===----------------------------------------------------------------------===//

class RT_StreamOp<string mnemonic> : RT_Op<mnemonic> {
  let arguments = (ins RT_Event:$event, RT_Stream:$stream);
  let assemblyFormat = "$event (`stream` $stream^)? attr-dict";
}

def RT_RecordOp : RT_StreamOp<"record"> {
  let summary = "Records an event on a stream";
  let description = [{
    The event completes when all work issued to the stream so far is done. See
    `rt.event` for an example.
  }];
}

def RT_WaitOp : RT_StreamOp<"wait"> {
  let summary = "Makes a stream wait for an event";
  let description = [{
    The stream waits for the latest record of the event before the wait in
    program order. `pcc-run` rejects a wait for an event that was never
    recorded. See `rt.event` for an example.
  }];
}

def RT_AllReduceOp : RT_Op<"all_reduce"> {
  let summary = "Reduces buffers over ranks, in place";
  let description = [{
    Several buffers are reduced by one collective: they must be adjacent in the
    arena, up to the padding between them.

    ```mlir
    rt.all_reduce sum %x, %y over ["dp", "tp"]
        : memref<4x4xf32>, memref<16xf32>
    ```

    **Constraints:**
    - there is at least one buffer; all have the same element type;
    - buffers are row major and contiguous.
  }];
  let arguments = (ins Variadic<RT_Buffer>:$buffers,
    RT_ReductionAttr:$reduction, ArrayAttr:$axes, RT_Stream:$stream);
  let assemblyFormat = [{
    $reduction $buffers `over` $axes (`stream` $stream^)? attr-dict `:`
    type($buffers)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes from the start of the first buffer to the end of the last,
    /// including the padding between buffers.
    int64_t getBytes();
  }];
}

class RT_Blocks<string mnemonic, string what> : RT_Op<mnemonic> {
  let summary = what;
  let description = [{
    **Constraints:**
    - both buffers are row major and contiguous and have the same element type;
    - for all_to_all both buffers have the same number of elements; for the
      others the larger number is a multiple of the smaller.
  }];
  let arguments = (ins RT_Buffer:$input, RT_Buffer:$output, ArrayAttr:$axes);
  let assemblyFormat = [{
    $input `to` $output `over` $axes attr-dict `:` type($input) `to`
    type($output)
  }];
  let hasVerifier = 1;
}
class RT_Gathering<string mnemonic, string what> : RT_Blocks<mnemonic, what> {
  let arguments = (ins RT_Buffer:$input, RT_Buffer:$output, ArrayAttr:$axes,
                       RT_Stream:$stream);
  let assemblyFormat = [{
    $input `to` $output `over` $axes (`stream` $stream^)? attr-dict `:`
    type($input) `to` type($output)
  }];
}
def RT_AllGatherOp
    : RT_Gathering<"all_gather", "Concatenates all ranks' inputs">;
def RT_ReduceScatterOp : RT_Blocks<"reduce_scatter",
    "Sums over ranks and keeps this rank's block"> {
  let description = [{
    With `adds` the sum is accumulated into the output.

    ```mlir
    rt.reduce_scatter %x to %y over ["dp"] : memref<16xf32> to memref<8xf32>
    rt.reduce_scatter %x to %y over ["dp"] adds stream 1
        : memref<16xf32> to memref<8xf32>
    ```

    **Constraints:**
    - both buffers are row major and contiguous and have the same element type;
    - the input's number of elements is a multiple of the output's.
  }];
  let arguments = (ins RT_Buffer:$input, RT_Buffer:$output, ArrayAttr:$axes,
                       UnitAttr:$adds, RT_Stream:$stream);
  let assemblyFormat = [{
    $input `to` $output `over` $axes (`adds` $adds^)? (`stream` $stream^)?
    attr-dict `:` type($input) `to` type($output)
  }];
}
def RT_AllToAllOp : RT_Gathering<"all_to_all",
    "Sends one block to each rank and receives one from each">;
def RT_ShardSliceOp : RT_Blocks<"shard_slice",
    "Copies this rank's block of a replicated buffer; no communication">;

def RT_CommIndexOp : RT_Op<"comm_index", [Pure]> {
  let summary = "Returns constant memory with the rank's index along axes";
  let description = [{
    The integer is the rank's index among the ranks that differ along these axes
    only, times the constant `times`. It is fixed when the program starts. The
    memory is outside the arena, as for `rt.constant`.

    ```mlir
    %start = rt.comm_index over ["tp"] times 25129 : memref<i64>
    ```

    **Constraints:**
    - the result is one i64.
  }];
  let arguments = (ins ArrayAttr:$axes,
                   DefaultValuedAttr<I64Attr, "1">:$times);
  let results = (outs RT_Buffer:$result);
  let assemblyFormat = [{
    `over` $axes (`times` $times^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def RT_SendOp : RT_Op<"send"> {
  let summary = "Sends a buffer to this rank's peer in another stage";
  let description = [{
    ```mlir
    rt.send %x to 1 channel 0 : memref<4x4xf32>
    ```

    **Constraints** (of all transfers):
    - buffers are row major and contiguous.
  }];
  let arguments = (ins RT_Buffer:$buffer, I64Attr:$stage, I64Attr:$channel,
                       RT_Stream:$stream);
  let assemblyFormat = [{
    $buffer `to` $stage `channel` $channel (`stream` $stream^)? attr-dict `:`
    type($buffer)
  }];
  let hasVerifier = 1;
}

def RT_RecvOp : RT_Op<"recv"> {
  let summary = "Receives a buffer from this rank's peer in another stage";
  let description = [{
    ```mlir
    rt.recv %x from 1 channel 0 : memref<4x4xf32>
    ```
  }];
  let arguments = (ins RT_Buffer:$buffer, I64Attr:$stage, I64Attr:$channel,
                       RT_Stream:$stream);
  let assemblyFormat = [{
    $buffer `from` $stage `channel` $channel (`stream` $stream^)? attr-dict `:`
    type($buffer)
  }];
  let hasVerifier = 1;
}

def RT_FillOp : RT_Op<"fill", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Fills an input with a microbatch's data from the host";
  let description = [{
    The address names the microbatch. Past the last microbatch of the step there
    is no data, and the input's contents are undefined.

    ```mlir
    rt.stage 0 {
      rt.buffer @tokens : memref<2x64xi64> input slots 2 refilled
      rt.event @tokens.filled slots 2
      rt.func @train() {
        %x = rt.address @tokens slot 3 : memref<2x64xi64>
        rt.fill %x stream 1 : memref<2x64xi64>
        %filled = rt.event_of @tokens.filled slot 3 : !rt.event
        rt.record %filled stream 1
      }
    }
    ```

    **Constraints:**
    - the buffer is the `rt.address` of a refilled input.
  }];
  let arguments = (ins RT_Buffer:$buffer, RT_Stream:$stream);
  let assemblyFormat = [{
    $buffer (`stream` $stream^)? attr-dict `:` type($buffer)
  }];
  let extraClassDeclaration = [{
    /// The address, which names the buffer and the microbatch.
    AddressOp getAddress() { return getBuffer().getDefiningOp<AddressOp>(); }
  }];
}

def RT_ExchangeOp : RT_Op<"exchange"> {
  let summary = "Sends and receives concurrently";
  let description = [{
    The op is on the compute stream. On communication streams a send and a
    receive are two ops.

    ```mlir
    rt.exchange %x to 1 channel 0, %y from 1 channel 1
        : memref<4x4xf32>, memref<4x4xf32>
    ```
  }];
  let arguments = (ins RT_Buffer:$sent, I64Attr:$to_stage,
    I64Attr:$send_channel, RT_Buffer:$received, I64Attr:$from_stage,
    I64Attr:$recv_channel);
  let assemblyFormat = [{
    $sent `to` $to_stage `channel` $send_channel `,` $received `from`
    $from_stage `channel` $recv_channel attr-dict `:` type($sent) `,`
    type($received)
  }];
  let hasVerifier = 1;
}

def RT_CallOp : RT_Op<"call", [ParentOneOf<["FuncOp", "ForOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a body with buffers and events";
  let description = [{
    See `rt.stage` for an example. In a loop the frame may have several slots:
    an iteration uses the slot whose number is the loop variable modulo the
    number of slots.

    **Constraints:**
    - it is in an entry point, and the symbol is an `rt.func` that is no entry
      point;
    - the arguments have the types that the function takes;
    - the frame is an `rt.buffer` of kind frame with at least as many bytes as
      the function needs; it is absent if the function needs none;
    - the frame has one slot unless the call is in a loop.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
    Variadic<AnyTypeOf<[RT_Buffer, RT_Event]>>:$args,
    OptionalAttr<FlatSymbolRefAttr>:$frame);
  let assemblyFormat = [{
    $callee `(` $args `)` (`frame` $frame^)? attr-dict (`:` type($args)^)?
  }];
}

#endif // PCC_RT_OPS
