//===- Prefix.h - Common headers of Codegen ---------------------*- C++ -*-===//
//
// Precompiled for the libraries of Codegen, for the interpreter and for tools
// that run passes of all phases. They use the rt dialect and many MLIR
// dialects, whose headers take longer to parse than our code to compile.
//
//===----------------------------------------------------------------------===//

#include "cmake/Prefix.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
