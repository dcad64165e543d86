/* heddle-bench: one workload, one row.
 *
 *   heddle-bench WORKLOAD N[,K] [OPTION...]     explore it and print a CSV row with its header (or JSON)
 *   heddle-bench calibrate [--threads N]        the calibration kernel (calibrate.h)
 *   heddle-bench list                           the workloads
 *
 * The numbers of states and transitions are compared with the exact ones before a time is printed: a wrong count ends
 * with exit code 1 and no row. `verified` is "no" when no exact numbers are known or the search was cut short.
 * Exit codes: 0, 1 wrong counts, 2 command line, 4 cut short without --budget, or out of memory.
 *
 * This is a program for scripts: it prints plain rows, has no signal handlers and takes every setting from its command
 * line. Threads: those of the search. */
#include "bench/calibrate.h"
#include "bench/workloads.h"
#include "core/base/machine.h"
#include "core/base/option_parse.h"
#include "core/explore/explore.h"
#include "core/report/print_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
  hd_workload workload;
  hd_workload_size size;
  hd_search search;
  uint32_t repeat;
  bool json, header;
  const char *print; /* NULL, or the language the workload is printed in */
} bench;

static const char *const store_names[] = {
#define STORE_NAME(identifier, name) name,
    HD_STORE_TABLE(STORE_NAME)
#undef STORE_NAME
};

static const char *const order_names[] = {
#define ORDER_NAME(identifier, name, help) name,
    HD_ORDER_TABLE(ORDER_NAME)
#undef ORDER_NAME
};

/* ---- the command line ---- */

static int wrong(const char *what, const char *value) {
  fprintf(stderr, "heddle-bench: error: %s: %s\n", what, value);
  return 2;
}

static bool find_name(const char *const *names, size_t count, const char *value, int *out) {
  for (size_t i = 0; i < count; i++) {
    if (names[i] != NULL && strcmp(names[i], value) == 0) {
      *out = (int)i;
      return true;
    }
  }
  return false;
}

static bool set_threads(bench *b, const char *value) {
  return hdi_parse_uint(value, &b->search.threads) == HDI_PARSED && b->search.threads <= HD_TEAM_MAX;
}

static bool set_store(bench *b, const char *value) {
  int store = 0;
  bool known = find_name(store_names, sizeof store_names / sizeof store_names[0], value, &store);
  b->search.store = (hd_store)store;
  return known;
}

static bool set_order(bench *b, const char *value) {
  int order = 0;
  bool known = find_name(order_names, sizeof order_names / sizeof order_names[0], value, &order);
  b->search.order = (hd_order)order;
  return known;
}

static bool set_reduction(bench *b, const char *value) {
  static const char *const names[HD_REDUCE_COUNT] = {
      [HD_REDUCE_NOTHING] = "none", [HD_REDUCE_FOR_DEADLOCKS] = "deadlocks", [HD_REDUCE_FOR_CHECKS] = "checks"};
  int reduction = 0;
  bool known = find_name(names, HD_REDUCE_COUNT, value, &reduction);
  b->search.reduction = (hd_reduce)reduction;
  return known;
}

static bool set_native(bench *b, const char *value) {
  static const char *const names[] = {[HD_NATIVE_OFF] = "off", [HD_NATIVE_ON] = "on", [HD_NATIVE_WAIT] = "wait"};
  int native = 0;
  bool known = find_name(names, sizeof names / sizeof names[0], value, &native);
  b->search.native = (hd_native_mode)native;
  return known;
}

static bool set_memory(bench *b, const char *value) {
  uint64_t bytes = 0;
  bool read = hdi_parse_size(value, &bytes) == HDI_PARSED;
  b->search.memory_max_bytes = (size_t)bytes;
  return read;
}

static bool set_budget(bench *b, const char *value) {
  return hdi_parse_size(value, &b->search.states_budget) == HDI_PARSED;
}

static bool set_words(bench *b, const char *value) {
  return hdi_parse_uint(value, &b->size.words) == HDI_PARSED;
}

static bool set_repeat(bench *b, const char *value) {
  return hdi_parse_uint(value, &b->repeat) == HDI_PARSED && b->repeat >= 1;
}

static bool set_format(bench *b, const char *value) {
  b->json = strcmp(value, "json") == 0;
  return b->json || strcmp(value, "csv") == 0;
}

static bool set_header(bench *b, const char *value) {
  b->header = strcmp(value, "on") == 0;
  return b->header || strcmp(value, "off") == 0;
}

