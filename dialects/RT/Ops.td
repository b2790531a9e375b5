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

/// The axes of a mesh, written as `dist.mesh` has them.
def RT_MeshAxesAttr
    : Attr<CPred<"::llvm::isa<::pcc::dist::MeshAxesAttr>($_self)">,
           "axes of a mesh"> {
  let storageType = "::pcc::dist::MeshAxesAttr";
  let returnType = "::pcc::dist::MeshAxesAttr";
  let convertFromStorage = "$_self";
}

def RT_ProgramOp : RT_Op<"program"> {
  let summary = "What all stages of a program share";
  let description = [{
    `axes` are those of the mesh, slowest first; `comms` lists the
    communicators of the compute stream as sets of axis names, in the order they
    are created. Those in `beside` are there once more, for a stream of their
    own: a communicator does one thing at a time, so each has one stream.
    `parameters` is the logical count. `seq` is 0 when the model takes no
    tokens.

    ```mlir
    rt.program axes <["pp"=2, "dp"=2, "tp"=2]> comms [["tp"], ["dp"]]
        beside [["dp"]] microbatches 4 {micro_batch = 2, seq = 64}
    ```

    **Constraints:**
    - communicators are lists of these axes.
  }];
  let arguments = (ins RT_MeshAxesAttr:$axes, ArrayAttr:$comms,
    OptionalAttr<ArrayAttr>:$beside, I64Attr:$microbatches,
    DefaultValuedAttr<I64Attr, "1">:$micro_batch,
    DefaultValuedAttr<I64Attr, "0">:$seq,
    DefaultValuedAttr<I64Attr, "0">:$parameters,
    DefaultValuedAttr<F64Attr, "0.0">:$flops_per_step,
    OptionalAttr<StrAttr>:$model, OptionalAttr<StrAttr>:$source,
    OptionalAttr<StrAttr>:$summary);
  let assemblyFormat = [{
    `axes` custom<MeshAxes>($axes) `comms` $comms (`beside` $beside^)?
    `microbatches` $microbatches attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The size of a mesh axis; 1 when the mesh does not have it.
    int64_t getAxisSize(::llvm::StringRef axis);
    /// All communicators, those of streams of their own behind the others.
    ::llvm::SmallVector<::mlir::ArrayAttr> getAllComms();
    /// The number, among all, of that with which operations on a stream
    /// communicate over these axes, or -1.
    int64_t getCommIndex(::mlir::ArrayAttr axes, int64_t stream = 0);
  }];
}

def RT_StageOp : RT_Op<"stage", [SymbolTable, IsolatedFromAbove, NoTerminator,
    SingleBlock, NoRegionArguments]> {
  let summary = "The program of the ranks of one pipeline stage";
  let description = [{
    Its buffers, its tasks, and the entry points `@train` and, when compiled
    with it, `@evaluate`, or `@forward` alone, which call the tasks. `arena` is
    the bytes that the buffers need; without it offsets are not assigned yet.

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
    - it holds buffers, events and functions only.
  }];
  let arguments = (ins I64Attr:$index, OptionalAttr<I64Attr>:$arena);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $index (`arena` $arena^)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
  }];
  let hasVerifier = 1;
}

