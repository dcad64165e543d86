/* Twins of what the kernels use besides atomics: the team and the gate. Their names come from the real headers. */
#ifndef HEDDLE_TESTS_INTERLEAVE_TWINS_H
#define HEDDLE_TESTS_INTERLEAVE_TWINS_H

#include "core/base/gate.h"
#include "core/base/team.h"

#endif
