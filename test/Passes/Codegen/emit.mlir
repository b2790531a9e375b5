// An object for a processor: its code uses that processor's instructions, and
// the program names them. All addresses are relative, as in shared libraries.
// RUN: rm -rf %t && mkdir -p %t/alone/bin && cd %t
// RUN: pcc %s -q --emit=obj --target-cpu x86-64-v2 -o v2.o
// RUN: llvm-objdump -d -r -s %t/v2.o | FileCheck %s --implicit-check-not=ymm
// CHECK: {{R_X86_64_PLT32.*pcc_zero}}
// CHECK: {{R_X86_64_PLT32.*pcc_launch}}
// RUN: llvm-objdump -d %t/v2.o | FileCheck %s --check-prefix=V2
// V2: <double>:
// V2: addps %xmm
// RUN: pcc %s -q --emit=obj --target-cpu x86-64-v3 -o v3.o
// RUN: llvm-objdump -d v3.o | FileCheck %s --check-prefix=V3
// V3: <double>:
// V3: vaddps %ymm
// RUN: llvm-readelf -p .rodata v2.o | FileCheck %s --check-prefix=SAYS2
// SAYS2: x86-64-v2
// SAYS2: sse3,ssse3,cx16,sse4.1,sse4.2,popcnt,sahf{{$}}
// RUN: llvm-readelf -p .rodata v3.o | FileCheck %s --check-prefix=SAYS3
// SAYS3: x86-64-v3
// SAYS3: sse3,ssse3,fma,cx16,sse4.1,sse4.2,movbe,popcnt,avx,f16c,bmi,avx2,bmi2,sahf,lzcnt{{$}}
// Exported (T, D), internal (t) and undefined (U) symbols.
// RUN: llvm-nm -P v2.o | FileCheck %s --check-prefix=NAMES
// NAMES-DAG: double T
// NAMES-DAG: pcc_the_program D
// NAMES-DAG: pcc_the_target D
// NAMES-DAG: stage0.train t
// NAMES-DAG: pcc_launch U

// The default --target-cpu is native, this machine. Compiling twice produces
// the same bytes.
// RUN: pcc %s -q --emit=obj -o native.o && pcc %s -q --emit=obj --target-cpu native -o again.o
// RUN: cmp native.o again.o

// Unknown names of processors, with the four most similar names. 32-bit
// processors are unknown, too.
// RUN: not pcc %s -q --target-cpu skylke -o a 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --target-cpu: there is no processor 'skylke'
// NAME-NEXT: note: names like it are skylake, knl, skx, slm; native is this machine's
// RUN: not pcc %s -q --target-cpu i386 -o a 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: --target-cpu: there is no processor 'i386'
// OLD-NEXT: note: names like it are k8, atom, knl, knm; native is this machine's

// RUN: not pcc %s -q --emit=obj -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: cannot write '/dev/full': No space left on device
// RUN: not env TMPDIR=/none pcc %s -q -o a 2>&1 | FileCheck %s --check-prefix=TEMPORARY
// TEMPORARY: error: cannot write a temporary file: No such file or directory
// No compiler is needed to link, and linking twice produces the same bytes.
// RUN: env PATH=/none %build/bin/pcc %s -q -o a && pcc %s -q -o b && cmp a b
// The runtime libraries are expected in ../lib/pcc of the tool's folder.
// RUN: cp %build/bin/pcc alone/bin/pcc
// RUN: not alone/bin/pcc %s -q -o a 2>&1 | FileCheck %s --check-prefix=LIBRARIES
// LIBRARIES: error: cannot read '{{.*}}/alone/lib/pcc/pcc-link-cpu.txt', which lists the files that programs are linked with: No such file
// The linker's error is printed, and no temporary files remain.
// RUN: mkdir empty && echo 'module attributes {pcc.phase = "llvm"} { llvm.func @nowhere() llvm.func @main() { llvm.call @nowhere() : () -> () llvm.return } }' > loose.mlir
// RUN: not env TMPDIR=%t/empty pcc loose.mlir -q -o c 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: error: linking failed: {{.*}}undefined symbol: nowhere
// RUN: rmdir empty && not ls c*
// A program names the libraries that it was linked with stubs of, their versions,
// and the folders to look into: of an installation, and next to itself.
// RUN: llvm-readelf -d a | FileCheck %s --check-prefix=NEEDED
// NEEDED-DAG: Library runpath: [{{.*}}/lib/pcc/shared:$ORIGIN/lib:{{.*}}]
// NEEDED-DAG: Shared library: [libopenblas.so.0]
// NEEDED-DAG: Shared library: [libc.so.6]
// RUN: llvm-readelf -V a | FileCheck %s --check-prefix=VERSIONS
// VERSIONS: Name: GLIBC_2
// Ops of dialects other than LLVM's cannot be translated.
// RUN: echo 'module attributes {pcc.phase = "llvm"} { func.func @f() { return } }' > other.mlir
// RUN: not pcc other.mlir -q --emit=obj -o a 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: cannot be translated to LLVM IR

module attributes {pcc.phase = "rt"} {
rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 131072 {
  rt.buffer @x : memref<16384xf32> value at 0
  rt.buffer @y : memref<16384xf32> value at 65536
  rt.func @train() {
    %x = rt.address @x : memref<16384xf32>
    %y = rt.address @y : memref<16384xf32>
    rt.zero %x : memref<16384xf32>
    rt.launch @double ins(%x : memref<16384xf32>) outs(%y : memref<16384xf32>)
  }
}
func.func private @double(%x: tensor<16384xf32>) -> tensor<16384xf32>
    attributes {rt.kernel} {
  %y = nn.scale %x by 2.0 : tensor<16384xf32>
  return %y : tensor<16384xf32>
}
}
