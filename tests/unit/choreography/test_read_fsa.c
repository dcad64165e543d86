/* The .fsa reader: what the system holds, the golden error cases, and files that are cut, changed or huge. */
#include "core/base/machine.h"
#include "frontends/choreography/choreography.h"
#include "tests/support/chor_equal.h"
#include "tests/support/hd_test.h"
#include "tests/support/reader_cases.h"

#include <stdlib.h>
#include <string.h>

#define MEGABYTE ((size_t)1 << 20)
/* Linear work takes a fraction of this, also under sanitizers on a busy machine; quadratic work takes hours. */
#define LARGE_SECONDS_MAX 60.0

typedef struct reading {
  hd_text *text;
  hd_diag *diag;
  hd_system *system;
  hd_status status;
} reading;

static reading read_bytes(const char *data, size_t size_bytes) {
  reading r = {.diag = hd_diag_new()};
  cr_assert(hd_text_from_bytes("t.fsa", data, size_bytes, &r.text) == HD_OK);
  r.status = hd_fsa_read(r.text, r.diag, &r.system);
  return r;
}

static reading read_good(const char *data) {
  reading r = read_bytes(data, strlen(data));
  cr_assert(r.status == HD_OK, "%s", hd_diag_count(r.diag) > 0 ? hd_diag_get(r.diag, 0)->message : "no message");
  const char *fault = system_fault(r.system, r.text->size_bytes);
  cr_assert(fault == NULL, "%s", fault);
  return r;
}

static void release(reading *r) {
  hd_system_free(r->system);
  hd_diag_free(r->diag);
  hd_text_free(r->text);
}

static bool covers(const reading *r, hd_span span, const char *words) {
  return span.end - span.begin == strlen(words) && memcmp(r->text->data + span.begin, words, strlen(words)) == 0;
}

Test(read_fsa, two_machines) {
  reading r = read_good(
      "-- a client and a server\n.outputs C\nq0 1 ! ask q1\n.state graph\nq1 S ? yes q2\nq1 1 ? no q0\n"
      ".marking q0\n.end\n\n.outputs S -- second\n.state graph\ns C?ask t\nt 0 ! yes u\nt 0 ! no s\n.marking s\n"
      ".end\n");
  const hd_alphabet *alphabet = &r.system->alphabet;
  cr_assert(r.system->text == r.text && r.system->machine_count == 2 && alphabet->peer_count == 2);
  cr_assert_str_eq(alphabet->peers[0], "C");
  cr_assert_str_eq(alphabet->peers[1], "S");
  /* A send and its receive are one message; sorted by sender, receiver and name. */
  cr_assert(alphabet->message_count == 3);
  cr_assert_str_eq(alphabet->messages[0].name, "ask");
  cr_assert_str_eq(alphabet->messages[1].name, "no");
  cr_assert_str_eq(alphabet->messages[2].name, "yes");
  cr_assert(alphabet->messages[0].from.v == 0 && alphabet->messages[1].from.v == 1 && alphabet->messages[2].to.v == 0);
  cr_assert(covers(&r, alphabet->messages[1].first, "no"));
  const hd_machine *client = &r.system->machines[0], *server = &r.system->machines[1];
  cr_assert(client->state_count == 3 && client->initial == 0 && client->arc_count == 3 && client->members == NULL);
  cr_assert(client->arcs[0].send && client->arcs[0].message.v == 0 && client->arcs[0].to == 1);
  cr_assert(!client->arcs[1].send && client->arcs[1].message.v == 1 && client->arcs[1].to == 0);
  cr_assert(client->arcs[2].message.v == 2 && client->arcs[2].to == 2);
  cr_assert(covers(&r, client->arcs[2].span, "q1 S ? yes q2"));
  cr_assert(!client->may_stop[0] && !client->may_stop[1] && client->may_stop[2]);
  cr_assert_str_eq(server->state_names[0], "s");
  cr_assert_str_eq(server->state_names[1], "t");
  cr_assert_str_eq(server->state_names[2], "u");
  cr_assert(!server->arcs[0].send && server->arcs[1].send && server->arcs[2].send);
  cr_assert(hd_diag_count(r.diag) == 0);
  release(&r);
}

