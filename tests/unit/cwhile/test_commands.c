/* What check, explore and replay say about small programs: each kind of finding with its run, atomic blocks, waiting
 * and pruning, daemons, schedules, switches, granularity, the constructs of AtomicInf, limits. */
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static run_text command(hd_command which, const char *source, bool reduction) {
  run_text r;
  run_text_init(&r);
  r.options.reduction = reduction;
  run_text_command(&r, which, "t.cw", source);
  cr_assert(r.status == HD_OK, "status %d: %s", (int)r.status,
            hd_diag_count(r.diag) > 0 ? hd_diag_get(r.diag, 0)->message : "");
  return r;
}

/* Counts of explore --no-reduction. */
static void demand_counts(const char *source, uint64_t states, uint64_t transitions, uint64_t deadlocks,
                          uint64_t error_states) {
  run_text r = command(HD_COMMAND_EXPLORE, source, false);
  cr_assert(r.result->states == states && r.result->transitions == transitions && r.result->deadlocks == deadlocks &&
                r.result->error_states == error_states,
            "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " for %s", r.result->states, r.result->transitions,
            r.result->deadlocks, r.result->error_states, source);
  run_text_free(&r);
}

/* check finds this kind, and nothing else; NULL: it holds. Returns the length of the run. */
static uint64_t demand_kind(const char *source, const char *kind, uint32_t line) {
  uint64_t length = 0;
  for (int reduction = 0; reduction < 2; reduction++) {
    run_text r = command(HD_COMMAND_CHECK, source, reduction == 1);
    cr_assert(r.result->verdict == (kind == NULL ? HD_VERDICT_HOLDS : HD_VERDICT_VIOLATED), "%s", source);
    if (kind != NULL) {
      const hd_finding *finding = &r.result->findings[0];
      cr_assert_str_eq(finding->kind, kind, "%s", source);
      cr_assert(finding->position.line == line, "line %u of %s", (unsigned)finding->position.line, source);
      cr_assert(finding->trace_lines >= finding->length);
      cr_assert(finding->shortest == HD_SHORTEST_YES, "%s", source);
      length = finding->length;
    }
    run_text_free(&r);
  }
  return length;
}

Test(commands, every_kind) {
  cr_assert(demand_kind("int x;\nthread t {\nx = 1;\nassert(x == 2);\n}", "assertion", 4) == 2);
  cr_assert(demand_kind("lock m;\nthread t {\nlock(m);\nlock(m);\n}", "deadlock", 3) == 1);
  cr_assert(demand_kind("int[0..3] x;\nthread t {\nwhile (1) {\nx = x + 1;\n}\n}", "out-of-range", 4) == 8);
  cr_assert(demand_kind("int x, a[2];\nthread t {\nx = 2;\na[x] = 1;\n}", "out-of-range", 4) == 2);
  cr_assert(demand_kind("int x = 2147483647;\nthread t {\nx = x + 1;\n}", "out-of-range", 3) == 1);
  cr_assert(demand_kind("int x;\nthread t {\nx = 1 / x;\n}", "division-by-zero", 3) == 1);
  cr_assert(demand_kind("int x;\nthread t {\nif (x % x) skip;\n}", "division-by-zero", 3) == 1);
  cr_assert(demand_kind("int x;\nthread t {\natomic {\nwhile (x == 0) { skip; }\n}\n}", "endless-block", 4) == 1);
  (void)demand_kind("int x;\nthread t { x = 1; assert(x == 1); }", NULL, 0);
  (void)demand_kind("thread t { }", NULL, 0);
}

