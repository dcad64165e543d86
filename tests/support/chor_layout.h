/* Random layouts and random edits of choreographies, for tests of drafts and their patches. */
#ifndef HEDDLE_TESTS_SUPPORT_CHOR_LAYOUT_H
#define HEDDLE_TESTS_SUPPORT_CHOR_LAYOUT_H

#include "frontends/choreography/draft.h"

/* The file as text again, laid out at random: states in any order, headers that need not be left out now and then, arcs
 * behind headers, blanks, tabs, empty lines, either kind of line end, a byte order mark, a last line that is not ended,
 * a `peers` line or none, rules, repeated arcs, and comments `<0>`, `<1>`, ... everywhere. What was read from it is the
 * file up to numbers and rules. Free with free(); NULL when memory is out. */
char *chor_lay_out(const hd_chor_file *file, uint64_t seed);
/* How many comments chor_lay_out put into the text. */
uint32_t chor_layout_comments(const char *text);

/* Applies up to `edits` random edits of every kind to the draft; leaves it at least one arc that a run reaches. Fails
 * the test when memory is out. */
void chor_random_edits(hdi_draft *draft, uint64_t seed, uint32_t edits);

#endif
