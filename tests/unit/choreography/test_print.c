/* Printing choreographies and machines: exact text, round trips, and drawings. */
#include "frontends/choreography/choreography.h"
#include "tests/support/chor_equal.h"
#include "tests/support/hd_test.h"
#include "tests/support/reader_cases.h"

#include <stdlib.h>
#include <string.h>

static const hd_peer all_peers = {HD_NONE};

static hd_chor_file *read_chor(const char *data, size_t size_bytes, hd_text **text) {
  hd_chor_file *file = NULL;
  cr_assert(hd_text_from_bytes("t.chor", data, size_bytes, text) == HD_OK);
  cr_assert(hd_chor_read(*text, NULL, &file) == HD_OK, "%s", data);
  return file;
}

static hd_system *read_fsa(const char *data, hd_text **text) {
  hd_system *system = NULL;
  cr_assert(hd_text_from_bytes("t.fsa", data, strlen(data), text) == HD_OK);
  cr_assert(hd_fsa_read(*text, NULL, &system) == HD_OK, "%s", data);
  return system;
}

static char *print_chor_bytes(const char *data, size_t size_bytes) {
  hd_text *text = NULL;
  hd_chor_file *file = read_chor(data, size_bytes, &text);
  hd_buffer out = {0};
  hd_chor_print(file, &out);
  cr_assert(!out.failed);
  hd_chor_file_free(file);
  hd_text_free(text);
  return hd_buffer_take(&out);
}

static void expect_chor(const char *data, const char *expected) {
  char *printed = print_chor_bytes(data, strlen(data));
  cr_assert_str_eq(printed, expected, "got\n%s", printed);
  free(printed);
}

Test(print_chor, everything_there_is) {
  static const char text[] =
      "choreography one\npeers B, A, Z\nnever m, n\nnever n .. n\nstate s:\n  A -> B : m => t\n  A -> B : m => u\n"
      "initial final state t:\n  B -> A : n => v\nfinal state w:\n  A -> B : m => s\n\n"
      "choreography\npeers C, D\nstate s:\n  D -> C : x => s\n\nchoreography three\npeers E, F\nstate s:\n"
      "  E -> F : x => s\n";
  expect_chor(text, text);
}

Test(print_chor, headers_only_where_needed) {
  /* No header for b and c, which the reader numbers by their mention. */
  static const char plain[] = "peers P, Q\nstate a:\n  P -> Q : m => b\n  P -> Q : m => c\n";
  expect_chor("state a: P -> Q : m => b\nP -> Q : m => c", plain);
  /* Headers that give another order than mention does are kept. */
  static const char swapped[] = "peers P, Q\nstate a:\n  P -> Q : m => b\n  P -> Q : m => c\nstate c:\nstate b:\n";
  expect_chor(swapped, swapped);
  static const char again[] =
      "peers P, Q\nstate a:\n  P -> Q : m => b\n  P -> Q : m => c\n  P -> Q : n => b\nstate c:\nstate b:\n";
  expect_chor(again, again);
  expect_chor("state a: P -> Q : m => b\nP -> Q : m => c\nstate b:\n", plain);
  /* A state that nothing mentions would vanish without its header. */
  static const char lonely[] = "peers P, Q\nstate a:\n  P -> Q : m => b\nstate b:\nstate lonely:\n";
  expect_chor("state a: P -> Q : m => b\nstate b:\nstate lonely:\n", lonely);
  static const char final_end[] = "peers P, Q\nstate a:\n  P -> Q : m => b\n  P -> Q : m => c\nfinal state b:\n";
  expect_chor(final_end, final_end);
  static const char late[] = "peers P, Q\nstate a:\n  P -> Q : m => b\ninitial state b:\n";
  expect_chor(late, late);
}

/* Printed text is a fixed point. */
static void print_again(const char *name, const char *data, size_t size_bytes) {
  char *once = print_chor_bytes(data, size_bytes);
  char *twice = print_chor_bytes(once, strlen(once));
  cr_assert_str_eq(once, twice, "%s", name);
  free(once);
  free(twice);
}

Test(print_chor, cases) {
  reader_cases_good(HDI_CHOR, print_again);
}

static int compare_lines(const void *a, const void *b) {
  const char *const *left = a, *const *right = b;
  return strcmp(*left, *right);
}

/* Cuts `text` into lines, in place, and sorts them; lists of final states are dropped. */
static char **sort_lines(char *text, size_t *count) {
  char **lines = malloc((strlen(text) + 1) * sizeof lines[0]);
  cr_assert(lines != NULL);
  *count = 0;
  for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    if (strncmp(line, "--@ final", 9) == 0) {
      line[9] = '\0';
    }
    lines[(*count)++] = line;
  }
  qsort(lines, *count, sizeof lines[0], compare_lines);
  return lines;
}

