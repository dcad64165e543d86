# What `cmake --install` puts where, the CMake package heddle::heddle, the pkg-config file, and the Debian package.
include(CMakePackageConfigHelpers)

# The library is static, so whoever links it needs its dependencies: they are in the exported target and in heddle.pc.
install(TARGETS heddle EXPORT heddle-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(EXISTS ${PROJECT_SOURCE_DIR}/include/heddle)
  install(DIRECTORY include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endif()
if(TARGET heddle_command)
  install(TARGETS heddle_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The grammar is compiled into the library; its licence (MIT) goes with it.
cmake_path(GET HEDDLE_GO_GRAMMAR PARENT_PATH grammar)
install(FILES ${grammar}/../LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.tree-sitter-go)

set(HEDDLE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(EXPORT heddle-targets NAMESPACE heddle:: DESTINATION ${HEDDLE_CMAKE_DIR})
configure_package_config_file(cmake/heddle-config.cmake.in ${PROJECT_BINARY_DIR}/heddle-config.cmake
  INSTALL_DESTINATION ${HEDDLE_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddle-config.cmake ${PROJECT_BINARY_DIR}/heddle-config-version.cmake
  DESTINATION ${HEDDLE_CMAKE_DIR})

if(HEDDLE_TEAM STREQUAL "openmp")
  string(REPLACE ";" " " HEDDLE_PC_TEAM "${OpenMP_C_FLAGS}")
else()
  set(HEDDLE_PC_TEAM "-pthread")
endif()
# Relative to the .pc file, so that `cmake --install --prefix` and a moved tree stay right.
file(RELATIVE_PATH HEDDLE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/heddle.pc.in ${PROJECT_BINARY_DIR}/heddle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the heddle developers <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION
"heddle explores every state that a choreography can reach on all cores and
 says whether the peers can follow it on their own, with a shortest run that
 shows why when they cannot.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# dpkg-shlibdeps (package dpkg-dev) knows the exact versions; without it the libraries are named.
find_program(HEDDLE_SHLIBDEPS dpkg-shlibdeps)
if(HEDDLE_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libgomp1, libjansson4, libjemalloc2, libstdc++6, libtree-sitter0, libxxhash0")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS graphviz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