static bool set_simd(bench *b, const char *value) {
  (void)b;
  static const char *const names[HD_SIMD_COUNT] = {
      [HD_SIMD_NONE] = "none", [HD_SIMD_AVX2] = "avx2", [HD_SIMD_AVX512] = "avx512"};
  int simd = 0;
  bool known = find_name(names, HD_SIMD_COUNT, value, &simd);
  if (known) {
    hd_machine_limit_simd((hd_simd)simd);
  }
  return known;
}

static bool set_print(bench *b, const char *value) {
  b->print = value;
  return strcmp(value, "fsa") == 0 || strcmp(value, "promela") == 0 || strcmp(value, "murphi") == 0;
}

static const struct {
  const char *name, *argument, *help;
  bool (*set)(bench *b, const char *value);
} options[] = {
    {"--threads", "N", "worker threads (default 1; 0: all cores)", set_threads},
    {"--store", "NAME", "the visited set's store (default auto)", set_store},
    {"--order", "NAME", "order of the search (default: by levels)", set_order},
    {"--reduction", "none|deadlocks|checks", "leave out steps: fewer states, which are not verified", set_reduction},
    {"--native", "off|on|wait", "compile the model beside the search, or before it", set_native},
    {"--simd", "none|avx2|avx512", "use no better vector instructions than these", set_simd},
    {"--memory", "SIZE", "memory budget, e.g. 4G", set_memory},
    {"--budget", "STATES", "stop after the level in which this many states are known, e.g. 10M (M is 2^20)",
     set_budget},
    {"--words", "N", "states of at least N words", set_words},
    {"--repeat", "N", "explore N times, one row each", set_repeat},
    {"--format", "csv|json", "form of the rows", set_format},
    {"--header", "on|off", "print the CSV header (default on)", set_header},
    {"--print", "fsa|promela|murphi", "print the workload instead of exploring it", set_print},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

static void print_names(FILE *out, const char *what, const char *const *names, size_t count) {
  fprintf(out, "%s:", what);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, " %s", names[i]);
  }
  fputc('\n', out);
}

static void print_usage(FILE *out) {
  fprintf(out,
          "usage: heddle-bench WORKLOAD N[,K] [OPTION VALUE]...\n"
          "       heddle-bench calibrate [--threads N]\n"
          "       heddle-bench list\n\noptions:\n");
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    fprintf(out, "  %-11s %-21s %s\n", options[i].name, options[i].argument, options[i].help);
  }
  print_names(out, "stores", store_names, sizeof store_names / sizeof store_names[0]);
  print_names(out, "orders", order_names, sizeof order_names / sizeof order_names[0]);
}

static int parse_options(bench *b, int argc, char *const *argv) {
  for (int i = 0; i < argc; i += 2) {
    size_t o = 0;
    while (o < OPTION_COUNT && strcmp(options[o].name, argv[i]) != 0) {
      o++;
    }
    if (o == OPTION_COUNT) {
      return wrong("unknown option", argv[i]);
    }
    if (i + 1 == argc) {
      return wrong("an option without its value", argv[i]);
    }
    if (!options[o].set(b, argv[i + 1])) {
      return wrong(argv[i], argv[i + 1]);
    }
  }
  return 0;
}

/* N or N,K */
static bool parse_size(bench *b, char *text) {
  char *comma = strchr(text, ',');
  if (comma != NULL) {
    *comma = '\0';
    if (hdi_parse_uint(comma + 1, &b->size.k) != HDI_PARSED) {
      return false;
    }
  }
  return hdi_parse_uint(text, &b->size.n) == HDI_PARSED && hd_workload_fits(b->workload, b->size);
}

/* ---- rows ---- */

/* One column: its name, and its value as text; `quoted` in JSON. */
typedef struct column {
  const char *name;
  bool quoted;
  char text[48];
} column;

enum { COLUMNS_MAX = 32 };

typedef struct row {
  column columns[COLUMNS_MAX];
  size_t count;
} row;

static column *next_column(row *r, const char *name, bool quoted) {
  column *c = &r->columns[r->count++];
  c->name = name;
  c->quoted = quoted;
  return c;
}

static void put_text(row *r, const char *name, const char *value) {
  column *c = next_column(r, name, true);
  (void)snprintf(c->text, sizeof c->text, "%s", value);
}

