/* The .chor reader: what the structure holds, the golden error cases, and files that are cut, changed or huge. */
#include "core/base/machine.h"
#include "frontends/choreography/choreography.h"
#include "tests/support/chor_equal.h"
#include "tests/support/hd_test.h"
#include "tests/support/random_chor.h"
#include "tests/support/reader_cases.h"

#include <stdlib.h>
#include <string.h>

#define MEGABYTE ((size_t)1 << 20)
/* Linear work takes a fraction of this, also under sanitizers on a busy machine; quadratic work takes hours. */
#define LARGE_SECONDS_MAX 60.0

typedef struct reading {
  hd_text *text;
  hd_diag *diag;
  hd_chor_file *file;
  hd_status status;
} reading;

static reading read_bytes(const char *data, size_t size_bytes) {
  reading r = {.diag = hd_diag_new()};
  cr_assert(hd_text_from_bytes("t.chor", data, size_bytes, &r.text) == HD_OK);
  r.status = hd_chor_read(r.text, r.diag, &r.file);
  return r;
}

static reading read_good(const char *data) {
  reading r = read_bytes(data, strlen(data));
  cr_assert(r.status == HD_OK, "%s", hd_diag_count(r.diag) > 0 ? hd_diag_get(r.diag, 0)->message : "no message");
  const char *fault = chor_fault(r.file, r.text->size_bytes);
  cr_assert(fault == NULL, "%s", fault);
  return r;
}

static void release(reading *r) {
  hd_chor_file_free(r->file);
  hd_diag_free(r->diag);
  hd_text_free(r->text);
}

/* Does `span` cover exactly these words? */
static bool covers(const reading *r, hd_span span, const char *words) {
  return span.end - span.begin == strlen(words) && memcmp(r->text->data + span.begin, words, strlen(words)) == 0;
}

static const char *message_name(const reading *r, const hd_chor_arc *arc) {
  return r->file->alphabet.messages[arc->message.v].name;
}

Test(read_chor, file_transfer) {
  reading r = read_good(
      "choreography file_transfer\nstate s0:\n  P1 -> P2 : ms => s1\nstate s1:\n  P2 -> P1 : mf => s3\n"
      "  P1 -> P2 : mc => s2\nstate s2:\n  P2 -> P1 : mf => s4\n");
  const hd_chor *chor = &r.file->blocks[0];
  cr_assert(r.file->block_count == 1 && r.file->text == r.text);
  cr_assert_str_eq(chor->name, "file_transfer");
  cr_assert(covers(&r, chor->span, "choreography file_transfer"));
  const hd_alphabet *alphabet = &r.file->alphabet;
  cr_assert(alphabet->peer_count == 2);
  cr_assert_str_eq(alphabet->peers[0], "P1");
  cr_assert_str_eq(alphabet->peers[1], "P2");
  /* The same triple is one message; first mentions in the order of the text. */
  cr_assert(alphabet->message_count == 3);
  cr_assert_str_eq(alphabet->messages[0].name, "ms");
  cr_assert_str_eq(alphabet->messages[1].name, "mf");
  cr_assert_str_eq(alphabet->messages[2].name, "mc");
  cr_assert(alphabet->messages[1].from.v == 1 && alphabet->messages[1].to.v == 0);
  cr_assert(covers(&r, alphabet->messages[1].first, "P2 -> P1 : mf"));
  cr_assert(hd_text_position(r.text, alphabet->messages[1].first.begin).line == 5);
  /* States in the order of their headers, then the two that have none. */
  static const char *const names[] = {"s0", "s1", "s2", "s3", "s4"};
  cr_assert(chor->state_count == 5 && chor->initial == 0 && !chor->has_final);
  for (uint32_t s = 0; s < 5; s++) {
    cr_assert_str_eq(chor->states[s].name, names[s]);
    cr_assert(covers(&r, chor->states[s].span, names[s]));
    cr_assert(hd_chor_is_end(chor, s) == (s >= 3));
  }
  cr_assert(hd_text_position(r.text, chor->states[1].span.begin).line == 4); /* its header, not the first mention */
  cr_assert(hd_text_position(r.text, chor->states[3].span.begin).line == 5);
  cr_assert(chor->arc_count == 4);
  cr_assert(chor->arcs[1].from == 1 && chor->arcs[1].to == 3 && chor->arcs[2].to == 2 && chor->arcs[3].to == 4);
  cr_assert(chor->arcs[3].message.v == chor->arcs[1].message.v);
  cr_assert(covers(&r, chor->arcs[2].span, "P1 -> P2 : mc => s2"));
  static const uint32_t first_arc[] = {0, 1, 3, 4, 4, 4};
  cr_assert(memcmp(chor->first_arc, first_arc, sizeof first_arc) == 0);
  cr_assert(hd_diag_count(r.diag) == 0);
  release(&r);
}

