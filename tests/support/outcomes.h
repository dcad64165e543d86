/* Comparing what searches say. */
#ifndef HEDDLE_TESTS_SUPPORT_OUTCOMES_H
#define HEDDLE_TESTS_SUPPORT_OUTCOMES_H

#include "core/explore/explore.h"

/* The numbers of threads that results must not depend on. */
extern const uint32_t hd_thread_counts[4];

/* Runs the search with `threads`; the test fails unless it answers HD_OK. */
void hd_run_search(const hd_search *search, uint32_t threads, hd_outcome *outcome);
/* Fails the test unless the traces are the same, byte for byte; both may be NULL. */
void hd_check_same_trace(const hd_trace *a, const hd_trace *b);
/* Fails the test unless both say the same, traces byte for byte. */
void hd_check_same_outcome(const hd_outcome *a, const hd_outcome *b);
/* Runs with each of hd_thread_counts and compares; *outcome is the result for one thread. */
void hd_run_on_all_counts(const hd_search *search, hd_outcome *outcome);
/* Asks for a trace of every slot. */
void hd_want_all_traces(hd_search *search);

#endif