def RT_BufferOp : RT_Op<"buffer", [Symbol, HasParent<"StageOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A place in the arena";
  let description = [{
    `slots` instances lie one after the other, each aligned; those of a value, a
    row or a frame may lie anywhere, and then `at` says where each of them does.

    What parameters, copies, state and sums hold is there again as the next
    entry begins; gradients hold nothing then: they are written before they are
    read, and not written anew before they have been given up. Parameters and
    state carry what the runtime must know of them: `layout`, and `source`,
    `init`, `decay`, `of`, `first` as in nn; inputs their `role`, model `name`,
    and for ids how many there are, `nn.ids`; outputs their `name`.

    Inputs are filled before an entry begins, for each microbatch in a slot of
    its own. Those that are `refilled` are not: entries fill them themselves, by
    `rt.fill`, and their slots take turns as a value's do.

    What lies in a `bucket` has no place of its own: it begins at an `element`
    of that row, in each of the row's slots. A row has several where it holds
    nothing again and again, and is filled in one of them each time. Where the
    bucket's layout cuts the row, a rank has a part of it, and what lies there
    is known to the runtime alone: it has no offset, and no op names it.

    A `part` is what a rank keeps of a whole row from one entry point to the
    next: the elements that are its own by the layout, which names the axes over
    which ranks have each a part. Its offset is the row's; the address that an
    op takes of it is as many parts further as the rank's index along these
    axes says. The rest of the row, and so what lies in it, holds nothing as an
    entry point begins, and once the part is written: `rt.all_gather` of the
    part to its row makes it whole, where it lies.

    ```mlir
    rt.buffer @w : memref<256x64xf32> param at 0
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
    - elements lie row major without holes;
    - at least one slot; in a bucket as many as that has, and one alone of a
      row that is cut and of a part;
    - only inputs are refilled;
    - an offset for each slot only of values, rows and frames with several, all
      multiples of the alignment;
    - what `in` names is an `rt.buffer` of the kind bucket, of the element type;
    - a part, and nothing else in a bucket, has no element but a layout.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<RT_Buffer>:$type, RT_BufferKindAttr:$kind,
    OptionalAttr<I64Attr>:$offset,
    DefaultValuedAttr<I64Attr, "1">:$slots,
    OptionalAttr<DenseI64ArrayAttr>:$others,
    OptionalAttr<RT_LayoutAttr>:$layout,
    OptionalAttr<FlatSymbolRefAttr>:$bucket,
    OptionalAttr<I64Attr>:$element, UnitAttr:$refilled);
  let assemblyFormat = [{
    $sym_name `:` $type $kind (`in` $bucket^)? (`element` $element^)?
    (`at` custom<Offsets>($offset, $others)^)? (`slots` $slots^)?
    (`refilled` $refilled^)? (`layout` $layout^)? attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() {
      return ::mlir::cast<::mlir::MemRefType>(getType());
    }
    /// Bytes of one instance.
    int64_t getBytes();
    /// Whether an instance for one microbatch lies where others did before.
    bool takesTurns();
    /// Whether it is a row, or lies in one.
    bool isOfRow() {
      return getKind() == BufferKind::Bucket || getBucket().has_value();
    }
    /// Bytes that one instance takes.
    int64_t getSlotBytes();
    /// Bytes of all instances.
    int64_t getTotalBytes() { return getSlotBytes() * getSlots(); }
    /// Where an instance begins; the buffer has an offset.
    int64_t getSlotOffset(int64_t slot);
    /// Where the last byte ends that an instance takes.
    int64_t getEnd();
    /// Of a bucket: the axes over which its row is cut; of a part those over
    /// which ranks have each theirs; of others none.
    ::mlir::ArrayAttr getCut();
  }];
  let hasVerifier = 1;
}

def RT_EventOp : RT_Op<"event", [Symbol, HasParent<"StageOp">]> {
  let summary = "A point in the work of a stream that others can wait for";
  let description = [{
    Work is on streams, which a stage numbers from 0. Stream 0 computes: all ops
    are on it that say nothing else. Ops of one stream are done one after the
    other; nothing orders those of two streams but events. `rt.record` has an
    event stand for all that its stream was given up to there, `rt.wait` has its
    stream go on only when that is done, both in program order. An entry begins
    when stream 0 is done with the one before; other streams need not be, and
    events keep their meaning from one entry to the next.

    Collectives of one communicator begin in program order whatever streams they
    are on, and so do the messages of a channel.

    An event has slots as buffers have. Its instances are values, so that a body
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
    - at least one slot.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       DefaultValuedAttr<I64Attr, "1">:$slots);
  let assemblyFormat = "$sym_name (`slots` $slots^)? attr-dict";
  let hasVerifier = 1;
}

def RT_FuncOp : RT_Op<"func", [Symbol, IsolatedFromAbove, NoTerminator,
    SingleBlock, HasParent<"StageOp">]> {
  let summary = "A body of buffers, or an entry point without arguments";
  let description = [{
    What it works on are its arguments, which lie elsewhere for each call, and
    its temporaries, which lie in the frame that the caller gives it: `frame` is
    how many bytes they need, once `--rt-plan` has given them offsets. See
    `rt.stage` for an example. `gives_up` are arguments that nobody needs after
    any call, in which it may leave anything.

    **Constraints:**
    - it holds ops of rt other than declarations;
    - its arguments are buffers and events;
    - the frame is a multiple of the alignment;
    - `gives_up` are buffers among the arguments, in ascending order;
    - the entry points, `@train`, `@evaluate` and `@forward`, take no arguments
      and have no temporaries; others have no loops.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       DefaultValuedAttr<I64Attr, "0">:$frame,
                       OptionalAttr<DenseI64ArrayAttr>:$gives_up);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    /// Whether the runtime calls it.
    bool isEntry();
    /// Whether nobody needs an argument afterwards.
    bool givesUp(unsigned argument) {
      return getGivesUp() &&
             ::llvm::is_contained(*getGivesUp(), int64_t(argument));
    }
  }];
}

def RT_ForOp : RT_Op<"for", [HasParent<"FuncOp">, NoTerminator, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
                              ["getAsmBlockArgumentNames"]>]> {
  let summary = "Steps that are done for one microbatch after another";
  let description = [{
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
    - it runs at least once;
    - it holds ops of rt other than declarations, temporaries and loops.
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
  let summary = "Begins what a device is given as one graph";
  let description = [{
    What follows, up to the next `rt.graph` or the end of the entry point, is
    recorded when it is met first and launched as a whole from then on. With
    `turns` what follows is a loop, of which the graph is so many turns: one
    launch takes the place of them. Who executes rt otherwise, as CPUs do, may
    take no notice.

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
    - it is in an entry point, with a number of its own in the stage;
    - at least one turn.

    `rt-verify` refuses graphs that are not the same in each launch.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$index,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$turns);
  let assemblyFormat = "$index (`turns` $turns^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

def RT_AddressOp : RT_Op<"address", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An instance of a buffer of the stage";
  let description = [{
    The number of the slot is that of the microbatch that the instance is for.
    Values have fewer slots than there are microbatches, and these take turns:
    the instance lies in the slot with that number modulo the slots. `rt-verify`
    refuses a read for another microbatch than was written.

    Slots of a row are places that it has in turn, of no microbatch. In a loop
    an address names one of them, or takes turns `among` some: there each turn
    finds the slot that follows that of the turn before it, and the first one
    behind the last.

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
    - the symbol is an `rt.buffer` of the result's type, not for frames;
    - no slot is below 0 before the modulo is taken, and of what is no value it
      is one of those there are;
    - of a row with slots, and of nothing else, those that an address takes
      turns among are given, and are slots of it.
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
    /// The first of the slots, of the buffer's `slots`, that it takes turns
    /// with, and how many these are: all, unless it says among which.
    std::pair<int64_t, int64_t> getTurns(int64_t slots) {
      if (!getAmong())
        return {0, slots};
      return {(*getAmong())[0], (*getAmong())[1] - (*getAmong())[0]};
    }
    /// The slot, of the buffer's `slots`, where the loop around is at
    /// `variable`.
    int64_t getSlotAt(int64_t variable, int64_t slots) {
      auto [first, turns] = getTurns(slots);
      return first + (int64_t(getSlot()) + (getLoop() ? variable : 0)) % turns;
    }
  }];
}

def RT_TemporaryOp : RT_Op<"temporary", [HasParent<"FuncOp">]> {
  let summary = "Memory in the function's frame";
  let description = [{
    `offset` in bytes from where the frame begins; assigned by `--rt-plan`. See
    `rt.stage` for an example.

    **Constraints:**
    - the offset is a multiple of the alignment, and the end within the frame;
    - the elements lie row major without holes.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs RT_Buffer:$result);
  let assemblyFormat = "(`at` $offset^)? `:` type($result) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes from its begin to that of what may follow it.
    int64_t getBytes();
  }];
}

def RT_ConstantOp : RT_Op<"constant", [Pure]> {
  let summary = "Memory outside the arena that always holds an integer";
  let description = [{
    ```mlir
    %key = rt.constant 4294967296 : memref<i64>
    ```

    **Constraints:**
    - it is one i64.
  }];
  let arguments = (ins I64Attr:$value);
  let results = (outs RT_Buffer:$result);
  let assemblyFormat = "$value `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def RT_ViewOp : RT_Op<"view", [Pure]> {
  let summary = "Some of a buffer's elements in another shape";
  let description = [{
    `offset` in elements from the source's first one. The result's type says
    the strides.

    ```mlir
    %right = rt.view %x offset 2 : memref<4x4xf32>
        to memref<4x2xf32, strided<[4, 1]>>
    ```

    **Constraints:**
    - source and result have one element type;
    - all elements lie within the source.
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
  let summary = "An instance of an event of the stage";
  let description = [{
    Slots are counted as those of an `rt.address` are. See `rt.event` for an
    example.

    **Constraints:**
    - it is in an entry point;
    - the symbol is an `rt.event`;
    - no slot is below 0 before the modulo is taken.
  }];
  let arguments = (ins FlatSymbolRefAttr:$event, Optional<Index>:$loop,
                       DefaultValuedAttr<I64Attr, "0">:$slot);
  let results = (outs RT_Event:$result);
  let assemblyFormat = [{
    $event (`slot` custom<Ahead>($loop, $slot)^)? `:` type($result) attr-dict
  }];
  let extraClassDeclaration = [{
    /// The slot, of the event's `slots`, where the loop around is at
    /// `variable`.
    int64_t getSlotAt(int64_t variable, int64_t slots) {
      return (int64_t(getSlot()) + (getLoop() ? variable : 0)) % slots;
    }
  }];
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// The number of a stream; the compute stream's is not printed.
def RT_Stream
    : DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">;

def RT_LaunchOp : RT_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "Runs a generated kernel on the rank's threads";
  let description = [{
    The kernel is a function of the module, its arguments are the ins followed
    by the outs. `inplace` says for each out which in it may share its memory
    with, or -1. On another stream than the compute stream it is behind what
    that communicates.

    ```mlir
    rt.launch @gelu ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
    rt.launch @add ins(%sum, %came : memref<64xf32>, memref<64xf32>)
        outs(%sum : memref<64xf32>) inplace [0] stream 1
    ```

    **Constraints:**
    - elements of all buffers lie row major without holes;
    - at least one out;
    - `inplace`, if given, has for each out an in's number or -1.
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
  let summary = "A batch of matrix products by the library";
  let description = [{
    C = alpha op(A) op(B) + beta C, as the attribute `gemm` says.

    ```mlir
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, trans_b = true,
        lda = 2, ldb = 2, ldc = 8>
        : memref<4x2xf32>, memref<8x2xf32>, memref<4x8xf32>
    ```

    Products of 16-bit elements are added in f32, and the result is rounded
    once.

    With `added` beta times that is added, not beta times C, which is written
    only. An epilogue is made of S = alpha op(A) op(B) + beta C before that is
    rounded, with a vector and a matrix of C's shape:

    | epilogue | C | vector | matrix |
    |---|---|---|---|
    | `bias` | S + vector in each row | read | |
    | `gelu` | gelu (tanh) of S + vector in each row | read, may be missing | what gelu is taken of; may be missing |
    | `gelu_grad` | S times the derivative of gelu (tanh) at matrix | | read |
    | `sum_a` | S | the sums of op(A)'s rows, one for each row of C | |
    | `sum_b` | S | the sums of op(B)'s columns, one for each column of C | |

    ```mlir
    rt.gemm %a, %b, %c as <m = 4, n = 8, k = 2, lda = 2, ldb = 8, ldc = 8>
        epilogue <gelu> vector %bias : memref<8xf32>
        matrix %before : memref<4x8xf32>
        : memref<4x2xf32>, memref<2x8xf32>, memref<4x8xf32>
    ```

    **Constraints:**
    - the three have one element type, f32, f64, bf16 or f16; or A and B have
      one of 16 bits, and C has f32;
    - no element that is touched lies outside its buffer;
    - a vector and a matrix are there as the table says, their elements lie row
      major without holes, as many as C has columns (`sum_a`: rows), or
      elements, and have C's type;
    - an epilogue is of one product, with elements of C in f32, bf16 or f16, for
      sums in f32; a matrix has a multiple of 8 columns, as many as C's rows are
      apart;
    - of gelu and its gradient beta is 0;
    - what is added lies as C does, beta is not 0, and the epilogue is `none` or
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
    /// Whether the vector is made, not read.
    bool makesVector() {
      return getEpilogue() == Epilogue::SumA || getEpilogue() == Epilogue::SumB;
    }
    /// Whether the matrix is made, not read.
    bool makesMatrix() {
      return getMatrix() && getEpilogue() == Epilogue::Gelu;
    }
    /// Whether it is more than A, B and C.
    bool isPlain() { return getEpilogue() == Epilogue::None && !getAdded(); }
  }];
  let hasVerifier = 1;
}

def RT_AttentionOp : RT_Op<"attention"> {
  let summary = "Attention by the library";
  let description = [{
    As `nn.attention` has it, without bias and dropout, of 16-bit elements: q is
    [b, s, h, d], k and v are [b, t, g, d]. `causal` masks keys behind the
    query's own place, the first query being at the first key. The library
    knows no positions.

    stats are [b, s, h] of f32: the log of the sum of exp of a row's scores.
    They lie as the library wants them, head after head.

    ```mlir
    rt.attention causal %q, %k, %v to %o, %stats scale 0.125
        : memref<2x64x4x64xbf16>, memref<2x64x2x64xbf16>,
          memref<2x64x2x64xbf16>, memref<2x64x4x64xbf16>,
          memref<2x64x4xf32, strided<[256, 1, 64]>>
    ```

    **Constraints:**
    - q, k, v and the result have elements of one type, bf16 or f16; those of a
      row of a head follow each other, and rows begin at multiples of 16 bytes;
    - dims are as above, and h is a multiple of g;
    - the result's elements lie row major without holes, and stats by [b, h, s].
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
  let summary = "The cotangents of attention's q, k and v, by the library";
  let description = [{
    Of d_result, that of the result, and of what `rt.attention` took and gave.
    The library does `samples` samples at a time, and keeps what it likes in the
    workspace meanwhile. With `key_heads` it does so many of a sample's key heads
    at a time, with the heads that share them; without, all.

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
    - what `rt.attention` demands of q, k, v, the result and stats;
    - d_result is as the result; dq, dk and dv are as is demanded of q, k and v,
      and may lie between each other, parts of one buffer;
    - the workspace is of i8;
    - b is a multiple of `samples`, and g of `key_heads`; unless all key heads
      are done at a time, samples are done one by one;
    - stats of what is done at a time, unless that is all, are a multiple of 16
      bytes.
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
    /// The key heads that are done at a time.
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
    - elements of both lie row major without holes, in the same bytes.
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
    - its elements lie row major without holes.
  }];
  let arguments = (ins RT_Buffer:$to);
  let assemblyFormat = "$to attr-dict `:` type($to)";
  let hasVerifier = 1;
}

def RT_ReleaseOp : RT_Op<"release"> {
  let summary = "Says that a buffer holds nothing from here on";
  let description = [{
    Nothing is done: what is there may be overwritten, and is not read.

    ```mlir
    rt.release %x : memref<4x4xf32>
    ```
  }];
  let arguments = (ins RT_Buffer:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

//===----------------------------------------------------------------------===//
// Between ranks. What is on the compute stream blocks.
//===----------------------------------------------------------------------===//

class RT_StreamOp<string mnemonic> : RT_Op<mnemonic> {
  let arguments = (ins RT_Event:$event, RT_Stream:$stream);
  let assemblyFormat = "$event (`stream` $stream^)? attr-dict";
}

def RT_RecordOp : RT_StreamOp<"record"> {
  let summary = "Has an event stand for what a stream was given so far";
  let description = "See `rt.event`.";
}

def RT_WaitOp : RT_StreamOp<"wait"> {
  let summary = "Has a stream go on only when an event is over";
  let description = [{
    See `rt.event`. What is waited for is the last record ahead of the wait, in
    program order; `pcc-run` refuses a wait for an event without any.
  }];
}

def RT_AllReduceOp : RT_Op<"all_reduce"> {
  let summary = "Combines buffers over ranks, in place";
  let description = [{
    Several buffers are one transfer: they must be contiguous in the arena, up
    to the padding between them.

    ```mlir
    rt.all_reduce sum %x, %y over ["dp", "tp"]
        : memref<4x4xf32>, memref<16xf32>
    ```

    **Constraints:**
    - at least one buffer, all of one element type;
    - elements lie row major without holes.
  }];
  let arguments = (ins Variadic<RT_Buffer>:$buffers,
    RT_ReductionAttr:$reduction, ArrayAttr:$axes, RT_Stream:$stream);
  let assemblyFormat = [{
    $reduction $buffers `over` $axes (`stream` $stream^)? attr-dict `:`
    type($buffers)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// From the first buffer to behind the last, padding between included.
    int64_t getBytes();
  }];
}

class RT_Blocks<string mnemonic, string what> : RT_Op<mnemonic> {
  let summary = what;
  let description = [{
    **Constraints:**
    - elements of both buffers lie row major without holes and have one type;
    - of all_to_all both buffers have the same number of elements, of the
      others the larger one's is a multiple of the smaller one's.
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
    : RT_Gathering<"all_gather", "All ranks' inputs one after the other">;
def RT_ReduceScatterOp : RT_Blocks<"reduce_scatter",
    "The sum over ranks of their blocks for this one"> {
  let description = [{
    Where it `adds`, the sum is added to what the output holds.

    ```mlir
    rt.reduce_scatter %x to %y over ["dp"] : memref<16xf32> to memref<8xf32>
    rt.reduce_scatter %x to %y over ["dp"] adds stream 1
        : memref<16xf32> to memref<8xf32>
    ```

    **Constraints:**
    - elements of both buffers lie row major without holes and have one type;
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
    "A block for each rank becomes a block from each rank">;
def RT_ShardSliceOp : RT_Blocks<"shard_slice",
    "This rank's block of what all ranks have; no message">;

def RT_CommIndexOp : RT_Op<"comm_index", [Pure]> {
  let summary = "Memory outside the arena that always holds the rank's index";
  let description = [{
    Its index among the ranks that differ in these axes only, times a constant.
    It is known as the program starts, as an `rt.constant` is.

    ```mlir
    %start = rt.comm_index over ["tp"] times 25129 : memref<i64>
    ```

    **Constraints:**
    - it is one i64.
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
    - elements lie row major without holes.
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
  let summary = "Has the host fill an input for a microbatch";
  let description = [{
    For the one that the address names. There may be none: as many microbatches
    as a step has are numbered from 0; then the input holds nothing.

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
    - the buffer is an `rt.address` of one that is refilled.
  }];
  let arguments = (ins RT_Buffer:$buffer, RT_Stream:$stream);
  let assemblyFormat = [{
    $buffer (`stream` $stream^)? attr-dict `:` type($buffer)
  }];
  let extraClassDeclaration = [{
    /// Names the buffer and the microbatch.
    AddressOp getAddress() { return getBuffer().getDefiningOp<AddressOp>(); }
  }];
}

def RT_ExchangeOp : RT_Op<"exchange"> {
  let summary = "A send and a receive that wait for each other";
  let description = [{
    On the compute stream; on others a send and a receive are two ops.

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
  let summary = "Runs a body on buffers";
  let description = [{
    See `rt.stage` for an example. In a loop a frame may have slots: each turn
    has the one with the number of the loop's variable modulo the slots.

    **Constraints:**
    - it is in an entry point, and the symbol is an `rt.func` that is none;
    - the buffers and events have the types of its arguments;
    - the frame is an `rt.buffer` of that kind, with at least the bytes that the
      function needs; it is absent where that is none;
    - the frame has one slot, unless the call is in a loop.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
    Variadic<AnyTypeOf<[RT_Buffer, RT_Event]>>:$args,
    OptionalAttr<FlatSymbolRefAttr>:$frame);
  let assemblyFormat = [{
    $callee `(` $args `)` (`frame` $frame^)? attr-dict (`:` type($args)^)?
  }];
}

#endif // PCC_RT_OPS
