/* A choreography ready for analysis (chor_input.h). */
#include "tests/support/chor_input.h"

#include "tests/support/hd_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MAX = 1 << 22 };

void chor_input_open(chor_input *input, const char *text) {
  *input = (chor_input){0};
  hd_diag *diag = hd_diag_new();
  cr_assert_eq(hd_text_from_bytes("test.chor", text, strlen(text), &input->text), HD_OK);
  hd_status status = hd_chor_read(input->text, diag, &input->file);
  cr_assert_eq(status, HD_OK, "reading gives %s: %s", hd_status_words(status),
               hd_diag_count(diag) > 0 ? hd_diag_get(diag, 0)->message : "");
  hd_diag_free(diag);
  cr_assert_eq(hd_project(input->file, &(hd_subset_limits){.states_max = STATES_MAX}, &input->system), HD_OK);
  input->arena = hd_arena_new();
  cr_assert_not_null(input->arena);
  input->dfas = hd_arena_alloc_array(input->arena, input->file->block_count, sizeof input->dfas[0]);
  cr_assert_not_null(input->dfas);
  for (uint32_t b = 0; b < input->file->block_count; b++) {
    cr_assert_eq(hd_chor_determinise(&input->file->blocks[b], input->arena,
                                     &(hd_subset_limits){.states_max = STATES_MAX}, &input->dfas[b]),
                 HD_OK);
  }
}

char *chor_input_load(const char *path) {
  char full[512];
  snprintf(full, sizeof full, "%s/%s", HD_SOURCE_DIR, path);
  hd_text *text = NULL;
  if (hd_text_read(full, &text) != HD_OK) {
    return NULL;
  }
  char *copy = calloc(text->size_bytes + 1, 1);
  if (copy != NULL) {
    memcpy(copy, text->data, text->size_bytes);
  }
  hd_text_free(text);
  return copy;
}

void chor_input_open_case(chor_input *input, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "tests/cases/choreography/%s.chor", name);
  char *text = chor_input_load(path);
  cr_assert_not_null(text, "%s cannot be read", path);
  chor_input_open(input, text);
  free(text);
}

void chor_input_close(chor_input *input) {
  hd_system_free(input->system);
  hd_chor_file_free(input->file);
  hd_arena_free(input->arena);
  hd_text_free(input->text);
}

hd_realizability_query chor_input_query(const chor_input *input, uint32_t bound, hd_semantics semantics,
                                        uint32_t threads) {
  return (hd_realizability_query){.file = input->file,
                                  .system = input->system,
                                  .dfas = input->dfas,
                                  .bound = bound,
                                  .semantics = semantics,
                                  .threads = threads};
}

hd_realizability chor_input_decide(const chor_input *input, uint32_t bound, hd_semantics semantics, uint32_t threads) {
  hd_realizability_query query = chor_input_query(input, bound, semantics, threads);
  hd_realizability answer;
  hd_status status = hd_realizability_decide(&query, input->arena, &answer);
  cr_assert_eq(status, HD_OK, "deciding gives %s", hd_status_words(status));
  cr_assert(answer.complete);
  return answer;
}

bool chor_input_diamond(const chor_input *input, hd_semantics semantics) {
  bool holds = false;
  cr_assert_eq(hd_diamond_holds(input->file, input->system, input->dfas, semantics, &holds), HD_OK);
  return holds;
}

hd_certificate chor_input_certify(const chor_input *input, uint32_t bound, hd_semantics semantics,
                                  const hd_realizability *answer) {
  hd_realizability_query query = chor_input_query(input, bound, semantics, 1);
  hd_certificate certificate;
  cr_assert_eq(hd_certify(&query, answer, chor_input_diamond(input, semantics), &certificate), HD_OK);
  return certificate;
}

hd_peer chor_input_peer(const chor_input *input, const char *name) {
  for (uint32_t p = 0; p < input->file->alphabet.peer_count; p++) {
    if (strcmp(input->file->alphabet.peers[p], name) == 0) {
      return (hd_peer){p};
    }
  }
  cr_assert_fail("no peer %s", name);
  return (hd_peer){HD_NONE};
}

hd_message chor_input_message(const chor_input *input, const char *name) {
  for (uint32_t m = 0; m < input->file->alphabet.message_count; m++) {
    if (strcmp(input->file->alphabet.messages[m].name, name) == 0) {
      return (hd_message){m};
    }
  }
  cr_assert_fail("no message %s", name);
  return (hd_message){HD_NONE};
}

uint32_t chor_input_run(const chor_input *input, uint32_t block, const hd_message *word, size_t length) {
  uint32_t state = 0;
  for (size_t i = 0; i < length && state != HD_NONE; i++) {
    state = hd_dfa_next(&input->dfas[block], state, word[i]);
  }
  return state;
}

char *chor_input_word(const chor_input *input, const hd_witness *witness) {
  hd_buffer text = {0};
  hd_buffer_add_text(&text, "");
  for (size_t i = 0; i < witness->move_count; i++) {
    if (witness->moves[i].kind != HD_MOVE_READ) {
      hd_buffer_printf(&text, "%s%s", text.size_bytes == 0 ? "" : " ",
                       input->file->alphabet.messages[witness->moves[i].message.v].name);
    }
  }
  return hd_buffer_take(&text);
}