/* The same names of states, and each may be stopped in here and there or in neither. */
static void same_may_stop(const char *name, const hd_machine *before, const hd_machine *after) {
  cr_assert(before->state_count == after->state_count, "%s", name);
  for (uint32_t s = 0; s < before->state_count; s++) {
    uint32_t t = 0;
    while (t < after->state_count && strcmp(before->state_names[s], after->state_names[t]) != 0) {
      t++;
    }
    cr_assert(t < after->state_count && before->may_stop[s] == after->may_stop[t], "%s: peer %u, state %s", name,
              (unsigned)before->peer.v, before->state_names[s]);
  }
}

/* A projection numbers messages in the order of its .chor file, so what reads back is the same up to numbers: each
 * machine has the same lines, but for the order of its final states. */
static void print_projection(const char *name, const char *data, size_t size_bytes) {
  hd_text *text = NULL, *printed_text = NULL;
  hd_chor_file *file = read_chor(data, size_bytes, &text);
  hd_system *system = NULL;
  cr_assert(hd_project(file, &(hd_subset_limits){.states_max = 1000}, &system) == HD_OK);
  hd_buffer printed = {0};
  hd_fsa_print(system, all_peers, &printed);
  hd_system *again = read_fsa(printed.data, &printed_text);
  cr_assert(again->machine_count == system->machine_count);
  for (uint32_t m = 0; m < again->machine_count; m++) {
    hd_buffer before = {0}, after = {0};
    hd_fsa_print(system, (hd_peer){m}, &before);
    hd_fsa_print(again, (hd_peer){m}, &after);
    size_t before_count = 0, after_count = 0;
    char **before_lines = sort_lines(before.data, &before_count), **after_lines = sort_lines(after.data, &after_count);
    cr_assert(before_count == after_count, "%s, machine %u", name, m);
    for (size_t i = 0; i < before_count; i++) {
      cr_assert_str_eq(before_lines[i], after_lines[i], "%s, machine %u", name, m);
    }
    same_may_stop(name, &system->machines[m], &again->machines[m]);
    free(before_lines);
    free(after_lines);
    hd_buffer_free(&before);
    hd_buffer_free(&after);
  }
  hd_system_free(again);
  hd_system_free(system);
  hd_chor_file_free(file);
  hd_text_free(printed_text);
  hd_text_free(text);
  hd_buffer_free(&printed);
}

Test(print_fsa, projections) {
  reader_cases_good(HDI_CHOR, print_projection);
  static const char odd[] =
      "choreography o\nstate .s:\n  1 -> 0 : --m => --t\nstate --t:\n  0 -> 1 : .end => .s\n  0 -> 2 : a => .s\n"
      "choreography p\nstate .s:\n  -- -> .outputs : m => .s\n";
  print_projection("odd names", odd, strlen(odd));
  static const char loops[] =
      "choreography o\nfinal state .s:\n  1 -> 0 : m => --t\nstate --t:\n  0 -> 1 : n => .s\n  0 -> 2 : a => --t\n"
      "choreography p\nstate x:\n  P -> Q : m => y\nfinal state y:\n  P -> R : n => z\n"
      "choreography q\npeers A, B, C\nstate s:\n  A -> B : m => s\nfinal state never:\n";
  print_projection("final states", loops, strlen(loops));
}

/* The line is there exactly for machines that other tools would understand differently. */
Test(print_fsa, final_states) {
  static const char same[] =
      ".outputs A\n.state graph\na 1 ! m b\nb 1 ? n a\nb 1 ? o c\n.marking a\n--@ final a c\n.end\n\n"
      ".outputs B\n.state graph\na 0 ? m b\nb 0 ! n a\nb 0 ! o \".c\"\n.marking a\n--@ final a \".c\"\n.end\n\n"
      ".outputs C\n.state graph\n.marking a\n--@ final\n.end\n\n"
      ".outputs D\n.state graph\n.marking a\n.end\n";
  static const char needless[] =
      ".outputs A\n.state graph\na 1 ! m b\n.marking a\n--@ final b\n.end\n\n"
      ".outputs B\n.state graph\na 0 ? m a\n.marking a\n--@ final\n.end\n";
  hd_text *text = NULL;
  hd_system *system = read_fsa(same, &text);
  hd_buffer out = {0}, plain = {0};
  hd_fsa_print(system, all_peers, &out);
  cr_assert_str_eq(out.data, same);
  hd_system_free(system);
  hd_text_free(text);
  system = read_fsa(needless, &text);
  hd_fsa_print(system, all_peers, &plain);
  cr_assert(strstr(plain.data, "--@") == NULL, "%s", plain.data);
  hd_buffer_free(&plain);
  hd_buffer_free(&out);
  hd_system_free(system);
  hd_text_free(text);
}

