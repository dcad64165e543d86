/* heddle doctor: what this build has and what this machine gives, as text or as one JSON object (heddle.doctor/1).
 *
 * Every line is asked for at run time where it can be (library versions, cores, memory), so that the report describes
 * the process that runs and not the one that was built. Facts are collected once in a table and printed by either
 * printer. */
#include "cli/command.h"
#include "cli/output.h"
#include "cli/run.h"
#include "core/base/check.h"
#include "core/base/machine.h"
#include "hashing/visited.h"
#include "heddle/heddle.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#if HEDDLE_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

enum { FACTS_MAX = 24, FACT_TEXT_MAX = 160 };

typedef struct fact {
  const char *name;
  bool is_number;
  uint64_t number;
  char text[FACT_TEXT_MAX];
} fact;

typedef struct report {
  fact facts[FACTS_MAX];
  size_t count;
} report;

static fact *next_fact(report *r, const char *name) {
  HD_REQUIRE(r->count < FACTS_MAX);
  fact *f = &r->facts[r->count++];
  f->name = name;
  return f;
}

static void add_text(report *r, const char *name, const char *text) {
  fact *f = next_fact(r, name);
  snprintf(f->text, sizeof f->text, "%s", text);
}

static void add_number(report *r, const char *name, uint64_t number) {
  fact *f = next_fact(r, name);
  f->is_number = true;
  f->number = number;
}

static void add_compiler(report *r) {
#if defined(__clang__)
  add_text(r, "compiler", "clang " __clang_version__);
#else
  add_text(r, "compiler", "gcc " __VERSION__);
#endif
#ifdef NDEBUG
  add_text(r, "assertions", "off");
#else
  add_text(r, "assertions", "on");
#endif
}

static void add_allocator(report *r) {
#if HEDDLE_JEMALLOC
  const char *version = NULL;
  size_t size_bytes = sizeof version;
  if (mallctl("version", &version, &size_bytes, NULL, 0) == 0) {
    fact *f = next_fact(r, "allocator");
    snprintf(f->text, sizeof f->text, "jemalloc %s", version);
    return;
  }
#endif
  add_text(r, "allocator", "the system's");
}

static void add_libraries(report *r) {
  unsigned version = XXH_versionNumber();
  fact *f = next_fact(r, "xxhash");
  snprintf(f->text, sizeof f->text, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
  add_allocator(r);
  add_text(r, "jansson", jansson_version_str());
}

static void add_frontends(report *r) {
  fact *f = next_fact(r, "frontends");
  size_t used = 0;
  for (size_t i = 0; hd_frontends[i] != NULL && used < sizeof f->text; i++) {
    used += (size_t)snprintf(f->text + used, sizeof f->text - used, "%s%s", i == 0 ? "" : " ", hd_frontends[i]->name);
  }
}

/* What --store can ask for besides auto. */
static void add_stores(report *r) {
  fact *f = next_fact(r, "stores");
  size_t used = 0;
  for (uint32_t store = HD_STORE_AUTO + 1; store < HD_STORE_COUNT && used < sizeof f->text; store++) {
    used += (size_t)snprintf(f->text + used, sizeof f->text - used, "%s%s", used == 0 ? "" : " ",
                             hd_store_name((hd_store)store));
  }
}

static void collect(report *r) {
  add_text(r, "version", heddle_version_string());
  add_compiler(r);
  add_text(r, "team", hd_team_kind());
  add_number(r, "cores", hd_team_default_count());
  add_number(r, "memory_budget_bytes", hd_machine_memory_bytes());
  add_number(r, "huge_page_bytes", hd_machine_huge_page_bytes());
  add_text(r, "vector_instructions", hd_simd_name(hd_machine_simd()));
  add_libraries(r);
  add_frontends(r);
  add_stores(r);
}

static void print_text(const report *r, hd_buffer *out) {
  for (size_t i = 0; i < r->count; i++) {
    const fact *f = &r->facts[i];
    hd_buffer_printf(out, "%-20s ", f->name);
    if (f->is_number) {
      hd_buffer_printf(out, "%" PRIu64 "\n", f->number);
    } else {
      hd_buffer_printf(out, "%s\n", f->text);
    }
  }
}

static void print_json(const report *r, hd_buffer *out) {
  json_t *object = json_object();
  bool failed = json_object_set_new(object, "schema", json_string("heddle.doctor/1")) != 0;
  for (size_t i = 0; i < r->count; i++) {
    const fact *f = &r->facts[i];
    json_t *value =
        f->is_number ? json_integer((json_int_t)(f->number > INT64_MAX ? INT64_MAX : f->number)) : json_string(f->text);
    failed |= json_object_set_new(object, f->name, value) != 0;
  }
  char *line = failed ? NULL : json_dumps(object, JSON_COMPACT);
  json_decref(object);
  if (line == NULL) {
    out->failed = 1;
    return;
  }
  hd_buffer_printf(out, "%s\n", line);
  free(line);
}

int hdi_cmd_doctor(const hd_options *options) {
  report r = {.count = 0};
  collect(&r);
  hd_buffer out = {0};
  if (options->format == HD_FORMAT_JSON) {
    print_json(&r, &out);
  } else if (!options->quiet) {
    print_text(&r, &out);
  }
  int code = out.failed ? hdi_out_of_memory() : 0;
  if (code == 0 && out.size_bytes != 0) {
    hdi_output_write(stdout, out.data, out.size_bytes);
  }
  hd_buffer_free(&out);
  return code;
}