static void put_count(row *r, const char *name, uint64_t value) {
  column *c = next_column(r, name, false);
  (void)snprintf(c->text, sizeof c->text, "%" PRIu64, value);
}

static void put_real(row *r, const char *name, double value) {
  column *c = next_column(r, name, false);
  (void)snprintf(c->text, sizeof c->text, "%.6g", value);
}

static double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

static void fill_row(row *r, const bench *b, const hd_outcome *outcome, bool verified) {
  double states = (double)outcome->states, transitions = (double)outcome->transitions;
  put_text(r, "workload", hd_workload_name(b->workload));
  put_count(r, "n", b->size.n);
  put_count(r, "k", b->size.k);
  put_count(r, "words", hd_model_words(b->search.model));
  put_count(r, "bits", hd_model_bits(b->search.model));
  put_count(r, "threads", outcome->threads);
  put_text(r, "store", outcome->store);
  put_text(r, "order", hd_order_name(b->search.order));
  put_text(r, "reduced", outcome->reduction == HD_REDUCE_NOTHING ? "no" : "yes");
  put_text(r, "native", outcome->native == HD_NATIVE_USED ? "yes" : "no");
  put_real(r, "compile_seconds", outcome->native_wait_seconds);
  put_text(r, "simd", hd_simd_name(hd_machine_simd()));
  put_count(r, "states", outcome->states);
  put_count(r, "transitions", outcome->transitions);
  put_count(r, "levels", outcome->levels);
  put_count(r, "stopped", outcome->stopped);
  put_real(r, "branching", ratio(transitions, (double)outcome->expanded));
  put_real(r, "seconds", outcome->seconds);
  put_real(r, "mstates_per_second", ratio(states / 1e6, outcome->seconds));
  put_real(r, "mtransitions_per_second", ratio(transitions / 1e6, outcome->seconds));
  put_real(r, "table_bytes_per_state", ratio((double)outcome->visited_bytes, states));
  put_real(r, "load", ratio(states, (double)outcome->visited_slots));
  put_count(r, "table_bytes", outcome->visited_bytes);
  put_count(r, "frontier_bytes", outcome->frontier_bytes);
  put_count(r, "resident_bytes", outcome->memory_bytes);
  put_count(r, "peak_bytes", hd_machine_peak_bytes());
  put_text(r, "complete", outcome->end == HD_END_COMPLETE ? "yes" : "no");
  put_text(r, "verified", verified ? "yes" : "no");
}

/* Fields with a comma are quoted in CSV. */
static void print_csv(const row *r, bool header) {
  for (size_t i = 0; header && i < r->count; i++) {
    printf("%s%s", i == 0 ? "" : ",", r->columns[i].name);
  }
  if (header) {
    putchar('\n');
  }
  for (size_t i = 0; i < r->count; i++) {
    const char *quote = strchr(r->columns[i].text, ',') != NULL ? "\"" : "";
    printf("%s%s%s%s", i == 0 ? "" : ",", quote, r->columns[i].text, quote);
  }
  putchar('\n');
}

static void print_json(const row *r) {
  for (size_t i = 0; i < r->count; i++) {
    const char *quote = r->columns[i].quoted ? "\"" : "";
    printf("%s\"%s\":%s%s%s", i == 0 ? "{" : ",", r->columns[i].name, quote, r->columns[i].text, quote);
  }
  printf("}\n");
}

/* ---- commands ---- */

static int out_of_memory(void) {
  fprintf(stderr, "heddle-bench: error: %s\n", hd_status_words(HD_E_NOMEM));
  return 4;
}

/* 0; 1 when the counts are not the exact ones. */
static int compare_counts(const bench *b, const hd_outcome *outcome, bool *verified) {
  uint64_t states = 0, transitions = 0;
  *verified = false;
  if (outcome->end != HD_END_COMPLETE || outcome->reduction != HD_REDUCE_NOTHING ||
      !hd_workload_expected(b->workload, b->size, &states, &transitions)) {
    return 0;
  }
  *verified = outcome->states == states && outcome->transitions == transitions;
  if (!*verified) {
    fprintf(stderr,
            "heddle-bench: error: %s %" PRIu32 ": %" PRIu64 " states and %" PRIu64 " transitions, but exactly %" PRIu64
            " and %" PRIu64 " are right\n",
            hd_workload_name(b->workload), b->size.n, outcome->states, outcome->transitions, states, transitions);
  }
  return *verified ? 0 : 1;
}

