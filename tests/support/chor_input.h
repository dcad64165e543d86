/* A choreography ready for analysis, for tests: text, file, projection and Det of every block. */
#ifndef HEDDLE_TESTS_SUPPORT_CHOR_INPUT_H
#define HEDDLE_TESTS_SUPPORT_CHOR_INPUT_H

#include "frontends/choreography/realizability.h"

typedef struct chor_input {
  hd_text *text;
  hd_chor_file *file;
  hd_system *system;
  hd_arena *arena; /* of dfas and of everything decided later */
  hd_dfa *dfas;    /* one per block */
} chor_input;

/* Reads, projects and determinises; fails the test when something is wrong. */
void chor_input_open(chor_input *input, const char *text);
/* The same for tests/cases/choreography/NAME.chor. */
void chor_input_open_case(chor_input *input, const char *name);
void chor_input_close(chor_input *input);

hd_realizability_query chor_input_query(const chor_input *input, uint32_t bound, hd_semantics semantics,
                                        uint32_t threads);
/* The per-peer check without limits; fails the test unless it completes. */
hd_realizability chor_input_decide(const chor_input *input, uint32_t bound, hd_semantics semantics, uint32_t threads);
/* The diamond, and the certificate for an answer. */
bool chor_input_diamond(const chor_input *input, hd_semantics semantics);
hd_certificate chor_input_certify(const chor_input *input, uint32_t bound, hd_semantics semantics,
                                  const hd_realizability *answer);

/* Indices by name; fail the test when there is none. The message is the first one of that name. */
hd_peer chor_input_peer(const chor_input *input, const char *name);
hd_message chor_input_message(const chor_input *input, const char *name);
/* The state of the block reached by a word of Det(C), HD_NONE when it is not in the language. */
uint32_t chor_input_run(const chor_input *input, uint32_t block, const hd_message *word, size_t length);
/* "ms mf mc": the sends of the witness, in order; free with free(). */
char *chor_input_word(const chor_input *input, const hd_witness *witness);

/* The text of a file below the source tree, NULL when it cannot be read; free with free(). */
char *chor_input_load(const char *path);

#endif
