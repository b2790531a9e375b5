# `cpack` in the build folder writes a .deb: the components pcc and debian of
# PccInstall.cmake, with dependencies on the packages of the machine that it was
# built on.

set(CPACK_GENERATOR DEB)
# Debian's 'pcc' is another compiler, and has the same commands.
set(CPACK_PACKAGE_NAME pcc-train)
set(CPACK_DEBIAN_PACKAGE_CONFLICTS pcc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the pcc authors <noreply@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "compiler of training programs for transformers")
set(CPACK_PACKAGE_DESCRIPTION
  "pcc reads a transformer in ONNX and writes a native program that trains it on
 many GPUs or CPUs.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL pcc debian)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The libraries of the tools are computed from their files, those of programs are
# in the list of the libraries that programs are linked with.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
file(STRINGS ${PCC_LIBRARY_DIR}/packages.txt _lines REGEX "\\.so")
list(TRANSFORM _lines REPLACE "^.* " "")
list(REMOVE_DUPLICATES _lines)
list(REMOVE_ITEM _lines libc6)
list(JOIN _lines ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS openmpi-bin)
include(CPack)