Test(read_chor, marks_and_ends) {
  reading r = read_good(
      "final state a: P -> Q : m => b\ninitial final state b:\nP -> Q : n => a\nstate c:\n Q -> P : o => d\n");
  const hd_chor *chor = &r.file->blocks[0];
  cr_assert(chor->name == NULL && covers(&r, chor->span, "final"));
  cr_assert(chor->initial == 1 && chor->has_final);
  cr_assert(chor->states[0].final && chor->states[1].final && !chor->states[2].final);
  cr_assert(hd_chor_is_end(chor, 0) && hd_chor_is_end(chor, 1));
  cr_assert(!hd_chor_is_end(chor, 2) && !hd_chor_is_end(chor, 3));      /* d has no arcs, but some state is final */
  cr_assert(hd_diag_count(r.diag) == 2 && hd_diag_errors(r.diag) == 0); /* c and d cannot be reached */
  release(&r);
  r = read_good("state a:\nP -> Q : m => b\nfinal initial state b: Q -> P : m => a\n");
  cr_assert(r.file->blocks[0].initial == 1 && r.file->blocks[0].states[1].final && !r.file->blocks[0].states[0].final);
  release(&r);
}

/* Headers number the states even when a later one is mentioned first. */
Test(read_chor, numbers_by_header) {
  reading r = read_good(
      "state a:\n P -> Q : m => z\n P -> Q : m => c\n P -> Q : m => y\nstate b:\n P -> Q : m => a\n"
      "state c:\n P -> Q : m => b\n");
  static const char *const names[] = {"a", "b", "c", "z", "y"};
  for (uint32_t s = 0; s < 5; s++) {
    cr_assert_str_eq(r.file->blocks[0].states[s].name, names[s]);
  }
  release(&r);
}

Test(read_chor, keywords_are_names_where_a_name_stands) {
  reading r = read_good(
      "choreography state\npeers peers, final, never\nnever choreography .. final\nstate state:\n"
      " peers -> final : choreography => final\nstate final:\n final -> never : final => initial\n"
      "state initial: never -> peers : state => state\n");
  const hd_chor *chor = &r.file->blocks[0];
  cr_assert_str_eq(chor->name, "state");
  cr_assert(r.file->alphabet.peer_count == 3 && chor->state_count == 3 && chor->arc_count == 3);
  cr_assert(chor->rule_count == 1 && chor->rules[0].anywhere && !chor->has_final);
  release(&r);
}

Test(read_chor, names_of_every_character) {
  reading r = read_good("# first // still\nstate (s'0)-1.a_:// c\n  P.1 -> -- : ..a => ...#c\n");
  cr_assert_str_eq(r.file->blocks[0].states[0].name, "(s'0)-1.a_");
  cr_assert_str_eq(r.file->blocks[0].states[1].name, "...");
  cr_assert_str_eq(r.file->alphabet.peers[0], "P.1");
  cr_assert_str_eq(r.file->alphabet.peers[1], "--");
  cr_assert_str_eq(r.file->alphabet.messages[0].name, "..a");
  release(&r);
}

Test(read_chor, line_ends_and_marks) {
  static const char *const texts[] = {
      "state s:\n  P -> Q : m => t\n", "state s:\r\n  P -> Q : m => t\r\n", "state s:\n  P -> Q : m => t",
      "\xEF\xBB\xBFstate s:\n\tP\t->\tQ:m => t // \xC3\xA9\n", "\n\n  # c\nstate s:#c\n\nP -> Q :m => t//c\n\n \t"};
  reading first = read_good(texts[0]);
  for (size_t i = 1; i < sizeof texts / sizeof texts[0]; i++) {
    reading r = read_good(texts[i]);
    const char *difference = chor_difference(first.file, r.file);
    cr_assert(difference == NULL, "text %zu: %s", i, difference);
    release(&r);
  }
  release(&first);
}