/* Nothing is entered half-way. */
Test(commands, atomic_blocks) {
  const char *others = "thread b { y = 1; }\nthread c { assert(x == 0); }";
  char source[256];
  (void)snprintf(source, sizeof source, "int x, y;\nthread a { atomic { x = 1; await(y == 1); x = 0; } }\n%s", others);
  demand_counts(source, 6, 7, 0, 0);
  /* entered half-way, c would see x == 1 */
  (void)snprintf(source, sizeof source, "int x, y;\nthread a { x = 1; await(y == 1); x = 0; }\n%s", others);
  (void)demand_kind(source, "assertion", 4);
  demand_counts("int x;\nthread a { atomic { if (*) { x = 1; } else { x = 1; } } }", 2, 1, 0, 0);
  demand_counts("int x;\nthread a { atomic { if (*) { } else { } } }", 2, 1, 0, 0);
  demand_counts("int x;\nthread a { atomic { if (*) { x = 1; } else { x = 2; } } }", 3, 2, 0, 0);
  demand_counts("int x;\nthread a { atomic { } }", 2, 1, 0, 0);
  /* what is set before a guard counts for it; an effect that fails before a guard is told */
  demand_counts("int x;\nthread a { atomic { x = 1; await(x == 1); } }", 2, 1, 0, 0);
  demand_counts("int x;\nthread a { atomic { x = 1; await(x == 0); } }", 1, 0, 1, 0);
  (void)demand_kind("int x, y;\nthread a {\natomic { x = 1 / y; await(y == 1); }\n}", "division-by-zero", 3);
  demand_counts("int x;\nthread a { atomic { while (x < 3) { x = x + 1; } } assert(x == 3); }", 3, 2, 0, 0);
  /* a block right after a step, and two blocks in a row, stay apart */
  demand_counts("int x;\nthread a { x = 1; atomic { if (x == 1) { x = 2; } } atomic { while (x > 0) { x = x - 1; } } }",
                4, 3, 0, 0);
  demand_counts("int x;\nthread a { while (x < 3) { atomic { if (*) { x = x + 1; } } } }", 8, 10, 0, 0);
  demand_counts(
      "lock l, m;\nthread a { atomic { lock(l); lock(m); } atomic { unlock(m); unlock(l); } }\n"
      "thread b { atomic { lock(m); lock(l); } atomic { unlock(l); unlock(m); } }",
      8, 8, 0, 0);
}

Test(commands, waiting_and_pruning) {
  demand_counts("int x;\nthread a { await(x == 1); }", 1, 0, 1, 0);
  demand_counts("int x;\nthread a { assume(x == 1); }", 1, 0, 0, 0);
  demand_counts("int x;\nthread a { atomic { assume(x == 1); x = 2; } }", 1, 0, 0, 0);
  demand_counts("int x;\nthread a { atomic { x = 2; assume(x == 1); } }", 1, 0, 1, 0);
  demand_counts("int x;\nthread a { atomic { await(x == 1); x = 2; } }", 1, 0, 1, 0);
  demand_counts("int x;\nthread a { assume(x == 1); }\nthread b { await(x == 1); }", 1, 0, 0, 0);
  demand_counts("int x;\ndaemon thread a { assume(x == 1); }\nthread b { await(x == 1); }", 1, 0, 0, 0);
  demand_counts("int x;\ndaemon thread a { await(x == 1); }", 1, 0, 0, 0);
  demand_counts("int x;\ndaemon thread a { await(x == 1); }\nthread b { await(x == 2); }", 1, 0, 1, 0);
}

Test(commands, left_behind_while_others_go_on) {
  const char *source = "int x;\ndaemon thread a { while (1) { skip; } }\nthread b { await(x == 1); }";
  run_text r = command(HD_COMMAND_CHECK, source, true);
  cr_assert(r.result->verdict == HD_VERDICT_VIOLATED && r.result->finding_count == 1);
  cr_assert_str_eq(r.result->findings[0].kind, "deadlock");
  cr_assert(r.result->findings[0].cycle == 1 && r.result->findings[0].length == 0);
  run_text_free(&r);
  (void)demand_kind("int x;\ndaemon thread a { while (1) { x = 1; } }\nthread b { await(x == 1); }", NULL, 0);
  (void)demand_kind("int x;\ndaemon thread a { while (1) { skip; } }\nthread b { assume(x == 1); }", NULL, 0);
  (void)demand_kind("int x;\ndaemon thread a { while (1) { skip; } }\ndaemon thread b { await(x == 1); }", NULL, 0);
}

static const hd_fact *fact(const hd_result *result, const char *name) {
  for (size_t i = 0; i < result->fact_count; i++) {
    if (strcmp(result->facts[i].name, name) == 0) {
      return &result->facts[i];
    }
  }
  return NULL;
}

