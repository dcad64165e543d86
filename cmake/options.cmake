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
set(HEDDLE_CHECK 1 CACHE STRING "run-time checks: 1 assertions in debug builds, 2 whole-structure invariants too")
set_property(CACHE HEDDLE_CHECK PROPERTY STRINGS 1 2)
set(HEDDLE_SANITIZE "" CACHE STRING "sanitizers for everything, e.g. address,undefined or thread")
option(HEDDLE_WERROR "treat warnings as errors" OFF)
option(HEDDLE_FUZZ "build the libFuzzer targets (clang)" OFF)
option(HEDDLE_PLAIN_MEMORY "no atomics: for one thread, to measure what they cost (bench/plain_atomic.h)" OFF)
option(HEDDLE_COVERAGE "count executed lines for gcov" OFF)

if(NOT HEDDLE_TEAM MATCHES "^(openmp|pthread)$")
  message(FATAL_ERROR "HEDDLE_TEAM is '${HEDDLE_TEAM}'; choose openmp or pthread")
endif()
if(NOT HEDDLE_CHECK MATCHES "^[12]$")
  message(FATAL_ERROR "HEDDLE_CHECK is '${HEDDLE_CHECK}'; choose 1 or 2")
endif()
if(HEDDLE_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HEDDLE_FUZZ needs clang: libFuzzer comes with it")
endif()

add_compile_definitions(_POSIX_C_SOURCE=200809L HEDDLE_CHECK=${HEDDLE_CHECK})

if(HEDDLE_PLAIN_MEMORY)
  add_compile_definitions(HD_ATOMIC_SHIM="bench/plain_atomic.h")
endif()

add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wformat=2 -Wundef -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
if(HEDDLE_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # Instrumented code hides values from gcc's flow analysis, whose warnings then are about nothing.
  target_compile_options(heddle_warnings INTERFACE
    -Wno-format-truncation -Wno-format-overflow -Wno-maybe-uninitialized -Wno-stringop-overflow)
endif()

# Instrumentation is for every target alike: a race between an instrumented and a plain object is not seen.
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
  if(HEDDLE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# Some hundred test programs are linked with the library; gold takes half the time that ld does.
include(CheckLinkerFlag)
if(BUILD_TESTING AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  check_linker_flag(C -fuse-ld=gold HEDDLE_HAVE_GOLD)
  if(HEDDLE_HAVE_GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()
