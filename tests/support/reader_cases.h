/* Test support: the golden error cases of the .chor and .fsa readers, and mistreated files.
 *
 * tests/cases/choreography/errors/NAME.chor (or .fsa) has beside it NAME.expected: the diagnostics exactly as
 * hd_diag_print gives them without excerpts. A case whose first line holds `limit N` is read with that limit on states,
 * arcs and the like. */
#ifndef HEDDLE_TESTS_SUPPORT_READER_CASES_H
#define HEDDLE_TESTS_SUPPORT_READER_CASES_H

#include "frontends/choreography/lexer.h"

/* Reads every error case of the dialect, compares, and demands that every row of messages.def that the dialect can
 * raise is raised by some case. Fails the running test otherwise. */
void reader_cases_run(hdi_dialect dialect);

/* Calls `visit` with the bytes of every good case of the dialect: tests/cases/choreography/NAME.chor, or the fuzzer's
 * corpus for .fsa. Fails the test when there is none. */
void reader_cases_good(hdi_dialect dialect, void (*visit)(const char *name, const char *data, size_t size_bytes));

/* Reads `data` cut at every byte and with every byte changed in several ways; fails the test when a reading has a
 * fault (see chor_equal.h). */
void reader_cases_mistreat(hdi_dialect dialect, const char *name, const char *data, size_t size_bytes);

#endif
