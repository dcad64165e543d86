/* Edits of programs as text: what stays, what moves, and that the text read again is the program that was meant. */
#include "frontends/cwhile/edit.h"
#include "tests/support/cw_reference.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

typedef struct source {
  hd_text *text;
  hd_cw_program *program;
} source;

static source read_source(const char *words) {
  source s = {NULL, NULL};
  hd_diag *diag = hd_diag_new();
  cr_assert(diag != NULL && hd_text_from_bytes("edit.cw", words, strlen(words), &s.text) == HD_OK);
  cr_assert(hd_cw_read(s.text, diag, &s.program) == HD_OK, "%s", words);
  hd_diag_free(diag);
  return s;
}

static void free_source(source *s) {
  hd_cw_program_free(s->program);
  hd_text_free(s->text);
}

static void expect_edit(const char *before, uint32_t body, const hdi_cw_list_edit *list, const char *after) {
  source s = read_source(before);
  hdi_cw_list_edit own = *list;
  own.head = s.program->bodies[body].first;
  own.count = hdi_cw_list_length(own.head);
  hdi_cw_edit edit = {&own, 1};
  hdi_cw_edited edited;
  cr_assert(hdi_cw_edit_apply(s.program, &edit, &edited) == HD_OK);
  cr_assert(strcmp(edited.text->data, after) == 0, "got\n%s\nexpected\n%s", edited.text->data, after);
  hdi_cw_edited_clear(&edited);
  free_source(&s);
}

static const uint32_t swap[] = {1, 0, 2};

Test(edit, lines_move_with_their_comments) {
  hdi_cw_list_edit list = {.order = swap};
  expect_edit(
      "int x = 0, y = 0; # shared\nthread t {\n  # set both\n  x = 1; // first\n\n  y = 2;   /* second */\n  "
      "skip;\n}\n",
      0, &list,
      "int x = 0, y = 0; # shared\nthread t {\n  # set both\n  y = 2;   /* second */\n\n  x = 1; // first\n  "
      "skip;\n}\n");
}

Test(edit, statements_of_one_line_move_as_bytes) {
  hdi_cw_list_edit list = {.order = swap};
  expect_edit("int x = 0; thread t { x = 1;  L: x = 2; skip; }", 0, &list,
              "int x = 0; thread t { L: x = 2;  x = 1; skip; }");
}

Test(edit, blocks_are_indented) {
  const hdi_cw_wrap wraps[] = {{HDI_CW_WRAP_ATOMIC, 0, 1}};
  hdi_cw_list_edit list = {.order = swap, .wraps = wraps, .wrap_count = 1};
  expect_edit(
      "int x = 0;\nthread t {\n  x = 1;\n  if (x == 1) {\n    skip;\n  }\n  skip;\n}\n", 0, &list,
      "int x = 0;\nthread t {\n  atomic {\n    if (x == 1) {\n      skip;\n    }\n    x = 1;\n  }\n  skip;\n}\n");
  const hdi_cw_wrap weak[] = {{HDI_CW_WRAP_WATOMIC, 0, 0}, {HDI_CW_WRAP_WATOMIC, 1, 2}};
  hdi_cw_list_edit two = {.wraps = weak, .wrap_count = 2};
  expect_edit("int x = 0; thread t { x = 1; x = 2; skip; }", 0, &two,
              "int x = 0; thread t { watomic { x = 1; } watomic { x = 2; skip; } }");
}

Test(edit, a_lock_is_declared_once) {
  const hdi_cw_wrap wraps[] = {{HDI_CW_WRAP_LOCK, 0, 0}, {HDI_CW_WRAP_LOCK, 1, 1}};
  hdi_cw_list_edit list = {.wraps = wraps, .wrap_count = 2};
  expect_edit("int x = 0;\r\nthread t {\r\n  x = 1;\r\n  x = 2;\r\n}\r\n", 0, &list,
              "int x = 0;\r\nlock region_lock;\r\nthread t {\r\n  lock(region_lock);\r\n    x = 1;\r\n  "
              "unlock(region_lock);\r\n  lock(region_lock);\r\n    x = 2;\r\n  unlock(region_lock);\r\n}\r\n");
  const hdi_cw_wrap one[] = {{HDI_CW_WRAP_LOCK, 0, 0}};
  hdi_cw_list_edit alone = {.wraps = one, .wrap_count = 1};
  expect_edit("int region_lock = 0; thread t { skip; }", 0, &alone,
              "int region_lock = 0; lock region_lock2; thread t { lock(region_lock2); skip; unlock(region_lock2); }");
}