/* -1: the fact is not there. */
static int schedule_fact(const char *source, const char *name, size_t findings) {
  run_text r = command(HD_COMMAND_CHECK, source, true);
  const hd_fact *found = fact(r.result, name);
  int value = found == NULL ? -1 : (int)found->number;
  cr_assert(r.result->finding_count == findings, "%zu findings in %s", r.result->finding_count, source);
  run_text_free(&r);
  return value;
}

Test(commands, schedules) {
  const char *sequential = "int x;\nthread a { x = 1; }\nthread b { assert(x == 1); }";
  cr_assert(schedule_fact(sequential, "sequential_bug", 2) == 1);
  cr_assert(schedule_fact(sequential, "preemption_free_bug", 2) == -1);
  const char *waits =
      "int x, y;\nthread a { x = 1; await(y == 1); x = 2; }\nthread b { await(x == 1); assert(x == 2); y = 1; }";
  cr_assert(schedule_fact(waits, "sequential_bug", 2) == 0);
  cr_assert(schedule_fact(waits, "preemption_free_bug", 2) == 1);
  const char *preempted = "int x;\nthread a { x = 1; x = 0; }\nthread b { assert(x == 0); }";
  cr_assert(schedule_fact(preempted, "sequential_bug", 1) == 0);
  cr_assert(schedule_fact(preempted, "preemption_free_bug", 1) == 0);
  cr_assert(schedule_fact("int x;\nthread a { x = 1 / x; }", "sequential_bug", 2) == 1);
  /* a run that does not end is no complete run */
  cr_assert(schedule_fact("int x, y;\nthread a { x = 1; }\nthread b { assert(x == 1); await(y == 1); }",
                          "sequential_bug", 1) == 0);
}

Test(commands, fewest_switches) {
  /* the shortest run changes threads three times, a longer one once */
  const char *source =
      "int x, y, z;\n"
      "thread a { x = 1; await(z == 0); z = 1; skip; skip; y = 1; }\n"
      "thread b { if (x == 1 && z == 0) { await(z == 1); assert(y == 1); } if (y == 1) { assert(0); } }";
  uint64_t switches[2], length[2];
  for (int fewest = 0; fewest < 2; fewest++) {
    run_text r;
    run_text_init(&r);
    r.options.fewest_switches = fewest == 1;
    run_text_command(&r, HD_COMMAND_CHECK, "t.cw", source);
    cr_assert(r.status == HD_OK && r.result->verdict == HD_VERDICT_VIOLATED);
    const hd_finding *finding = &r.result->findings[0];
    switches[fewest] = 0;
    for (size_t i = 1; i < finding->trace_lines; i++) {
      switches[fewest] += strcmp(finding->trace[i].actor, finding->trace[i - 1].actor) != 0;
    }
    length[fewest] = finding->length;
    cr_assert(finding->shortest == hd_shortest_if(fewest == 0));
    const hd_fact *told = fact(r.result, "context_switches");
    cr_assert(fewest == 0 ? told == NULL : told != NULL && told->number == switches[1]);
    run_text_free(&r);
  }
  cr_assert(switches[0] == 3 && switches[1] == 1 && length[0] < length[1], "%d %d", (int)switches[0], (int)switches[1]);
}

static run_text with_access(hd_command which, const char *source) {
  run_text r;
  run_text_init(&r);
  r.options.reduction = false;
  r.options.granularity = 1;
  run_text_command(&r, which, "t.cw", source);
  cr_assert(r.status == HD_OK);
  return r;
}

static void demand_access(const char *source, uint64_t states, uint64_t transitions) {
  run_text r = with_access(HD_COMMAND_EXPLORE, source);
  cr_assert(r.result->states == states && r.result->transitions == transitions, "%" PRIu64 " %" PRIu64 " for %s",
            r.result->states, r.result->transitions, source);
  run_text_free(&r);
}

