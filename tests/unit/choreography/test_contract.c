/* Channel contracts: read as choreographies, every mistake told at its place, and written back. */
#include "frontends/choreography/contract.h"
#include "tests/support/chor_equal.h"
#include "tests/support/hd_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hd_text *text;
static hd_diag *diag;
static hd_chor_file *file;

static hd_status read_text(const char *data, size_t size_bytes) {
  cr_assert_eq(hd_text_from_bytes("in.contract", data, size_bytes, &text), HD_OK);
  diag = hd_diag_new();
  return hd_contract_read(text, diag, &file);
}

static void close_all(void) {
  hd_chor_file_free(file);
  hd_text_free(text);
  hd_diag_free(diag);
  file = NULL;
}

/* The contract reads as this .chor text does. */
static void expect_chor(const char *contract, const char *chor) {
  cr_assert_eq(read_text(contract, strlen(contract)), HD_OK, "%s",
               hd_diag_count(diag) > 0 ? hd_diag_get(diag, 0)->message : "");
  hd_text *other_text = NULL;
  hd_chor_file *other = NULL;
  cr_assert_eq(hd_text_from_bytes("t", chor, strlen(chor), &other_text), HD_OK);
  cr_assert_eq(hd_chor_read(other_text, NULL, &other), HD_OK);
  const char *difference = chor_renumbered_difference(file, other);
  cr_assert(difference == NULL, "%s", difference);
  cr_assert(chor_fault(file, strlen(contract)) == NULL, "%s", chor_fault(file, strlen(contract)));
  hd_chor_file_free(other);
  hd_text_free(other_text);
  close_all();
}

Test(contract, reads_sequences_states_and_directions) {
  expect_chor(
      "contract N { in message a(int x, (int) y); out message b(); message c();\n"
      "  state S: a? -> b! -> T; // next\n"
      "  state T: one { c! -> S; a -> c? -> T; b; /* the end */ }\n"
      "}",
      "choreography N\npeers C, S\n"
      "state S:\n  C -> S : a => S.a\n"
      "state T:\n  S -> C : c => S\n  C -> S : a => T.a\n  S -> C : b => T.b\n"
      "state S.a:\n  S -> C : b => T\n"
      "state T.a:\n  C -> S : c => T\n");
}

Test(contract, starts_at_start) {
  expect_chor("[Attr(\"]\")] internal contract N { state A: x?; state Start: y! -> A; };",
              "choreography N\npeers C, S\nstate A:\n  C -> S : x => A.x\ninitial state Start:\n  S -> C : y => A\n");
}

Test(contract, several_contracts_have_peers_of_their_own) {
  expect_chor("contract A { state s: m? -> s; } contract B { state s: m! -> s; }",
              "choreography A\npeers C.A, S.A\nstate s:\n  C.A -> S.A : m => s\n"
              "choreography B\npeers C.B, S.B\nstate s:\n  S.B -> C.B : m => s\n");
}

Test(contract, sequences_that_begin_alike_stay_apart) {
  expect_chor("contract N { state s: { a? -> b!; a? -> c! -> s; } }",
              "choreography N\npeers C, S\nstate s:\n  C -> S : a => s.a\n  C -> S : a => s.a.1\n"
              "state s.a:\n  S -> C : b => s.a.b\nstate s.a.1:\n  S -> C : c => s\n");
}

static const struct {
  const char *contract;
  uint32_t line, column;
  const char *words; /* of the message or its hint */
} mistakes[] = {
    {"", 1, 1, "expected 'contract'"},
    {"contrakt N {}", 1, 1, "expected 'contract'"},
    {"contract {", 1, 10, "the name of the contract"},
    {"contract N : M {}", 1, 12, "contracts that extend others"},
    {"contract N { }", 1, 10, "has no state"},
    {"contract N { state s: a?; ", 1, 27, "expected '}'"},
    {"contract N {\n  in massage a();\n state s: a?; }", 2, 6, "expected 'message'"},
    {"contract N { in message (); state s: a?; }", 1, 25, "the name of a message"},
    {"contract N { in message a() state s: a?; }", 1, 29, "expected ';' after the message"},
    {"contract N { in message a(int x; state s: a?; }", 1, 48, "expected ')'"},
    {"contract N { [x in message a(); state s: a?; }", 1, 14, "expected ']'"},
    {"contract N { in message a(); in message a(); state s: a?; }", 1, 41, "is declared twice"},
    {"contract N { state : a?; }", 1, 20, "the name of a state"},
    {"contract N { state s a?; }", 1, 22, "expected ':'"},
    {"contract N { state s: a?; state s: a?; }", 1, 33, "is defined twice"},
    {"contract N { state s: a? b?; }", 1, 26, "expected '->'"},
    {"contract N { state s: -> b?; }", 1, 23, "expected a message"},
    {"contract N { state s: s; }", 1, 23, "expected a message first"},
    {"contract N { state s: a? -> t; }", 1, 29, "is neither a message nor a state"},
    {"contract N { message a(); state s: a -> s; }", 1, 36, "needs a direction"},
    {"contract N { in message a(); state s: a! -> s; }", 1, 39, "is an 'in' message"},
    {"contract N { out message a(); state s: a? -> s; }", 1, 40, "is an 'out' message"},
    {"contract N { state s: a?; } contract N { state s: a?; }", 1, 38, "is defined twice"},
    {"contract N { state s: a# ; }", 1, 24, "expected '->'"},
    {"contract N { state s: {} }", 1, 10, ""},
    {"contract N {\n// \033[31m\n state s: a?; }", 2, 4, "expected a text file"},
};