/* Numbers follow the structure, not the order of the lines. */
Test(read_fsa, order_of_lines_does_not_matter) {
  static const char *const texts[] = {
      ".outputs A\na B ! x b\na B ! y c\nb B ? z d\nc B ? z d\n.marking a\n.end\n"
      ".outputs B\n0 A ? x 1\n0 A ? y 1\n1 A ! z 2\n.marking 0\n.end\n",
      ".outputs A\n.marking a\nc B ? z d\nb B ? z d\na B ! y c\na B ! x b\n.end\n"
      ".outputs B\n1 A ! z 2\n0 A ? y 1\n.marking 0\n0 A ? x 1\n.end\n"};
  reading first = read_good(texts[0]), second = read_good(texts[1]);
  const char *difference = system_difference(first.system, second.system);
  cr_assert(difference == NULL, "%s", difference);
  cr_assert_str_eq(second.system->machines[0].state_names[1], "b");
  release(&first);
  release(&second);
}

Test(read_fsa, nondeterminism_and_repetition) {
  reading r = read_good(
      ".outputs A\nq 1 ! m r\nq 1 ! m q\nq 1 ! m r\nq 1 ? m r\n.marking q\n.end\n.outputs B\n"
      ".marking 0\n.end");
  const hd_machine *machine = &r.system->machines[0];
  cr_assert(machine->arc_count == 3 && machine->arcs[0].to == 0 && machine->arcs[1].to == 1 && !machine->arcs[2].send);
  cr_assert(r.system->alphabet.message_count == 2);
  cr_assert(hd_diag_count(r.diag) == 1 && hd_diag_get(r.diag, 0)->code == HD_DIAG_DUPLICATE);
  cr_assert(hd_diag_get(r.diag, 0)->position.line == 4);
  const hd_machine *idle = &r.system->machines[1];
  cr_assert(idle->state_count == 1 && idle->arc_count == 0 && idle->may_stop[0] && idle->first_arc[1] == 0);
  release(&r);
}

/* Peer "1" is block 0 and peer "0" is block 1: digits are a number, quotes make them a name. */
Test(read_fsa, names_quotes_and_numbers) {
  reading r = read_good(
      ".outputs 1\n\"q 0\" 1 ! m {q0,q1}\n\"q 0\" \"0\" ! \"--\" \".end\"\n.marking \"q 0\"\n.end\n"
      ".outputs 0\na--b 0 ? m a--b--c\n\".marking\" \"1\" ? \"--\" a--b -- comment\n.marking a--b\n.end\n");
  const hd_machine *one = &r.system->machines[0], *two = &r.system->machines[1];
  cr_assert_str_eq(r.system->alphabet.peers[0], "1");
  cr_assert(r.system->alphabet.message_count == 2);
  cr_assert_str_eq(r.system->alphabet.messages[0].name, "--");
  cr_assert_str_eq(r.system->alphabet.messages[1].name, "m");
  cr_assert(r.system->alphabet.messages[0].from.v == 0 && r.system->alphabet.messages[0].to.v == 1);
  cr_assert_str_eq(one->state_names[0], "q 0");
  cr_assert_str_eq(one->state_names[1], ".end");
  cr_assert_str_eq(one->state_names[2], "{q0,q1}");
  cr_assert_str_eq(two->state_names[0], "a--b");
  cr_assert_str_eq(two->state_names[1], "a--b--c");
  cr_assert_str_eq(two->state_names[2], ".marking");
  cr_assert(hd_diag_count(r.diag) == 1 && hd_diag_get(r.diag, 0)->code == HD_DIAG_UNREACHABLE);
  release(&r);
}

/* Which states have the names in `expected`, "a b c"; all others may not be stopped in. */
static void expect_may_stop(const hd_machine *machine, const char *expected) {
  hd_buffer found = {0};
  for (uint32_t s = 0; s < machine->state_count; s++) {
    if (machine->may_stop[s]) {
      hd_buffer_printf(&found, "%s%s", found.size_bytes > 0 ? " " : "", machine->state_names[s]);
    }
  }
  cr_assert_str_eq(found.data == NULL ? "" : found.data, expected);
  hd_buffer_free(&found);
}

#define LOOP "a 1 ! m b\nb 1 ? n a\nb 1 ? o c\n.marking a\n"

