# Helpers that keep the CMakeLists.txt of the rooms to a few lines.

set(PCC_WARNINGS -Wall -Wextra -Werror -Wno-unused-parameter)

# What all code that includes LLVM headers is compiled with. Debian's LLVM has
# neither RTTI nor exceptions.
function(pcc_use_llvm target)
  separate_arguments(definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
  target_compile_definitions(${target} PRIVATE ${definitions})
  target_compile_options(${target} PRIVATE ${PCC_WARNINGS} -fno-rtti
                         -fno-exceptions)
endfunction()

# add_pcc_tablegen(<target> <file.td> <out> <generator flags> [<out> <flags>...])
# Generates files beside the sources' place in the build tree.
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

# add_pcc_library(<name> <sources> [DEPENDS <tablegen targets>]
#                 [LINK <libraries>] [PCH <headers>] [EXCEPTIONS])
# EXCEPTIONS is for code beside libraries that throw (protobuf, json).
function(add_pcc_library name)
  cmake_parse_arguments(ARG "EXCEPTIONS" "" "DEPENDS;LINK;PCH" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  pcc_use_llvm(${name})
  if(ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE -fexceptions)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_PCH)
    target_precompile_headers(${name} PRIVATE ${ARG_PCH})
  endif()
endfunction()

# add_pcc_tool(<name> <sources> [LINK <libraries>])
function(add_pcc_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  pcc_use_llvm(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()