static int explore_once(const bench *b, bool header) {
  hd_outcome outcome;
  if (hd_explore(&b->search, &outcome) != HD_OK) {
    return out_of_memory();
  }
  bool verified = false;
  int code = compare_counts(b, &outcome, &verified);
  if (code == 0) {
    row r = {.count = 0};
    fill_row(&r, b, &outcome, verified);
    if (b->json) {
      print_json(&r);
    } else {
      print_csv(&r, header);
    }
    if (outcome.end != HD_END_COMPLETE && outcome.end != HD_END_BUDGET) {
      fprintf(stderr, "heddle-bench: %s\n", hd_end_words(outcome.end));
      code = 4;
    }
  }
  hd_outcome_clear(&outcome);
  return code;
}

static int explore(bench *b) {
  hd_model *model = NULL;
  if (hd_workload_build(b->workload, b->size, &model) != HD_OK) {
    return out_of_memory();
  }
  b->search.model = model;
  int code = 0;
  for (uint32_t i = 0; code == 0 && i < b->repeat; i++) {
    code = explore_once(b, b->header && i == 0);
  }
  hd_model_free(model);
  return code;
}

static hd_status print_for_peers(const bench *b, hd_buffer *out, const char **why) {
  hd_model *model = NULL;
  hd_status status = hd_workload_build(b->workload, b->size, &model);
  if (status == HD_OK) {
    bool murphi = strcmp(b->print, "murphi") == 0;
    status = murphi ? hd_model_print_murphi(model, out, why) : hd_model_print_promela(model, out, why);
  }
  hd_model_free(model);
  return status;
}

static int print(const bench *b) {
  hd_buffer out = {0};
  const char *why = NULL;
  hd_status status = HD_OK;
  if (strcmp(b->print, "fsa") != 0) {
    status = print_for_peers(b, &out, &why);
  } else if (!hd_workload_print_fsa(b->workload, b->size, &out)) {
    status = HD_E_LIMIT;
    why = "it is no system of machines with queues";
  }
  int code = 0;
  if (why != NULL) {
    code = wrong("the workload cannot be printed", why);
  } else if (status != HD_OK || out.failed) {
    code = out_of_memory();
  } else {
    fputs(out.data, stdout);
  }
  hd_buffer_free(&out);
  return code;
}

static int calibrate(const bench *b) {
  double rate = 0;
  uint32_t threads = b->search.threads == 0 ? hd_team_default_count() : b->search.threads;
  if (hd_calibrate(threads, &rate) != HD_OK) {
    return out_of_memory();
  }
  if (b->header) {
    printf("threads,million_inserts_per_second\n");
  }
  printf("%" PRIu32 ",%.6g\n", threads, rate);
  return 0;
}

static int list(void) {
  for (unsigned i = 0; i < HD_WORKLOAD_COUNT; i++) {
    hd_workload workload = (hd_workload)i;
    printf("%-11s %s  %s\n", hd_workload_name(workload), hd_workload_has_k(workload) ? "N,K" : "N  ",
           hd_workload_words(workload));
  }
  return 0;
}

static int run(bench *b, int argc, char **argv) {
  if (argc < 2 || strcmp(argv[1], "--help") == 0) {
    print_usage(argc < 2 ? stderr : stdout);
    return argc < 2 ? 2 : 0;
  }
  if (strcmp(argv[1], "list") == 0) {
    return argc == 2 ? list() : wrong("list takes no argument", argv[2]);
  }
  bool kernel = strcmp(argv[1], "calibrate") == 0;
  int first = kernel ? 2 : 3;
  b->workload = hd_workload_find(argv[1]);
  if (!kernel && b->workload == HD_WORKLOAD_COUNT) {
    return wrong("there is no workload of this name", argv[1]);
  }
  if (!kernel && (argc < 3 || !parse_size(b, argv[2]))) {
    return wrong("a size this workload does not have", argc < 3 ? "none given" : argv[2]);
  }
  int code = parse_options(b, argc - first, argv + first);
  if (code == 0 && !kernel && !hd_workload_fits(b->workload, b->size)) {
    code = wrong("--words", "too many");
  }
  return code != 0 ? code : kernel ? calibrate(b) : b->print != NULL ? print(b) : explore(b);
}

int main(int argc, char **argv) {
  bench b = {.search = {.threads = 1}, .repeat = 1, .header = true};
  int code = run(&b, argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("heddle-bench");
    return code != 0 ? code : 3;
  }
  return code;
}
