# Prepares what pcc links programs from, in ${PCC_LIBRARY_DIR}, which has the
# same contents in the build tree and after installation:
#
#     libpcc_runtime_<target>.a   the runtime library of a target
#     pcc-link-<target>.txt       the arguments of lld, one a line: {lib} stands
#                                 for the folder, {object} for the program's object
#     link/                       the C library's and the compiler's startup
#                                 files, and stubs of shared libraries
#
# Stubs (stub_library.py) make programs independent of the machine that pcc runs
# on: they need the versions of the machine that pcc was built on.

# pcc_find_link_file(<variable> <name>): the path of a file that the compiler
# would link.
function(pcc_find_link_file variable name)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  if(NOT IS_ABSOLUTE "${path}")
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} finds no ${name}")
  endif()
  set(${variable} ${path} PARENT_SCOPE)
endfunction()

# pcc_add_stubs(<variable> <library>...): writes stubs of shared libraries;
# returns their names in the order of the libraries. The global property
# PCC_PROGRAM_LIBRARIES has the paths of all such libraries, by these names.
function(pcc_add_stubs variable)
  execute_process(COMMAND ${PCC_PYTHON}
    ${PROJECT_SOURCE_DIR}/cmake/stub_library.py ${PCC_LIBRARY_DIR}/link ${ARGN}
    OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  set(${variable} ${names} PARENT_SCOPE)
  foreach(library name IN ZIP_LISTS ARGN names)
    get_filename_component(folder ${library} DIRECTORY)
    get_property(known GLOBAL PROPERTY PCC_PROGRAM_LIBRARIES)
    if(NOT ${folder}/${name} IN_LIST known)
      set_property(GLOBAL APPEND PROPERTY PCC_PROGRAM_LIBRARIES
        ${folder}/${name})
    endif()
  endforeach()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${ARGN}
    ${PROJECT_SOURCE_DIR}/cmake/stub_library.py)
endfunction()

# The dynamic loader that the compiler writes into programs.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -\#\#\# -x c /dev/null
  ERROR_VARIABLE _command OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "-dynamic-linker\"? \"?([^\" ]+)" _match "${_command}")
set(PCC_LOADER ${CMAKE_MATCH_1})
if(NOT PCC_LOADER)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} links programs without a loader")
endif()

foreach(_name Scrt1.o crti.o crtn.o crtbeginS.o crtendS.o libgcc.a
    libc_nonshared.a)
  pcc_find_link_file(_path ${_name})
  list(APPEND PCC_STARTUP_FILES ${_path})
endforeach()
file(COPY ${PCC_STARTUP_FILES} DESTINATION ${PCC_LIBRARY_DIR}/link)
# Every program may need these, the C library last.
foreach(_name libgomp.so.1 libstdc++.so.6 libgcc_s.so.1 libm.so.6 libc.so.6)
  pcc_find_link_file(_path ${_name})
  list(APPEND PCC_COMMON_LIBRARIES ${_path})
endforeach()
pcc_add_stubs(PCC_COMMON_STUBS ${PCC_COMMON_LIBRARIES} ${PCC_LOADER})

# pcc_add_link_file(<target> [LIBRARIES <shared library>...]
#                   [FOLDERS <folder that the loader searches>...])
# A program looks for its libraries in the folder `shared` of an installation
# that has them, then in `lib` next to itself.
function(pcc_add_link_file target)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;FOLDERS" ${ARGN})
  set(stubs)
  if(ARG_LIBRARIES)
    pcc_add_stubs(stubs ${ARG_LIBRARIES})
  endif()
  list(TRANSFORM stubs PREPEND "{lib}/link/")
  list(TRANSFORM ARG_FOLDERS PREPEND "--rpath=")
  list(TRANSFORM PCC_COMMON_STUBS PREPEND "{lib}/link/")
  # libgcc has functions of the processor's that libgcc_s lacks.
  set(lines --hash-style=gnu --build-id --eh-frame-hdr -pie
    --dynamic-linker=${PCC_LOADER} "--rpath={lib}/shared" "--rpath=$ORIGIN/lib"
    ${ARG_FOLDERS} {lib}/link/Scrt1.o {lib}/link/crti.o {lib}/link/crtbeginS.o
    {object} {lib}/libpcc_runtime_${target}.a --as-needed ${stubs}
    ${PCC_COMMON_STUBS} {lib}/link/libgcc.a {lib}/link/libc_nonshared.a
    {lib}/link/crtendS.o {lib}/link/crtn.o)
  list(JOIN lines "\n" text)
  file(WRITE ${PCC_LIBRARY_DIR}/pcc-link-${target}.txt "${text}\n")
endfunction()