Test(commands, granularity_access) {
  demand_access("int x;\nthread a { x = 1; }", 2, 1);
  demand_access("int x;\nthread a { x = x + 1; }", 3, 2);
  demand_access("int x;\nthread a { int r; r = x; r = r + r; }", 3, 2);
  demand_access("int x, y;\nthread a { int r; r = x + y; }", 3, 2);
  demand_access("int x, y;\nthread a { assert(x == y); }", 3, 2);
  demand_access("int x = 1, y;\nthread a { if (x && y) { skip; } }", 3, 2); /* y is read because x holds */
  demand_access("int x, y, z;\nthread a { z = x && y; }", 3, 2);            /* y is not read */
  demand_access("int x = 1, y, z;\nthread a { z = x && y; }", 4, 3);
  demand_access("int x = 1, a[2];\nthread t { int r; r = a[x]; }", 3, 2);
  demand_access("int x, y;\nthread a { atomic { x = x + y; } }", 2, 1);
  demand_access("int x, y;\nthread a { await(x == y); }", 2, 1);
  /* two increments: one can be lost */
  const char *source = "int x;\nthread a { x = x + 1; }\nthread b { x = x + 1; }\nthread c { await(x == 1); }";
  run_text r = with_access(HD_COMMAND_EXPLORE, source);
  cr_assert(r.result->deadlocks == 1);
  run_text_free(&r);
  demand_counts(source, 7, 8, 1, 0);
}

Test(commands, yields) {
  /* with a yield, b is not interrupted between its steps */
  demand_counts("thread a { skip; skip; }\nthread b { skip; skip; }", 9, 12, 0, 0);
  demand_counts("thread a { skip; yield; }\nthread b { skip; skip; }", 9, 10, 0, 0);
  (void)demand_kind("int x;\nthread a { x = 1; x = 0; yield; }\nthread b { assert(x == 0); }", NULL, 0);
  (void)demand_kind("int x;\nthread a { x = 1; yield; x = 0; }\nthread b { assert(x == 0); }", "assertion", 3);
  /* a loop comes back to where others may not move, though it began where they may */
  (void)demand_kind(
      "int x, n;\nthread a { while (n < 2) { x = 1 - x; n = n + 1; } }\n"
      "thread b { assert(x == 0); yield; }",
      NULL, 0);
}

Test(commands, watomic_excludes_watomic_only) {
  const char *held = "int x;\nthread a { watomic { x = 1; x = 0; } }\n";
  char source[256];
  (void)snprintf(source, sizeof source, "%sthread b { watomic { assert(x == 0); } }", held);
  (void)demand_kind(source, NULL, 0);
  (void)snprintf(source, sizeof source, "%sthread b { assert(x == 0); }", held);
  (void)demand_kind(source, "assertion", 3);
  /* waiting inside keeps the token */
  (void)demand_kind("int x;\nthread a { watomic {\nskip; await(x == 1); } }\nthread b { watomic { x = 1; } }",
                    "deadlock", 3);
  (void)demand_kind("int x;\nthread a { watomic { await(x == 1); } }\nthread b { watomic { x = 1; } }", NULL, 0);
  demand_counts("int x;\nthread a { watomic { while (x < 2) { x = x + 1; } } }", 6, 5, 0, 0);
  demand_counts("thread a { watomic { skip; skip; } }\nthread b { watomic { skip; skip; } }", 8, 8, 0, 0);
}

Test(commands, axioms_prune) {
  demand_counts("int x;\naxiom(x < 2);\nthread a { x = 1; x = 2; x = 3; }", 3, 2, 0, 0);
  demand_counts("int x;\naxiom(x < 2);\nthread a { x = 2; assert(0); }", 2, 1, 0, 0);
  demand_counts("int x;\naxiom(x < 2);\nthread a { atomic { x = 2; x = 1; } }", 1, 0, 1, 0);
  (void)demand_kind("int x;\naxiom(x == 0);\nthread a { x = 1; assert(x == 0); }", NULL, 0);
}

