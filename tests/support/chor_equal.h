/* Test support: are two read files the same, and does one keep what choreography.h promises of it? Spans are not
 * compared: printing moves them. Shared by unit tests and fuzz targets, so no test framework here. */
#ifndef HEDDLE_TESTS_SUPPORT_CHOR_EQUAL_H
#define HEDDLE_TESTS_SUPPORT_CHOR_EQUAL_H

#include "frontends/choreography/choreography.h"

/* NULL when equal, otherwise what differs first; static storage. */
const char *chor_difference(const hd_chor_file *a, const hd_chor_file *b);
const char *system_difference(const hd_system *a, const hd_system *b);
/* The same for files that may number peers, states and messages differently: by names, blocks and the arcs of a state
 * in their order. Peers without messages do not count. Quadratic, for small files. */
const char *chor_renumbered_difference(const hd_chor_file *a, const hd_chor_file *b);
/* NULL when every promise of the header holds, otherwise the broken one; static storage. `text_size` bounds spans. */
const char *chor_fault(const hd_chor_file *file, size_t text_size);
const char *system_fault(const hd_system *system, size_t text_size);

/* One reading of any bytes, with all that must be true of it: HD_OK and a file without fault that prints and reads
 * back the same, or HD_E_INPUT and an error. NULL when so, otherwise what went wrong. */
const char *chor_reading_fault(const char *data, size_t size_bytes);
const char *fsa_reading_fault(const char *data, size_t size_bytes);

#endif
