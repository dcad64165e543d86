# Compiler settings every target shares, and the build's own switches.
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(HEDDLE_TEAM openmp CACHE STRING "thread team: openmp or pthread")
set_property(CACHE HEDDLE_TEAM PROPERTY STRINGS openmp pthread)
set(HEDDLE_SANITIZE "" CACHE STRING "sanitizers for everything, e.g. address,undefined or thread")
option(HEDDLE_WERROR "treat warnings as errors" OFF)
option(HEDDLE_FUZZ "build the libFuzzer targets (clang)" OFF)

add_compile_definitions(_POSIX_C_SOURCE=200809L)

add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wformat=2 -Wundef -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
endif()
