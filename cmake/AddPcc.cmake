# Functions for the CMakeLists.txt files of the folders.
#
# test/Scripts/dependencies.py checks that a library links only libraries that its
# files include. A link for another reason needs a comment in the
# CMakeLists.txt:
#
#     # Links <library>: <reason>

set(PCC_WARNINGS -Wall -Wextra -Werror -Wno-unused-parameter)

# Sets the compile options of code that includes LLVM headers. Debian's LLVM has
# neither RTTI nor exceptions. With PCC_UNITY, one compiler process compiles
# several of the target's sources.
function(pcc_use_llvm target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PCC_UNITY}
                        UNITY_BUILD_BATCH_SIZE 12)
  separate_arguments(definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
  target_compile_definitions(${target} PRIVATE ${definitions})
  target_compile_options(${target} PRIVATE ${PCC_WARNINGS} -fno-rtti
                         -fno-exceptions)
endfunction()

# add_pcc_tablegen(<target> <file.td> <out> <generator flags> [<out> <flags>...])
# Generates files in the build tree, in the folder that mirrors the sources'.
function(add_pcc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest out flags)
    separate_arguments(flags)
    mlir_tablegen(${out} ${flags})
  endwhile()
  add_public_tablegen_target(${target})
endfunction()

# pcc_shard_ops(<sources> <dialect's name in C++> <number>)
# Adds one source per shard of a dialect whose Ops.h.inc and Ops.cpp.inc are
# generated with -op-shard-count=<number>. In one source the definitions of many
# ops would be the longest compilation of a parallel build.
function(pcc_shard_ops variable dialect count)
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  math(EXPR last "${count} - 1")
  foreach(shard RANGE ${last})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/OpDefs${shard}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "@folder@/@dialect@.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_DEFS_@shard@
#include "@folder@/Ops.cpp.inc"
]])
    list(APPEND sources ${source})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# All folders share the precompiled headers of PccNN. Parsing LLVM's headers and
# the declarations of the nn ops takes longer than compiling one of our files; a
# set for each folder would be built a dozen times. A folder that needs many
# more LLVM headers may have its own.

# Makes a target use the precompiled headers of a library; "" is PccNN.
function(pcc_reuse_headers name library)
  if(NOT library)
    set(library PccNN)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${library})
endfunction()

# LLVM and MLIR, without the order in which a linker other than lld needs them.
# They are linked statically: a tool that loads the shared libraries starts
# 20 ms later, and the tests start thousands.
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
add_library(pcc_llvm INTERFACE)
target_link_libraries(pcc_llvm INTERFACE ${archives} z zstd rt dl m)

# add_pcc_library(<name> <sources> [DEPENDS <tablegen targets>]
#                 [LINK <libraries>] [PCH <header> | PCH_OF <library>])
# Without PCH or PCH_OF it uses the precompiled headers of PccNN.
function(add_pcc_library name)
  cmake_parse_arguments(ARG "" "PCH;PCH_OF" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  pcc_use_llvm(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} pcc_llvm)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_PCH)
    target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/${ARG_PCH})
  else()
    pcc_reuse_headers(${name} "${ARG_PCH_OF}")
  endif()
endfunction()

# Links an executable at fixed addresses, which need no relocation at the start.
function(pcc_link_as_tool name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_link_options(${name} PRIVATE -no-pie
                      -Wl,--gc-sections,--as-needed)
endfunction()

# add_pcc_tool(<name> <sources> [LINK <libraries>] [PCH_OF <library>]
#              [MAIN <function>])
# With MAIN, the sources define that function of tools/Tools.h instead of main();
# the installed executable has it, too.
function(add_pcc_tool name)
  cmake_parse_arguments(ARG "" "PCH_OF;MAIN" "LINK" ${ARGN})
  add_library(${name}_tool OBJECT ${ARG_UNPARSED_ARGUMENTS})
  pcc_use_llvm(${name}_tool)
  target_link_libraries(${name}_tool PUBLIC ${ARG_LINK} pcc_llvm)
  pcc_reuse_headers(${name}_tool "${ARG_PCH_OF}")
  set(main)
  if(ARG_MAIN)
    set(main ${PROJECT_SOURCE_DIR}/tools/Main.cpp)
  endif()
  add_executable(${name} ${main})
  target_compile_definitions(${name} PRIVATE PCC_TOOL=${ARG_MAIN})
  target_link_libraries(${name} PRIVATE ${name}_tool)
  pcc_link_as_tool(${name})
endfunction()