Test(edit, braces_come_with_a_lock_where_there_were_none) {
  source s = read_source("int x = 0; thread t { if (*) x = 1; else x = 2; }");
  const hd_cw_stmt *choice = s.program->bodies[0].first;
  const hdi_cw_wrap wraps[] = {{HDI_CW_WRAP_LOCK, 0, 0}};
  const hdi_cw_list_edit lists[] = {{.head = choice->body, .count = 1, .wraps = wraps, .wrap_count = 1},
                                    {.head = choice->other, .count = 1, .wraps = wraps, .wrap_count = 1}};
  hdi_cw_edit edit = {lists, 2};
  hdi_cw_edited edited;
  cr_assert(hdi_cw_edit_apply(s.program, &edit, &edited) == HD_OK);
  cr_assert(strcmp(edited.text->data,
                   "int x = 0; lock region_lock; thread t { if (*) { lock(region_lock); x = 1; "
                   "unlock(region_lock); } else { lock(region_lock); x = 2; unlock(region_lock); } }") == 0,
            "%s", edited.text->data);
  hdi_cw_edited_clear(&edited);
  free_source(&s);
}

/* ---- random edits of random programs ---- */

typedef struct lists {
  hdi_cw_list_edit edits[64];
  uint32_t orders[64][16];
  hdi_cw_wrap wraps[64][2];
  uint32_t count;
  uint64_t seed;
} lists;

static uint32_t draw(lists *all, uint32_t below) {
  all->seed = all->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(all->seed >> 33) % below;
}

/* A random edit of this list and of those inside its statements. One watomic does not stand in another. */
static void edit_list(lists *all, const hd_cw_stmt *head, bool weak) {
  uint32_t count = hdi_cw_list_length(head);
  if (count == 0) {
    return;
  }
  if (count <= 16 && all->count < 64 && draw(all, 3) > 0) {
    hdi_cw_list_edit *edit = &all->edits[all->count];
    uint32_t *order = all->orders[all->count];
    hdi_cw_wrap *wraps = all->wraps[all->count++];
    for (uint32_t i = 0; i < count; i++) {
      uint32_t at = draw(all, i + 1);
      order[i] = order[at];
      order[at] = i;
    }
    *edit = (hdi_cw_list_edit){.head = head, .count = count, .order = draw(all, 3) > 0 ? order : NULL, .wraps = wraps};
    uint32_t from = 0;
    while (edit->wrap_count < 2 && from < count) {
      uint32_t first = from + draw(all, count - from), last = first + draw(all, count - first);
      wraps[edit->wrap_count++] = (hdi_cw_wrap){(hdi_cw_wrap_kind)draw(all, weak ? 1 : HDI_CW_WRAP_COUNT), first, last};
      from = last + 1;
    }
    for (uint32_t w = 0; w < edit->wrap_count; w++) {
      weak = weak || wraps[w].kind != HDI_CW_WRAP_ATOMIC;
    }
  }
  for (; head != NULL; head = head->next) {
    edit_list(all, head->body, weak);
    edit_list(all, head->other, weak);
  }
}

static void check_random(uint64_t seed, bool one_line) {
  char *words = random_cw(seed);
  for (char *c = words; one_line && *c != '\0'; c++) {
    *c = *c == '\n' ? ' ' : *c;
  }
  source s = read_source(words);
  static lists all;
  all = (lists){.seed = seed};
  for (uint32_t b = 0; b < s.program->body_count; b++) {
    edit_list(&all, s.program->bodies[b].first, false);
  }
  hdi_cw_edit edit = {all.edits, all.count};
  hdi_cw_edited edited;
  cr_assert(hdi_cw_edit_apply(s.program, &edit, &edited) == HD_OK, "seed %d:\n%s\nbecame\n%s", (int)seed, words,
            edited.text == NULL ? "nothing" : edited.text->data);
  uint32_t known = 0;
  for (uint32_t i = 0; i < edited.program->statement_count; i++) {
    known += edited.origin[i] != HD_NONE;
  }
  cr_assert(known == s.program->statement_count, "seed %d: a statement was lost", (int)seed);
  if (all.count == 0) {
    cr_assert(strcmp(edited.text->data, words) == 0);
  }
  hdi_cw_edited_clear(&edited);
  free_source(&s);
  free(words);
}

Test(edit, random_edits_are_read_as_meant) {
  for (uint64_t seed = 1; seed <= HD_TEST_COUNT(400); seed++) {
    check_random(seed, false);
    check_random(seed, true);
  }
}
