# Finds CUDA 13 with cuBLASLt, cuDNN and NCCL, for programs on GPUs. If PCC_CUDA
# is set, only that folder is searched. Otherwise the candidates are $CUDA_HOME,
# the toolkit of the nvcc on the PATH, /usr/local/cuda, and the folder .cuda of
# scripts/install-deps --cuda; the first complete one is used. Defines:
#
#     PccCuda_FOUND    whether a candidate is complete; if not:
#     PccCuda_MISSING  the missing parts of each candidate
#     PccCuda_ROOT     the toolkit, with bin/ptxas and nvvm/libdevice
#     pcc::cudart pcc::cublasLt pcc::cudnn pcc::nccl
#
# It is also a script, which ends with 1 and lists the missing parts if no
# candidate is complete:
#
#     cmake [-DPCC_CUDA=/usr/local/cuda] -P cmake/PccCuda.cmake

get_filename_component(_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

# pcc_find_cuda_part(<what> <root> <header> <macro> <least> <libraries>): sets
# <what>_INCLUDE and <what>_LIBRARY, or adds to `missing`. PyPI's packages have
# only versioned library names; their cuDNN and NCCL are next to the toolkit.
function(pcc_find_cuda_part what root header macro least libraries)
  string(TOLOWER ${what} beside)
  foreach(folder ${root} ${root}/../${beside} /usr)
    if(folder STREQUAL /usr AND NOT what MATCHES "CUDNN|NCCL")
      continue()
    endif()
    set(file ${folder}/include/${header})
    if(NOT EXISTS ${file})
      continue()
    endif()
    file(STRINGS ${file} lines REGEX "#define +${macro} +[0-9]")
    list(GET lines 0 line)
    string(REGEX REPLACE ".*${macro} +([0-9]+).*" "\\1" version "${line}")
    set(library)
    foreach(name ${libraries})
      file(GLOB found ${folder}/lib/${name} ${folder}/lib64/${name}
        ${folder}/lib/*-linux-gnu/${name})
      list(APPEND library ${found})
    endforeach()
    if(version LESS least)
      set(why "${file} is of version ${version}, and ${least} is needed")
    elseif(NOT library)
      list(JOIN libraries ", " names)
      set(why "there is no ${names} beside ${file}")
    else()
      list(GET library 0 library)
      set(${what}_INCLUDE ${folder}/include PARENT_SCOPE)
      set(${what}_LIBRARY ${library} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(NOT why)
    set(why "there is no ${header}")
  endif()
  set(missing ${missing} "${why}" PARENT_SCOPE)
endfunction()

set(PccCuda_FOUND FALSE)
set(PccCuda_MISSING)
if(PCC_CUDA)
  set(_candidates ${PCC_CUDA})
else()
  find_program(PCC_NVCC nvcc)
  mark_as_advanced(PCC_NVCC)
  set(_candidates $ENV{CUDA_HOME})
  if(PCC_NVCC)
    get_filename_component(_nvcc ${PCC_NVCC} REALPATH)
    get_filename_component(_nvcc ${_nvcc}/../.. ABSOLUTE)
    list(APPEND _candidates ${_nvcc})
  endif()
  list(APPEND _candidates /usr/local/cuda ${_root}/.cuda/nvidia/cu13)
endif()
foreach(_candidate ${_candidates})
  set(missing)
  foreach(_tool bin/ptxas nvvm/libdevice/libdevice.10.bc)
    if(NOT EXISTS ${_candidate}/${_tool})
      list(APPEND missing "there is no ${_tool}")
    endif()
  endforeach()
  pcc_find_cuda_part(CUDART ${_candidate} cuda_runtime_api.h CUDART_VERSION
    13000 libcudart_static.a)
  pcc_find_cuda_part(CUBLASLT ${_candidate} cublas_api.h CUBLAS_VER_MAJOR
    13 "libcublasLt.so;libcublasLt.so.13")
  pcc_find_cuda_part(CUDNN ${_candidate} cudnn_version.h CUDNN_MAJOR
    9 "libcudnn.so;libcudnn.so.9")
  # 2.26 is the first that orders operations of several communicators.
  pcc_find_cuda_part(NCCL ${_candidate} nccl.h NCCL_VERSION_CODE
    22600 "libnccl.so;libnccl.so.2")
  if(NOT missing)
    set(PccCuda_FOUND TRUE)
    set(PccCuda_ROOT ${_candidate})
    break()
  endif()
  list(JOIN missing ", " _why)
  list(APPEND PccCuda_MISSING "${_candidate}: ${_why}")
endforeach()

if(CMAKE_SCRIPT_MODE_FILE)
  if(NOT PccCuda_FOUND)
    list(JOIN PccCuda_MISSING "\n  " _why)
    message(FATAL_ERROR "no CUDA 13 with cuBLASLt, cuDNN and NCCL\n  ${_why}")
  endif()
  message("CUDA in ${PccCuda_ROOT}, cuDNN and NCCL: ${CUDNN_LIBRARY} ${NCCL_LIBRARY}")
elseif(PccCuda_FOUND)
  foreach(_part cudart cublasLt cudnn nccl)
    string(TOUPPER ${_part} _upper)
    add_library(pcc::${_part} UNKNOWN IMPORTED)
    set_target_properties(pcc::${_part} PROPERTIES
      IMPORTED_LOCATION ${${_upper}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES "${${_upper}_INCLUDE};${CUDART_INCLUDE}")
  endforeach()
  # Libraries that the static CUDA runtime needs.
  set_property(TARGET pcc::cudart PROPERTY INTERFACE_LINK_LIBRARIES dl rt pthread)
endif()