Test(read_chor, blocks_have_their_own_states_and_rules) {
  reading r = read_good(
      "peers B, A\nnever x, y\nstate s: A -> B : x => t\nstate t: B -> A : y => s\n"
      "choreography two\nnever x .. x\nstate t: C -> D : x => s\ninitial state s: C -> D : x => t\n");
  cr_assert(r.file->block_count == 2);
  const hd_chor *one = &r.file->blocks[0], *two = &r.file->blocks[1];
  cr_assert(one->name == NULL);
  cr_assert_str_eq(two->name, "two");
  cr_assert_str_eq(one->states[0].name, "s");
  cr_assert_str_eq(two->states[0].name, "t");
  cr_assert(two->initial == 1 && one->initial == 0);
  static const char *const peers[] = {"B", "A", "C", "D"};
  for (uint32_t p = 0; p < 4; p++) {
    cr_assert_str_eq(r.file->alphabet.peers[p], peers[p]);
  }
  cr_assert_str_eq(message_name(&r, &two->arcs[0]), "x");
  cr_assert(two->arcs[0].message.v == 2 && two->arcs[1].message.v == 2);
  cr_assert(one->rule_count == 1 && !one->rules[0].anywhere && two->rule_count == 1 && two->rules[0].anywhere);
  cr_assert_str_eq(one->rules[0].first, "x");
  cr_assert_str_eq(one->rules[0].second, "y");
  cr_assert(covers(&r, one->rules[0].span, "never x, y"));
  release(&r);
}

Test(read_chor, declared_peers_need_no_message) {
  reading r = read_good("peers Z, B\npeers A\nstate s: A -> B : m => s\n");
  cr_assert(r.file->alphabet.peer_count == 3);
  cr_assert_str_eq(r.file->alphabet.peers[0], "Z");
  cr_assert_str_eq(r.file->alphabet.peers[2], "A");
  release(&r);
}

Test(read_chor, repeated_arcs_count_once) {
  reading r = read_good("state s:\n A -> B : m => s\n A -> B : m => t\n A -> B : m => s\n B -> A : m => s\n");
  cr_assert(r.file->blocks[0].arc_count == 3 && r.file->alphabet.message_count == 2);
  cr_assert(hd_diag_count(r.diag) == 1 && hd_diag_get(r.diag, 0)->code == HD_DIAG_DUPLICATE);
  cr_assert(hd_diag_get(r.diag, 0)->position.line == 4 && hd_diag_get(r.diag, 0)->position.column == 2);
  cr_assert(hd_diag_get(r.diag, 0)->width == strlen("A -> B : m => s"));
  release(&r);
}

Test(read_chor, works_without_a_sink) {
  hd_text *text = NULL;
  hd_chor_file *file = NULL;
  cr_assert(hd_text_from_bytes("t", "state s:\n A -> A : m => s\n", 25, &text) == HD_OK);
  cr_assert(hd_chor_read(text, NULL, &file) == HD_E_INPUT && file == NULL);
  hd_text_free(text);
  hd_chor_file_free(NULL);
}

/* The sink may hold another file's errors. */
Test(read_chor, counts_its_own_errors) {
  reading bad = read_bytes("state", 5);
  hd_text *text = NULL;
  hd_chor_file *file = NULL;
  cr_assert(bad.status == HD_E_INPUT && hd_diag_errors(bad.diag) == 1);
  cr_assert(hd_text_from_bytes("t", "state s: A -> B : m => s", 24, &text) == HD_OK);
  cr_assert(hd_chor_read(text, bad.diag, &file) == HD_OK && hd_diag_errors(bad.diag) == 1);
  hd_chor_file_free(file);
  hd_text_free(text);
  release(&bad);
}

Test(read_chor, error_cases) {
  reader_cases_run(HDI_CHOR);
}

static void check_good(const char *name, const char *data, size_t size_bytes) {
  const char *fault = chor_reading_fault(data, size_bytes);
  cr_assert(fault == NULL, "%s: %s", name, fault);
  reading r = read_bytes(data, size_bytes);
  cr_assert(r.status == HD_OK && hd_diag_count(r.diag) == 0, "%s", name);
  release(&r);
}

Test(read_chor, good_cases) {
  reader_cases_good(HDI_CHOR, check_good);
}

static void mistreat(const char *name, const char *data, size_t size_bytes) {
  reader_cases_mistreat(HDI_CHOR, name, data, size_bytes);
}

Test(read_chor, cut_and_changed, .timeout = 240) {
  reader_cases_good(HDI_CHOR, mistreat);
  static const char every_line[] =
      "choreography n # c\npeers A, B\nnever a, b\nnever a .. b\nstate s:\n  A -> B : a => t\n"
      "initial final state t: A -> B : b => s\nchoreography o\nfinal state s: C -> D : a => s\n";
  mistreat("every line", every_line, sizeof every_line - 1);
}

Test(read_chor, random_choreographies) {
  for (uint64_t seed = 0; seed < 500; seed++) {
    char *text = hd_random_chor(seed, 2, 5);
    const char *fault = chor_reading_fault(text, strlen(text));
    cr_assert(fault == NULL, "seed %u: %s", (unsigned)seed, fault);
    free(text);
  }
}