Test(read_fsa, final_states) {
  static const struct {
    const char *before, *after, *expected;
  } cases[] = {
      {"", "", "c"},
      {"", "-- final a\n---@ final a\n-- @ final a\n", "c"},
      {"", "--@ final\n", ""},
      {"", "--@ final a\n", "a"},
      {"--@ final c a -- b\n", "", "a c"},
      {"--@ final a\n", "--@ final\n  --@final \"c\"\n", "a c"},
      {"--@ final b\n", "--@ final a c", "a b c"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    hd_buffer text = {0};
    hd_buffer_printf(&text, ".outputs A\n%s" LOOP "%s\n.end\n", cases[i].before, cases[i].after);
    hd_buffer_add_text(&text, ".outputs B\na 0 ? m b\nb 0 ! n a\nb 0 ! o c\n.marking a\n--@ final b\n.end\n");
    hd_buffer_add_text(&text, ".outputs C\n.marking a\n--@ final\n.end\n.outputs D\n.marking a\n.end\n");
    reading r = read_good(text.data);
    cr_assert(hd_diag_count(r.diag) == 0 && r.system->machine_count == 4, "case %zu", i);
    expect_may_stop(&r.system->machines[0], cases[i].expected);
    expect_may_stop(&r.system->machines[1], "b"); /* each block speaks for itself */
    expect_may_stop(&r.system->machines[2], "");
    expect_may_stop(&r.system->machines[3], "a");
    release(&r);
    hd_buffer_free(&text);
  }
}

Test(read_fsa, blocks_without_a_name) {
  reading r = read_good(
      ".outputs\nq 1 ! m q\nq M2.1 ! m q\n.marking q\n.end\n.outputs M2\nq M0 ? m q\n.marking q\n.end\n"
      ".outputs\nq 0 ? m q\n.marking q\n.end\n");
  cr_assert_str_eq(r.system->alphabet.peers[0], "M0");
  cr_assert_str_eq(r.system->alphabet.peers[1], "M2");
  cr_assert_str_eq(r.system->alphabet.peers[2], "M2.1");
  release(&r);
}

Test(read_fsa, line_ends_and_marks) {
  static const char *const texts[] = {
      ".outputs A\nq B ! m q\n.marking q\n.end\n.outputs B\nq A ? m q\n.marking q\n.end\n",
      ".outputs A\r\nq B!m q\r\n.marking q\r\n.end\r\n.outputs B\r\nq 0?m q\r\n"
      ".marking q\r\n.end",
      "\xEF\xBB\xBF\n.outputs A --\xC3\xA9\nq 1 !m q\n\n.marking\tq --\n.end --x\n"
      "-- y\n.outputs B\n\"q\" \"A\"?\"m\" q\n.state graph\n.marking q\n.end"};
  reading first = read_good(texts[0]);
  for (size_t i = 1; i < sizeof texts / sizeof texts[0]; i++) {
    reading r = read_good(texts[i]);
    const char *difference = system_difference(first.system, r.system);
    cr_assert(difference == NULL, "text %zu: %s", i, difference);
    release(&r);
  }
  release(&first);
}

Test(read_fsa, works_without_a_sink) {
  hd_text *text = NULL;
  hd_system *system = NULL;
  cr_assert(hd_text_from_bytes("t", ".end", 4, &text) == HD_OK);
  cr_assert(hd_fsa_read(text, NULL, &system) == HD_E_INPUT && system == NULL);
  hd_text_free(text);
  hd_system_free(NULL);
}

Test(read_fsa, error_cases) {
  reader_cases_run(HDI_FSA);
}

static void check_good(const char *name, const char *data, size_t size_bytes) {
  const char *fault = fsa_reading_fault(data, size_bytes);
  cr_assert(fault == NULL, "%s: %s", name, fault);
}

Test(read_fsa, good_cases) {
  reader_cases_good(HDI_FSA, check_good);
}

static void mistreat(const char *name, const char *data, size_t size_bytes) {
  reader_cases_mistreat(HDI_FSA, name, data, size_bytes);
}

Test(read_fsa, cut_and_changed, .timeout = 240) {
  reader_cases_good(HDI_FSA, mistreat);
}

/* Random machines in a shuffled text: every reading prints and reads back to the same numbers. */
Test(read_fsa, random_machines) {
  uint64_t random = 1;
  for (int round = 0; round < 3000; round++) {
    hd_buffer text = {0};
    for (unsigned m = 0; m < 3; m++) {
      hd_buffer_printf(&text, ".outputs P%u\n.marking s%u\n", m, m);
      hd_buffer_printf(&text, "s%u %u ! a s%u\n", m, (m + 1) % 3, m);
      unsigned states = 2 + (unsigned)(random >> 33) % 6;
      for (unsigned t = 0; t < 9; t++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned bits = (unsigned)(random >> 32);
        hd_buffer_printf(&text, "s%u %u %c %c s%u\n", bits % states, (m + 1 + (bits >> 4) % 2) % 3,
                         (bits >> 8) % 2 == 0 ? '!' : '?', "abc"[(bits >> 12) % 3], (bits >> 16) % states);
      }
      if (random >> 62 != 0) {
        hd_buffer_printf(&text, "--@ final s%u\n", m); /* most, not all; the initial state is in every block */
      }
      hd_buffer_add_text(&text, ".end\n");
    }
    const char *fault = fsa_reading_fault(text.data, text.size_bytes);
    cr_assert(fault == NULL, "round %d: %s\n%s", round, fault, text.data);
    hd_buffer_free(&text);
  }
}

static void read_large(const char *what, const char *head, void (*add)(hd_buffer *out, unsigned i), const char *tail,
                       size_t megabytes, hd_status expected) {
  hd_buffer buffer = {0};
  hd_buffer_add_text(&buffer, head);
  for (unsigned i = 0; buffer.size_bytes < megabytes * MEGABYTE; i++) {
    add(&buffer, i);
  }
  hd_buffer_add_text(&buffer, tail);
  cr_assert(!buffer.failed);
  double begin = hd_machine_seconds();
  reading r = read_bytes(buffer.data, buffer.size_bytes);
  double seconds = hd_machine_seconds() - begin;
  cr_assert(r.status == expected, "%s: status %d", what, (int)r.status);
  cr_assert((hd_diag_errors(r.diag) > 0) == (expected != HD_OK), "%s: %zu errors", what, hd_diag_errors(r.diag));
  cr_assert(seconds < LARGE_SECONDS_MAX, "%s: %.1f s", what, seconds);
  const char *fault = r.system == NULL ? NULL : system_fault(r.system, buffer.size_bytes);
  cr_assert(fault == NULL, "%s: %s", what, fault);
  release(&r);
  hd_buffer_free(&buffer);
}

static void add_chain(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "q%u 1 %c m%u q%u\n", i, i % 2 == 0 ? '!' : '?', i % 77777, i + 1);
}
static void add_same(hd_buffer *out, unsigned i) {
  (void)i;
  hd_buffer_add_text(out, "q0 B ! m q0\n");
}
static void add_fan(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "q0 1 ! m q%u\n", i);
}
static void add_unreachable(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "u%u 1 ! m q0\n", i);
}
static void add_machine(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, ".outputs\nq 0 %c m q\n.marking q\n.end\n", i == 0 ? '!' : '?');
}
static void add_final(hd_buffer *out, unsigned i) {
  hd_buffer_add_text(out, i % 8 == 0 ? "\n--@ final q0" : " q0");
}
static void add_junk(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "junk %u\n", i);
}
static void add_no_partner(hd_buffer *out, unsigned i) {
  hd_buffer_printf(out, "q0 %u ! m q0\n", i + 5);
}
static void add_token(hd_buffer *out, unsigned i) {
  hd_buffer_add_text(out, i % 3 == 0 ? " !" : i % 3 == 1 ? " a" : " \"q\"");
}
static void add_noise(hd_buffer *out, unsigned i) {
  char byte = (char)((i * 2654435761u) >> 13);
  hd_buffer_add(out, &byte, 1);
}