/* Names of states far from a named one do not grow, and stay apart. */
Test(contract, long_sequences_have_short_names) {
  expect_chor("contract L { in message a(); state S: { a? -> a? -> a? -> a? -> a?; a? -> a? -> a? -> a? -> S; } }",
              "choreography L\npeers C, S\n"
              "state S:\n  C -> S : a => S.a\n  C -> S : a => S.a.1\n"
              "state S.a:\n  C -> S : a => S.a.a\nstate S.a.a:\n  C -> S : a => S.a.a.a\n"
              "state S.a.a.a:\n  C -> S : a => S.4.a\nstate S.4.a:\n  C -> S : a => S.5.a\n"
              "state S.a.1:\n  C -> S : a => S.a.a.1\nstate S.a.a.1:\n  C -> S : a => S.a.a.a.1\n"
              "state S.a.a.a.1:\n  C -> S : a => S\n");
}

/* One sequence of many messages, many sequences, many states, many messages: nothing is looked for from the start. */
Test(contract, large_contracts_are_read_in_no_time) {
  enum { MANY = 20000 };
  hd_buffer words = {0};
  hd_buffer_add_text(&words, "contract L {\n");
  for (int i = 0; i < MANY; i++) {
    hd_buffer_printf(&words, "  in message m%d();\n", i);
  }
  hd_buffer_add_text(&words, "  state Start: {\n");
  for (int i = 0; i < MANY; i++) {
    hd_buffer_printf(&words, "    m%d -> m0 -> m1 -> T%d;\n", i, i);
  }
  hd_buffer_add_text(&words, "  }\n  state Long: m0");
  for (int i = 0; i < MANY; i++) {
    hd_buffer_add_text(&words, " -> m0");
  }
  hd_buffer_add_text(&words, ";\n");
  for (int i = 0; i < MANY; i++) {
    hd_buffer_printf(&words, "  state T%d: m%d;\n", i, i);
  }
  hd_buffer_add_text(&words, "}\n");
  cr_assert(!words.failed);
  cr_assert_eq(read_text(words.data, words.size_bytes), HD_OK);
  cr_assert_eq(file->blocks[0].state_count,
               2 + MANY /* T */ + 2 * MANY /* Start */ + MANY + 1 /* Long */ + MANY /* ends */);
  hd_buffer_free(&words);
  close_all();
}

Test(contract, mistakes_have_places) {
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    cr_assert_eq(read_text(mistakes[i].contract, strlen(mistakes[i].contract)), HD_E_INPUT, "accepted: %s",
                 mistakes[i].contract);
    cr_assert_gt(hd_diag_count(diag), 0);
    const hd_diagnostic *first = hd_diag_get(diag, 0);
    cr_assert(first->position.line == mistakes[i].line && first->position.column == mistakes[i].column, "%s: %u:%u: %s",
              mistakes[i].contract, first->position.line, first->position.column, first->message);
    bool said = strstr(first->message, mistakes[i].words) != NULL ||
                (first->hint != NULL && strstr(first->hint, mistakes[i].words) != NULL);
    cr_assert(said, "%s: %s; %s", mistakes[i].contract, first->message, first->hint);
    cr_assert(file == NULL);
    close_all();
  }
}

Test(contract, every_mistake_is_told) {
  const char *wrong = "contract N { in massage a(); state s: { b; a? -> ; c? -> d!; } state t: s; }";
  cr_assert_eq(read_text(wrong, strlen(wrong)), HD_E_INPUT);
  cr_assert_geq(hd_diag_errors(diag), 2);
  close_all();
}

static char *load(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/examples/choreography/%s", HD_SOURCE_DIR, name);
  hd_text *loaded = NULL;
  cr_assert_eq(hd_text_read(path, &loaded), HD_OK);
  char *copy = malloc(loaded->size_bytes + 1);
  memcpy(copy, loaded->data, loaded->size_bytes + 1);
  hd_text_free(loaded);
  return copy;
}

Test(contract, cut_off_at_every_byte) {
  char *whole = load("tpm.contract");
  for (size_t size = 0; size < strlen(whole); size++) {
    hd_status status = read_text(whole, size);
    cr_assert(status == HD_OK || (status == HD_E_INPUT && hd_diag_errors(diag) > 0), "cut at %zu", size);
    close_all();
  }
  free(whole);
}

/* Rewriting without an edit changes nothing but the layout. */
Test(contract, written_back_it_is_the_same) {
  static const char *const examples[] = {"tpm.contract", "reservation_session.contract"};
  for (size_t i = 0; i < 2; i++) {
    char *whole = load(examples[i]);
    cr_assert_eq(read_text(whole, strlen(whole)), HD_OK);
    hdi_draft *draft = NULL;
    cr_assert_eq(hdi_draft_open(file, 0, NULL, &draft), HD_OK);
    hd_buffer out = {0};
    cr_assert_eq(hd_contract_patch(file, &draft, &out), HD_OK);
    hd_text *again_text = NULL;
    hd_chor_file *again = NULL;
    cr_assert_eq(hd_text_from_bytes("again", out.data, out.size_bytes, &again_text), HD_OK);
    cr_assert_eq(hd_contract_read(again_text, NULL, &again), HD_OK, "%s", out.data);
    cr_assert(chor_renumbered_difference(file, again) == NULL, "%s\n%s", chor_renumbered_difference(file, again),
              out.data);
    hdi_draft *none = NULL;
    hd_buffer same = {0};
    cr_assert_eq(hd_contract_patch(file, &none, &same), HD_OK);
    cr_assert_str_eq(same.data, whole);
    hd_chor_file_free(again);
    hd_text_free(again_text);
    hd_buffer_free(&out);
    hd_buffer_free(&same);
    hdi_draft_free(draft);
    close_all();
    free(whole);
  }
}