static const char two_machines[] =
    ".outputs C\n.state graph\nq0 1 ! ask q1\nq1 1 ? no q0\nq1 1 ? yes q2\n.marking q0\n.end\n\n"
    ".outputs S\n.state graph\ns 0 ? ask t\nt 0 ! no s\nt 0 ! yes u\n.marking s\n.end\n";

Test(print_fsa, two_machines) {
  hd_text *text = NULL;
  hd_system *system = read_fsa(two_machines, &text);
  hd_buffer out = {0}, parts = {0};
  hd_fsa_print(system, all_peers, &out);
  cr_assert_str_eq(out.data, two_machines);
  /* The machines one by one are the same text. */
  hd_fsa_print(system, (hd_peer){0}, &parts);
  cr_assert(parts.size_bytes < out.size_bytes && strstr(parts.data, "yes q2") != NULL);
  cr_assert(strstr(parts.data, ".outputs S") == NULL);
  hd_fsa_print(system, (hd_peer){1}, &parts);
  cr_assert_str_eq(parts.data, out.data);
  hd_buffer_free(&out);
  hd_buffer_free(&parts);
  hd_system_free(system);
  hd_text_free(text);
}

Test(print_fsa, names_that_need_quotes) {
  static const char odd[] =
      ".outputs \"--\"\n.state graph\n\".end\" 1 ! \"a b\" \"q!\"\n.marking \".end\"\n.end\n\n"
      ".outputs \".x\"\n.state graph\n{a,b} 0 ? \"a b\" --- -- not\n.marking {a,b}\n.end\n";
  static const char same[] =
      ".outputs \"--\"\n.state graph\n\".end\" 1 ! \"a b\" \"q!\"\n.marking \".end\"\n.end\n\n"
      ".outputs \".x\"\n.state graph\n{a,b} 0 ? \"a b\" a-b--\n.marking {a,b}\n.end\n";
  hd_text *text = NULL;
  hd_system *system = NULL;
  cr_assert(hd_text_from_bytes("t.fsa", odd, strlen(odd), &text) == HD_OK);
  cr_assert(hd_fsa_read(text, NULL, &system) == HD_E_INPUT); /* --- starts a comment: no target */
  hd_text_free(text);
  system = read_fsa(same, &text);
  hd_buffer out = {0};
  hd_fsa_print(system, all_peers, &out);
  cr_assert_str_eq(out.data, same);
  hd_buffer_free(&out);
  hd_system_free(system);
  hd_text_free(text);
}

Test(print_machine, dot) {
  hd_text *text = NULL;
  hd_system *system = read_fsa(
      ".outputs C\nq0 1 ! ask q1\nq1 1 ? no q0\nq1 1 ? yes \"a\\b\"\n.marking q0\n.end\n.outputs S\n.marking s\n.end\n",
      &text);
  hd_buffer out = {0}, one = {0};
  hd_machine_print_dot(system, all_peers, &out);
  static const char first[] =
      "digraph \"C\" {\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n"
      "  n0 [label=\"q0\"];\n  n1 [label=\"q1\"];\n  n2 [label=\"a\\\\b\", shape=doublecircle];\n  start -> n0;\n"
      "  n0 -> n1 [label=\"S!ask\", color=blue];\n  n1 -> n0 [label=\"S?no\", color=darkgreen];\n"
      "  n1 -> n2 [label=\"S?yes\", color=darkgreen];\n}\n";
  static const char second[] =
      "digraph \"S\" {\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n"
      "  n0 [label=\"s\", shape=doublecircle];\n  start -> n0;\n}\n";
  cr_assert(strncmp(out.data, first, strlen(first)) == 0, "%s", out.data);
  cr_assert_str_eq(out.data + strlen(first), second);
  hd_machine_print_dot(system, (hd_peer){1}, &one);
  cr_assert_str_eq(one.data, second);
  hd_buffer_free(&out);
  hd_buffer_free(&one);
  hd_system_free(system);
  hd_text_free(text);
}

Test(print_machine, aldebaran) {
  hd_text *text = NULL;
  hd_system *system = read_fsa(two_machines, &text);
  hd_buffer out = {0};
  hd_machine_print_aut(system, (hd_peer){0}, &out);
  cr_assert_str_eq(out.data, "des (0, 3, 3)\n(0, \"S!ask\", 1)\n(1, \"S?no\", 0)\n(1, \"S?yes\", 2)\n");
  hd_buffer_free(&out);
  hd_machine_print_aut(system, (hd_peer){1}, &out);
  cr_assert_str_eq(out.data, "des (0, 3, 3)\n(0, \"C?ask\", 1)\n(1, \"C!no\", 0)\n(1, \"C!yes\", 2)\n");
  hd_buffer_free(&out);
  hd_system_free(system);
  hd_text_free(text);
}