/* Large inputs: `add` writes the i-th piece. */
static char *make_large(const char *head, void (*add)(hd_buffer *out, unsigned i), size_t megabytes,
                        size_t *size_bytes) {
  hd_buffer buffer = {0};
  hd_buffer_add_text(&buffer, head);
  for (unsigned i = 0; buffer.size_bytes < megabytes * MEGABYTE; i++) {
    add(&buffer, i);
  }
  cr_assert(!buffer.failed);
  *size_bytes = buffer.size_bytes;
  return hd_buffer_take(&buffer);
}

static void read_large(const char *what, const char *head, void (*add)(hd_buffer *out, unsigned i), size_t megabytes,
                       hd_status expected) {
  size_t size_bytes = 0;
  char *data = make_large(head, add, megabytes, &size_bytes);
  double begin = hd_machine_seconds();
  reading r = read_bytes(data, size_bytes);
  double seconds = hd_machine_seconds() - begin;
  cr_assert(r.status == expected, "%s: status %d", what, (int)r.status);
  cr_assert((hd_diag_errors(r.diag) > 0) == (expected != HD_OK), "%s: %zu errors", what, hd_diag_errors(r.diag));
  cr_assert(seconds < LARGE_SECONDS_MAX, "%s: %.1f s", what, seconds);
  const char *fault = r.file == NULL ? NULL : chor_fault(r.file, size_bytes);
  cr_assert(fault == NULL, "%s: %s", what, fault);
  release(&r);
  free(data);
}

static void add_chain(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "state s%u:\n  P%u -> Q : m%u => s%u\n", i, i % 1000, i % 77777, i + 1);
}
static void add_arc(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "  P -> Q : m%u => t%u\n", i, i / 2);
}
static void add_same_arc(hd_buffer *out, unsigned i) {
  (void)i;
  hd_buffer_add_text(out, "  P -> Q : m => t\n");
}
static void add_state(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "state unreachable%u:\n", i);
}
static void add_block(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "\nchoreography c%u\nnever m, m\nstate s: P%u -> Q%u : m => s\n", i, i, i);
}
static void add_peer(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, ", P%u", i);
}
static void add_rule(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "never m, m%u\n", i);
}
static void add_junk(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "junk %u\n", i);
}
static void add_token(hd_buffer *out, unsigned i) {
  hd_buffer_add_text(out, i % 3 == 0 ? " ->" : i % 3 == 1 ? " a" : " ,");
}
static void add_letter(hd_buffer *out, unsigned i) {
  hd_buffer_add(out, &"abc"[i % 3], 1);
}
static void add_self_message(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "  P%u -> P%u : m => t\n", i, i);
}
static void add_arc_to_long_name(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "  P -> Q : m%u => ", i);
  for (int letter = 0; letter < 100000; letter++) {
    hd_buffer_add(out, "x", 1);
  }
  hd_buffer_add_text(out, "\n");
}
static void add_noise(hd_buffer *out, unsigned i) {
  char byte = (char)((i * 2654435761u) >> 13);
  hd_buffer_add(out, &byte, 1);
}

Test(read_chor, large_good_files, .timeout = 240) {
  read_large("a chain", "", add_chain, 10, HD_OK);
  read_large("a state with many arcs", "state s:\n", add_arc, 3, HD_OK);
  read_large("one arc again and again", "state s:\n", add_same_arc, 3, HD_OK);
  read_large("unreachable states", "state s: P -> Q : m => s\n", add_state, 3, HD_OK);
  read_large("small blocks after a block", "state s: P -> Q : m => s\n", add_block, 3, HD_OK);
  read_large("long names", "state s:\n", add_arc_to_long_name, 3, HD_OK);
}

Test(read_chor, large_bad_files, .timeout = 240) {
  read_large("peers and nothing else", "peers P", add_peer, 3, HD_E_INPUT);
  read_large("unknown messages in rules", "state s: P -> Q : m => s\n", add_rule, 3, HD_E_INPUT);
  read_large("junk lines", "", add_junk, 10, HD_E_INPUT);
  read_large("junk arcs", "state s:\n", add_junk, 10, HD_E_INPUT);
  read_large("tokens on one line", "state s:", add_token, 10, HD_E_INPUT);
  read_large("one word", "", add_letter, 3, HD_E_INPUT);
  read_large("messages to oneself", "state s:\n", add_self_message, 3, HD_E_INPUT);
  read_large("noise", "", add_noise, 10, HD_E_INPUT);
  read_large("noise in a comment", "# ", add_noise, 10, HD_E_INPUT);
}
