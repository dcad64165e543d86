/* Random programs (random_go.c): the reference's two ways to treat a partner that may not have arrived yet agree; their
 * Go text is read without complaint, whatever its style; and where Go is (HEDDLE_GO in the environment, `ctest -C
 * full`), it compiles, and what its runs end in is what the reference says they may end in. */
#include "frontends/minigo/program.h"
#include "tests/support/go_reference.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

TestSuite(go_random);

static bool is_full(void) {
  return getenv("HEDDLE_FULL") != NULL;
}

static size_t states_max(void) {
  return is_full() ? 5000 : 1500;
}

/* The program of a seed, or NULL where the reference does not get to the end of it. */
static gr_program *program_of(uint64_t seed, gr_verdicts *verdicts) {
  gr_program *program = malloc(sizeof *program);
  cr_assert_not_null(program);
  char *text = gr_random(seed);
  gr_read(program, text);
  free(text);
  *verdicts = gr_explore(program, GR_MAY_BE_THERE, states_max());
  if (!verdicts->complete) {
    free(program);
    return NULL;
  }
  return program;
}

static bool holds(const gr_verdicts *v) {
  return !v->global_deadlock && !v->panic && !v->leak;
}

Test(go_random, arrival_does_not_matter, .timeout = 240) {
  uint64_t count = is_full() ? 20000 : HD_TEST_COUNT(400), tried = 0, holding = 0;
  for (uint64_t seed = 0; seed < count; seed++) {
    gr_verdicts v;
    gr_program *program = program_of(seed, &v);
    if (program == NULL) {
      continue;
    }
    gr_verdicts w = gr_explore(program, GR_PARKS, 10 * states_max());
    free(program);
    if (!w.complete) {
      continue;
    }
    tried++;
    holding += holds(&v);
    cr_expect(v.global_deadlock == w.global_deadlock && v.panic == w.panic && v.leak == w.leak, "seed %" PRIu64, seed);
    /* That one is parked may settle a leak a step before it shows otherwise. */
    cr_expect(v.to_global_deadlock == w.to_global_deadlock && v.to_panic == w.to_panic && v.to_leak >= w.to_leak,
              "seed %" PRIu64, seed);
  }
  cr_expect(tried * 10 > count * 8 && holding * 10 > tried, "%" PRIu64 " tried, %" PRIu64 " hold", tried, holding);
}

Test(go_random, texts_are_read) {
  uint64_t count = HD_TEST_COUNT(100);
  gr_program *program = malloc(sizeof *program);
  cr_assert_not_null(program);
  for (uint64_t seed = 0; seed < count; seed++) {
    char *notation = gr_random(seed);
    gr_read(program, notation);
    free(notation);
    for (int style = 0; style < GR_STYLES; style++) {
      char *bytes = gr_print(program, (gr_style)style);
      hd_text *text = NULL;
      hd_diag *diag = hd_diag_new();
      cr_assert(diag != NULL && hd_text_from_bytes("random.go", bytes, strlen(bytes), &text) == HD_OK);
      hd_go_package *package = NULL;
      hd_status status = hd_go_read((const hd_text *const[]){text}, 1, diag, &package);
      cr_assert(status == HD_OK && hd_diag_count(diag) == 0, "seed %" PRIu64 " style %d", seed, style);
      hd_go_package_free(package);
      hd_diag_free(diag);
      hd_text_free(text);
      free(bytes);
    }
  }
  free(program);
}

/* ---- with Go ---- */

static int shell(const char *command) {
  int status = system(command);
  cr_assert(WIFEXITED(status), "%s", command);
  return WEXITSTATUS(status);
}

static void load(const temp_folder *folder, const char *name, char *text, size_t size) {
  FILE *file = fopen(temp_folder_path(folder, name), "r");
  cr_assert_not_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

/* What a run ended in: G, P and L as in test_go_reference.c, '-' for anything else. What a panic or a deadlock prints
 * stands in the file `err`, the rest in `out`. */
static char end_of_run(const temp_folder *folder, int seed) {
  static char said[1 << 16];
  load(folder, "err", said, sizeof said);
  if (strstr(said, "all goroutines are asleep") != NULL) {
    return 'G';
  }
  if (strstr(said, "panic:") != NULL || strstr(said, "fatal error: sync") != NULL) {
    return 'P';
  }
  cr_expect(said[0] == '\0', "seed %d: %.200s", seed, said);
  load(folder, "out", said, sizeof said);
  return strstr(said, "BLOCKED") != NULL ? 'L' : '-';
}

enum { PROGRAMS = 120, RUNS = 8, FIRST_SEED = 5000 };

/* Writes the text of each program that the reference gets to the end of, and builds all. */
static void build(const temp_folder *folder, const char *go, gr_verdicts *verdicts) {
  temp_folder_write_text(folder, "go.mod", "module random\n\ngo 1.19\n");
  for (int i = 0; i < PROGRAMS; i++) {
    gr_program *program = program_of((uint64_t)(FIRST_SEED + i), &verdicts[i]);
    if (program != NULL) {
      char name[40];
      snprintf(name, sizeof name, "p%d/main.go", i);
      char *text = gr_print_shaken(program, (gr_style)(i % GR_STYLES));
      temp_folder_write_text(folder, name, text);
      free(text);
      free(program);
    }
  }
  char command[500];
  snprintf(command, sizeof command, "cd '%s' && mkdir bin && GOFLAGS=-mod=mod GOPROXY=off '%s' build -o bin ./...",
           folder->path, go);
  cr_assert_eq(shell(command), 0, "the printed programs do not compile");
}

/* No run ends in what the reference rules out; and most of what it does not rule out is seen. */
Test(go_random, runs_end_as_said, .timeout = 900) {
  const char *go = getenv("HEDDLE_GO");
  if (go == NULL) {
    return;
  }
  static gr_verdicts verdicts[PROGRAMS];
  temp_folder folder = temp_folder_make();
  build(&folder, go, verdicts);
  int possible = 0, seen = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    const gr_verdicts *v = &verdicts[i];
    bool global_deadlock = false, panic = false, leak = false;
    for (int run = 0; run < RUNS && v->complete; run++) {
      char command[500];
      snprintf(command, sizeof command, "cd '%s' && GOMAXPROCS=%d timeout 1 bin/p%d >out 2>err", folder.path,
               1 + run % 4, i);
      shell(command);
      char end = end_of_run(&folder, FIRST_SEED + i);
      global_deadlock |= end == 'G';
      panic |= end == 'P';
      leak |= end == 'L';
    }
    cr_expect(v->global_deadlock || !global_deadlock, "seed %d ends in a deadlock", FIRST_SEED + i);
    cr_expect(v->panic || !panic, "seed %d ends in a panic", FIRST_SEED + i);
    cr_expect(v->leak || !leak, "seed %d ends with blocked goroutines", FIRST_SEED + i);
    possible += v->complete ? v->global_deadlock + v->panic + v->leak : 0;
    seen += global_deadlock + panic + leak;
  }
  cr_expect(possible > PROGRAMS / 2 && seen * 4 > possible * 3, "%d of %d possible ends were seen", seen, possible);
  temp_folder_remove(&folder);
}
