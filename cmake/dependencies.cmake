# Everything heddle links, from the system's packages. No network at configure time.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
foreach(pair "xxhash;libxxhash" "jansson;jansson" "jemalloc;jemalloc" "treesitter;tree-sitter")
  list(GET pair 0 name)
  list(GET pair 1 module)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
endforeach()
add_library(xxHash::xxhash ALIAS PkgConfig::xxhash)
add_library(jansson::jansson ALIAS PkgConfig::jansson)
add_library(jemalloc::jemalloc ALIAS PkgConfig::jemalloc)

# CaDiCaL (MIT) has no pkg-config file; it is a C++ library with a C interface, so the C++ runtime comes with it.
find_library(HEDDLE_CADICAL_LIBRARY cadical)
find_path(HEDDLE_CADICAL_INCLUDE ccadical.h)
if(NOT HEDDLE_CADICAL_LIBRARY OR NOT HEDDLE_CADICAL_INCLUDE)
  message(FATAL_ERROR "libcadical is missing: install libcadical-dev (scripts/setup.sh does)")
endif()

# The Go grammar: C that its authors generated, compiled as it comes. scripts/setup.sh fetches it.
set(HEDDLE_GO_GRAMMAR ${PROJECT_SOURCE_DIR}/frontends/minigo/grammar/node_modules/tree-sitter-go/src/parser.c
  CACHE FILEPATH "src/parser.c of tree-sitter-go 0.23.4, in its folder")
if(NOT EXISTS ${HEDDLE_GO_GRAMMAR})
  message(FATAL_ERROR "the Go grammar is missing (${HEDDLE_GO_GRAMMAR}): run scripts/setup.sh, which fetches it")
endif()

if(HEDDLE_TEAM STREQUAL "openmp")
  find_package(OpenMP REQUIRED COMPONENTS C)
  set(HEDDLE_TEAM_LIBRARY OpenMP::OpenMP_C)
else()
  set(HEDDLE_TEAM_LIBRARY Threads::Threads)
endif()

# The tests' helpers are Python 3; the system's interpreter first, for it has the packages that scripts/setup.sh installs.
if(BUILD_TESTING)
  find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
endif()