#define REST ".marking q0\n.end\n.outputs B\nq0 0 ? m q0\n.marking q0\n.end\n"

Test(read_fsa, large_files, .timeout = 240) {
  read_large("a chain", ".outputs A\n", add_chain, REST, 10, HD_OK);
  read_large("one transition again and again", ".outputs A\n", add_same, REST, 3, HD_OK);
  read_large("one message to many states", ".outputs A\n", add_fan, REST, 3, HD_OK);
  read_large("unreachable states", ".outputs A\n", add_unreachable, REST, 3, HD_OK);
  read_large("small machines", ".outputs A\nq 1 ! m q\n.marking q\n.end\n", add_machine, "", 3, HD_OK);
  read_large("one final state again and again", ".outputs A\nq0 1 ! m q0\n", add_final, "\n" REST, 3, HD_OK);
  read_large("junk lines", "", add_junk, "", 10, HD_E_INPUT);
  read_large("junk transitions", ".outputs A\n", add_junk, REST, 10, HD_E_INPUT);
  read_large("no such partner", ".outputs A\n", add_no_partner, REST, 3, HD_E_INPUT);
  read_large("tokens on one line", ".outputs A\n", add_token, REST, 3, HD_E_INPUT);
  read_large("noise", "", add_noise, "", 3, HD_E_INPUT);
}