Test(commands, async_and_join) {
  (void)demand_kind(
      "int x;\nproc p(int v, ref w) { w = v; }\n"
      "thread t { int h; h = async p(7, x); join(h); assert(x == 7); }",
      NULL, 0);
  (void)demand_kind(
      "int x;\nproc p(int v, ref w) { w = v; }\nthread t { int h;\nh = async p(7, x);\nassert(x == 7);\n}", "assertion",
      5);
  /* a thread may be started anew when it has ended */
  (void)demand_kind(
      "int x;\nproc p() { x = x + 1; }\nthread t { int h, i;\n"
      "while (i < 3) { h = async p(); join(h); i = i + 1; } assert(x == 3); }",
      NULL, 0);
  /* while it runs that is a bound of the model */
  run_text r = command(HD_COMMAND_CHECK, "int x;\nproc p() { x = 1; }\nthread t { while (*) { async p(); } }", true);
  cr_assert(r.result->verdict == HD_VERDICT_INCONCLUSIVE && strstr(r.result->not_covered, "async") != NULL);
  run_text_free(&r);
  (void)demand_kind("int x;\nproc p() { await(x == 1); }\nthread t {\nasync p();\n}", "deadlock", 4);
  (void)demand_kind(
      "int i = 1, a[3];\nproc p(ref e) { e = 5; }\nthread t { int h; h = async p(a[i]); join(h); i = 0;\n"
      "assert(a[1] == 5 && a[0] == 0); }",
      NULL, 0);
}

Test(commands, procedures) {
  (void)demand_kind(
      "int x, y;\nproc swap(ref a, ref b) { int t; t = a; a = b; b = t; }\n"
      "thread t { x = 1; y = 2; swap(x, y); assert(x == 2 && y == 1); swap(y, x); assert(x == 1); }",
      NULL, 0);
  /* the element that was meant when the call was made; locals begin anew with each call */
  (void)demand_kind(
      "int i, a[2];\nproc p(ref e) { int n; i = 1; e = 4; assert(n == 0); n = 9; }\n"
      "thread t { p(a[i]); assert(a[0] == 4 && a[1] == 0); p(a[i]); assert(a[1] == 4); }",
      NULL, 0);
  demand_counts("int x;\nproc p(ref a) { a = a + 1; }\nthread t { p(x); p(x); }", 3, 2, 0, 0);
  demand_counts("int x;\nproc p(int a) { x = a; }\nthread t { p(1); }", 3, 2, 0, 0);
}

Test(commands, nondeterminism) {
  demand_counts("int x;\nthread t { x = nondet(1, 3); }", 4, 3, 0, 0);
  demand_counts("int x;\nthread t { x = nondet(0, 1) + 2 * nondet(0, 2); }", 7, 6, 0, 0);
  demand_counts("int x = nondet(0, 3);\nthread t { assert(x < 3); }", 8, 4, 0, 1);
  demand_counts("int x;\nthread t { if (*) { x = 1; } }", 4, 3, 0, 0);
}

Test(commands, limits_are_told) {
  run_text r;
  run_text_init(&r);
  r.options.depth = 2;
  run_text_command(&r, HD_COMMAND_CHECK, "t.cw", "int x;\nthread t { x = 1; x = 2; x = 3; assert(x == 3); }");
  cr_assert(r.status == HD_OK && r.result->verdict == HD_VERDICT_INCONCLUSIVE && r.result->not_covered != NULL);
  run_text_free(&r);
}

Test(commands, traces_name_what_changed) {
  run_text r = command(HD_COMMAND_CHECK,
                       "int x, a[2];\nthread t {\n  int r;\n  a[1] = 5;\n  if (a[1] == 5) {\n    r = 7;\n"
                       "  }\n  assert(r == 0);\n}",
                       true);
  const hd_finding *f = &r.result->findings[0];
  cr_assert(f->trace_lines == 4);
  static const char *const labels[] = {"a[1] = 5", "if (a[1] == 5)", "r = 7", "assert(r == 0)"};
  static const char *const notes[] = {"a[1]: 0 -> 5", "holds", "r: 0 -> 7", "the assertion fails"};
  static const uint32_t lines[] = {4, 5, 6, 8};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_str_eq(f->trace[i].actor, "t");
    cr_assert_str_eq(f->trace[i].label, labels[i]);
    cr_assert_str_eq(f->trace[i].note, notes[i]);
    cr_assert(f->trace[i].position.line == lines[i]);
  }
  cr_assert(strstr(r.result->dot, "digraph") != NULL && strstr(r.result->dot, "color=red") != NULL);
  run_text_free(&r);
}
