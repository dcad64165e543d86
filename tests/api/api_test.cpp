// The same checks as a C++17 program.
#include "tests/api/api_test.c"
