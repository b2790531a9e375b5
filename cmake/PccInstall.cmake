# What `cmake --install` and CPack install, in components:
#
#     pcc      the tools and the files that they link programs from
#     shared   copies of the shared libraries that the tools and programs need, for
#              machines that lack them; the .deb has dependencies instead
#     debian   in the .deb alone: the module pcc for Debian's Python
#
# The layout below the prefix; it may be moved as a whole:
#
#     bin/               pcc and the other tools
#     lib/pcc/           the files of PccLink.cmake
#     lib/pcc/python/    the modules pcc, pcc_export and pcc_data
#     lib/pcc/shared/    libraries of programs, which a user may copy to other hosts
#     lib/pcc/tools/     further libraries of pcc
#     share/doc/pcc-train/    licences, in the folder of the .deb

find_program(PCC_PATCHELF patchelf REQUIRED)
# The shared libraries that programs are linked with, and their packages, which
# pcc names. MPI's is opened at run time, under a launcher alone.
get_property(_libraries GLOBAL PROPERTY PCC_PROGRAM_LIBRARIES)
execute_process(COMMAND ${PCC_PYTHON}
  ${PROJECT_SOURCE_DIR}/cmake/debian_packages.py list ${_libraries}
  OUTPUT_FILE ${PCC_LIBRARY_DIR}/packages.txt COMMAND_ERROR_IS_FATAL ANY)

set(_licences share/doc/pcc-train/licences)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME pcc)
install(TARGETS pcc-installed RUNTIME DESTINATION bin)
foreach(_tool pcc-opt pcc-run)
  install(PROGRAMS $<TARGET_FILE:pcc-launcher> DESTINATION bin RENAME ${_tool})
endforeach()
install(PROGRAMS tools/pcc-export tools/pcc-data DESTINATION bin)
install(DIRECTORY tools/pcc_export tools/pcc_data tools/pcc_python/pcc
  DESTINATION lib/pcc/python FILES_MATCHING PATTERN *.py PATTERN py.typed)
# Only in the .deb: a folder in which Debian's Python searches modules.
install(DIRECTORY tools/pcc_python/pcc DESTINATION lib/python3/dist-packages
  COMPONENT debian EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN *.py PATTERN py.typed)
foreach(_target ${PCC_TARGETS})
  install(FILES $<TARGET_FILE:pcc_runtime_${_target}>
    ${PCC_LIBRARY_DIR}/pcc-link-${_target}.txt DESTINATION lib/pcc)
endforeach()
install(FILES ${PCC_LIBRARY_DIR}/packages.txt DESTINATION lib/pcc)
install(DIRECTORY ${PCC_LIBRARY_DIR}/link DESTINATION lib/pcc)
install(FILES LICENSE DESTINATION share/doc/pcc-train RENAME copyright)

# The licences of files that are parts of installed ones.
set(_parts ${PCC_STARTUP_FILES} ${PCC_LLD_ELF}
  ${LLVM_LIBRARY_DIR}/libLLVMCore.a ${LLVM_LIBRARY_DIR}/libMLIRIR.a
  ${PCC_XXHASH_INCLUDE}/xxhash.h ${PCC_JSON_INCLUDE}/nlohmann/json.hpp)
install(CODE "set(parts ${_parts})
set(licences ${PCC_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/debian_packages.py licences
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${_licences}\")")
install(CODE [[
  execute_process(COMMAND ${licences} ${parts} COMMAND_ERROR_IS_FATAL ANY)
]])

install(CODE "set(libraries ${_libraries})
set(tool $<TARGET_FILE:pcc-installed>)
set(patchelf ${PCC_PATCHELF})
set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/pcc\")
set(licences ${PCC_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/debian_packages.py licences
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${_licences}\")"
  COMPONENT shared)
install(CODE [[
  cmake_policy(VERSION 3.25)
  # Copies libraries; they look for each other in their folder.
  function(copy_libraries destination)
    foreach(library ${ARGN})
      get_filename_component(name ${library} NAME)
      file(REAL_PATH ${library} real)
      file(MAKE_DIRECTORY ${folder}/${destination})
      file(COPY_FILE ${real} ${folder}/${destination}/${name})
      execute_process(COMMAND ${patchelf} --set-rpath $ORIGIN
        ${folder}/${destination}/${name} COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS "Installing: ${folder}/${destination}/${name}")
    endforeach()
  endfunction()

  # The C library is everywhere.
  set(everywhere "^ld-linux|^lib(c|m|dl|rt|pthread)\\.so")
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${libraries}
    RESOLVED_DEPENDENCIES_VAR found PRE_EXCLUDE_REGEXES ${everywhere})
  foreach(library ${libraries})
    get_filename_component(name ${library} NAME)
    if(NOT name MATCHES ${everywhere})
      list(APPEND found ${library})
    endif()
  endforeach()
  foreach(library ${found})
    get_filename_component(name ${library} NAME)
    list(APPEND names ${name})
    set(path_of_${name} ${library})
  endforeach()
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  set(programs)
  foreach(name ${names})
    list(APPEND programs ${path_of_${name}})
  endforeach()
  copy_libraries(shared ${programs})
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${tool}
    RESOLVED_DEPENDENCIES_VAR tools PRE_EXCLUDE_REGEXES ${everywhere})
  foreach(library ${tools})
    get_filename_component(name ${library} NAME)
    if(NOT name IN_LIST names)
      copy_libraries(tools ${library})
      list(APPEND programs ${library})
    endif()
  endforeach()
  execute_process(COMMAND ${licences} ${programs} COMMAND_ERROR_IS_FATAL ANY)
]] COMPONENT shared)
