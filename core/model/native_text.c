/* The model as C text: one function for each instance and weight filter, which writes the instance's successors of one
 * state, and for each weight filter one that goes over states and instances.
 *
 *   static u *f<weights>_<instance>(const u *s, u *out)     switch (location) { case: rule rule ... }; 0: an odd state
 *   unsigned hd_native_run_<weights>(states, count, next, last, ends, odd)
 *
 * A rule of bare masked writes on one word is printed without a branch: the place behind the last successor is written
 * anyway and kept when the rule is enabled. Other rules test, run their guards, copy the state to the place and change
 * it there. A rule's parts run in the order of coded.c, which interprets the same plan.
 * Cost: linear in the plan and its code. */
#include "core/model/native_text.h"

#include "core/model/compile.h"

#include <inttypes.h>
#include <stdio.h>

#define HEX "0x%" PRIx64 "ULL"
#define TEXT_MAX ((size_t)2 << 20)

typedef struct writer {
  const hd_model *model;
  const hdi_plan *plan;
  hd_buffer *text;
  hd_status status;
  uint32_t labels; /* used so far */
  bool asks[3];    /* by hd_side: some code asks for partners */
} writer;

static void note(writer *w, hd_status status) {
  if (w->status == HD_OK) {
    w->status = status;
  }
}

/* The arithmetic of arith.h: they return 1 on a fault. */
static const char helpers[] =
    "typedef unsigned long long u;\n"
    "typedef long long i;\n"
    "#define HI 0x7fffffffffffffffLL\n"
    "#define LO (-HI - 1)\n"
    "static inline int hd_add(i a, i b, i *r) { if (b > 0 ? a > HI - b : a < LO - b) return 1; *r = a + b; return 0; "
    "}\n"
    "static inline int hd_sub(i a, i b, i *r) { if (b < 0 ? a > HI + b : a < LO + b) return 1; *r = a - b; return 0; "
    "}\n"
    "static inline int hd_mul(i a, i b, i *r) {\n"
    "  if (a == 0 || b == 0) { *r = 0; return 0; }\n"
    "  if (a > 0 ? (b > 0 ? a > HI / b : b < LO / a) : (b > 0 ? a < LO / b : b < HI / a)) return 1;\n"
    "  *r = a * b; return 0; }\n"
    "static inline int hd_div(i a, i b, i *r) { if (b == 0 || (b == -1 && a == LO)) return 1; *r = a / b; return 0; }\n"
    "static inline int hd_mod(i a, i b, i *r) { if (b == 0) return 1; *r = b == -1 ? 0 : a % b; return 0; }\n"
    "static inline int hd_shr(i a, i b, i *r) {\n"
    "  if (b < 0 || b > 63) return 1; *r = a >= 0 ? a >> b : ~(~a >> b); return 0; }\n"
    "static inline int hd_shl(i a, i b, i *r) {\n"
    "  if (b < 0 || b > 63) return 1; i x = (i)((u)a << b), y = x >= 0 ? x >> b : ~(~x >> b);\n"
    "  if (y != a) return 1; *r = x; return 0; }\n";

/* ---- tests and writes ---- */

static void put_equal(writer *w, uint32_t word, uint64_t mask, uint64_t value) {
  hd_buffer_printf(w->text, "(s[%u] & " HEX ") == " HEX, word, mask, value);
}

/* All tests, joined by `join`; "1" when there are none. */
static void put_tests(writer *w, const hdi_plan_rule *rule, const char *join) {
  put_equal(w, rule->word, rule->mask, rule->value);
  const hdi_test *test = w->plan->tests.data + rule->tests;
  for (uint32_t t = 0; t < rule->equal_count + rule->nonzero_count; t++, test++) {
    hd_buffer_printf(w->text, " %s ", join);
    if (t < rule->equal_count) {
      put_equal(w, test->word, test->mask, test->value);
    } else {
      hd_buffer_printf(w->text, "(s[%u] & " HEX ") != 0", test->word, test->mask);
    }
  }
}

static void put_copy(writer *w) {
  const uint32_t unrolled_max = 16;
  if (w->model->words > unrolled_max) {
    hd_buffer_printf(w->text, "for (unsigned k = 0; k < %u; k++) out[k] = s[k];\n", w->model->words);
    return;
  }
  for (uint32_t k = 0; k < w->model->words; k++) {
    hd_buffer_printf(w->text, "out[%u] = s[%u];\n", k, k);
  }
}

static void put_writes(writer *w, const hdi_rule *rule) {
  const hdi_write *write = w->model->writes.data + rule->writes;
  for (uint32_t i = 0; i < rule->write_count; i++, write++) {
    if (write->moved != 0) {
      hd_buffer_printf(w->text, "out[%u] = (out[%u] & " HEX ") | (((out[%u] & " HEX ") >> %u) & " HEX ");\n",
                       write->word, write->word, ~write->moved, write->word, write->moved, write->down, write->moved);
    }
    hd_buffer_printf(w->text, "out[%u] = (out[%u] & " HEX ") | " HEX ";\n", write->word, write->word, ~write->clear,
                     write->set);
  }
}

/* ---- code ---- */

static void put_code(writer *w, uint32_t code, uint32_t instance, const char *read, const char *result,
                     const char *fault, const char *disabled) {
  hdi_native_piece piece = {.code = code, .read = read, .result = result, .instance = instance, .fault = fault};
  piece.disabled = disabled;
  piece.label = w->labels++;
  note(w, hdi_native_code(w->model, &piece, w->text));
}

/* Guard and channel of one side. `channel`: the variable for the channel, NULL when it does not matter. */
static void put_start(writer *w, uint32_t number, uint32_t instance, const char *channel, const char *fault,
                      const char *next) {
  const hdi_rule *rule = &w->model->rules.data[number];
  if (rule->guard != HD_NONE) {
    put_code(w, rule->guard, instance, "s", "v", fault, next);
    hd_buffer_printf(w->text, "if (v == 0) %s\n", next);
  }
  if (channel == NULL || rule->sync == HD_NONE) {
    return;
  }
  const hdi_sync *sync = &w->model->syncs.data[rule->sync];
  if (sync->channel == HD_NONE) {
    hd_buffer_printf(w->text, "%s = (i)" HEX ";\n", channel, (uint64_t)sync->channel_fixed);
  } else {
    put_code(w, sync->channel, instance, "s", channel, fault, next);
  }
}

static void put_side(writer *w, uint32_t number, uint32_t instance, const char *next) {
  const hdi_rule *rule = &w->model->rules.data[number];
  if (rule->body != HD_NONE) {
    hd_buffer_add_text(w->text, "bad = 0;\n");
    put_code(w, rule->body, instance, "out", NULL, "return 0;", next);
    hd_buffer_add_text(w->text, "if (bad) return 0;\n");
  }
  put_writes(w, rule);
}

static void put_monitors(writer *w, uint32_t label) {
  const hd_model *model = w->model;
  for (uint32_t k = model->label_rows.data[label]; label != 0 && k < model->label_rows.data[label + 1]; k++) {
    uint32_t number = model->label_monitors.data[k];
    const hdi_field *field = &model->fields.data[model->monitors.data[number].field];
    hd_buffer_printf(w->text, "switch ((out[%u] >> %u) & " HEX ") {\n", field->word, field->shift, field->mask);
    for (uint32_t from = 0; from < model->monitors.data[number].states; from++) {
      uint32_t to = hdi_monitor_target(model, number, from, label);
      if (to != HD_NONE) {
        hd_buffer_printf(w->text, "case %u: out[%u] = (out[%u] & " HEX ") | " HEX "; break;\n", from, field->word,
                         field->word, ~(field->mask << field->shift), (uint64_t)to << field->shift);
      }
    }
    hd_buffer_add_text(w->text, "default: return 0;\n}\n");
  }
}

/* ---- rules ---- */

static bool is_coded(const hd_model *model, const hdi_plan_rule *rule) {
  const hdi_rule *own = &model->rules.data[rule->own];
  const hdi_rule *partner = rule->partner == HD_NONE ? NULL : &model->rules.data[rule->partner];
  uint32_t label = own->label != 0 || partner == NULL ? own->label : partner->label;
  bool watched = label != 0 && model->label_rows.data[label] < model->label_rows.data[label + 1];
  bool coded = own->guard != HD_NONE || own->body != HD_NONE || watched;
  if (partner == NULL) {
    return coded;
  }
  const hdi_sync *from = &model->syncs.data[own->sync], *to = &model->syncs.data[partner->sync];
  return coded || partner->guard != HD_NONE || partner->body != HD_NONE || from->channel != HD_NONE ||
         to->channel != HD_NONE || from->value != HD_NONE;
}

/* A rule of masks only. */
static void put_masked(writer *w, const hdi_plan_rule *rule) {
  bool one = w->model->words == 1;
  if (one) {
    hd_buffer_add_text(w->text, "{ unsigned e = ");
    put_tests(w, rule, "&");
    hd_buffer_add_text(w->text, ";\n");
  } else {
    hd_buffer_add_text(w->text, "if (");
    put_tests(w, rule, "&&");
    hd_buffer_add_text(w->text, ") {\n");
  }
  put_copy(w);
  put_writes(w, &w->model->rules.data[rule->own]);
  if (rule->partner != HD_NONE) {
    put_writes(w, &w->model->rules.data[rule->partner]);
  }
  hd_buffer_printf(w->text, one ? "out += e; }\n" : "out += %u; }\n", w->model->words);
}

static void put_rule(writer *w, const hdi_plan_rule *rule) {
  const hd_model *model = w->model;
  if (!is_coded(model, rule) && rule->kind != HDI_PLAN_PROBE) {
    put_masked(w, rule);
    return;
  }
  bool meeting = rule->kind == HDI_PLAN_MEETING, probe = rule->kind == HDI_PLAN_PROBE;
  const hdi_rule *own = &model->rules.data[rule->own];
  char next[32];
  uint32_t label = w->labels++;
  (void)snprintf(next, sizeof next, "goto N%u;", label);
  hd_buffer_add_text(w->text, "if (");
  put_tests(w, rule, "&&");
  hd_buffer_add_text(w->text, ") { i v = 0, c0 = 0, c1 = 0, received = 0; int bad = 0;\n");
  put_start(w, rule->own, rule->own_instance, meeting || probe ? "c0" : NULL, meeting ? next : "return 0;", next);
  if (meeting) {
    put_start(w, rule->partner, rule->partner_instance, "c1", next, next);
    hd_buffer_printf(w->text, "if (c0 != c1) %s\n", next);
    if (model->syncs.data[own->sync].value != HD_NONE) {
      put_code(w, model->syncs.data[own->sync].value, rule->own_instance, "s", "v", "return 0;", next);
    } else {
      hd_buffer_add_text(w->text, "v = 0;\n");
    }
  }
  if (!probe) {
    put_copy(w);
    put_side(w, rule->own, rule->own_instance, next);
    if (meeting) {
      hd_buffer_add_text(w->text, "received = v;\n");
      put_side(w, rule->partner, rule->partner_instance, next);
    }
    put_monitors(w, own->label == 0 && meeting ? model->rules.data[rule->partner].label : own->label);
    hd_buffer_printf(w->text, "out += %u;\n", model->words);
  }
  hd_buffer_printf(w->text, "(void)v; (void)c0; (void)c1; (void)received; (void)bad; }\nN%u:;\n", label);
}

/* ---- instances ---- */

/* Too much text, or no memory: nothing more is printed. */
static bool is_full(writer *w) {
  if (w->text->failed) {
    note(w, HD_E_NOMEM);
  } else if (w->text->size_bytes > TEXT_MAX) {
    note(w, HD_E_LIMIT);
  }
  return w->status != HD_OK;
}

static void put_switch(writer *w, uint32_t instance) {
  const hdi_field *loc = &w->model->fields.data[w->model->instances.data[instance].loc_field];
  hd_buffer_printf(w->text, "switch ((s[%u] >> %u) & " HEX ") {\n", loc->word, loc->shift, loc->mask);
}

static void put_instance(writer *w, uint32_t instance, hd_weight_filter weights) {
  const hd_model *model = w->model;
  const hdi_instance *inst = &model->instances.data[instance];
  const hdi_plan_group *groups = &w->plan->groups[weights].data[inst->groups];
  hd_buffer_printf(w->text, "static u *f%d_%u(const u *restrict s, u *restrict out) {\n", (int)weights, instance);
  put_switch(w, instance);
  for (uint64_t v = 0; v <= model->fields.data[inst->loc_field].top && !is_full(w); v++) {
    if (groups[v].begin == groups[v].end) {
      continue;
    }
    hd_buffer_printf(w->text, "case %" PRIu64 ":\n", v);
    for (uint32_t r = groups[v].begin; r < groups[v].end && !is_full(w); r++) {
      put_rule(w, &w->plan->rules.data[r]);
    }
    hd_buffer_add_text(w->text, "break;\n");
  }
  hd_buffer_add_text(w->text, "}\nreturn out;\n}\n");
}

/* is<E or X>_<instance>(s): the instance is at an eager (exclusive) location. */
static void put_flag(writer *w, uint32_t instance, bool eager) {
  const hdi_instance *inst = &w->model->instances.data[instance];
  const hdi_plan_group *groups = &w->plan->groups[HD_WEIGHT_ANY].data[inst->groups];
  hd_buffer_printf(w->text, "static int is%c_%u(const u *s) {\n", eager ? 'E' : 'X', instance);
  put_switch(w, instance);
  for (uint64_t v = 0; v <= w->model->fields.data[inst->loc_field].top; v++) {
    if (eager ? groups[v].eager : groups[v].exclusive) {
      hd_buffer_printf(w->text, "case %" PRIu64 ": return 1;\n", v);
    }
  }
  hd_buffer_add_text(w->text, "}\nreturn 0;\n}\n");
}

/* Returns 1 from hd_ready_... when this rule of instance `k` is ready. */
static void put_ready_rule(writer *w, uint32_t k, uint32_t number) {
  const hdi_rule *rule = &w->model->rules.data[number];
  char next[32];
  uint32_t label = w->labels++;
  (void)snprintf(next, sizeof next, "goto N%u;", label);
  hd_buffer_printf(w->text, "if ((s[%u] & " HEX ") != " HEX ") %s\n", rule->word, rule->mask, rule->value, next);
  const hdi_test *test = w->model->tests.data + rule->tests;
  for (uint32_t t = 0; t < rule->equal_count + rule->nonzero_count; t++, test++) {
    bool equal = t < rule->equal_count;
    hd_buffer_printf(w->text, "if ((s[%u] & " HEX ") %s " HEX ") %s\n", test->word, test->mask,
                     equal ? "!=" : "==", equal ? test->value : 0, next);
  }
  put_start(w, number, k, "c0", next, next);
  hd_buffer_printf(w->text, "if (c0 == channel) return 1;\nN%u:;\n", label);
}

/* hd_ready_<side>(s, channel, self): another instance than `self` is ready. */
static void put_ready(writer *w, hd_side side) {
  const hd_model *model = w->model;
  hd_buffer_printf(w->text, "static int hd_ready_%d(const u *s, i channel, unsigned self) {\n", (int)side);
  hd_buffer_add_text(w->text, "i v = 0, c0 = 0, received = 0; int bad = 0; (void)v; (void)received; (void)bad;\n");
  for (uint32_t k = 0; k < model->instances.count && !is_full(w); k++) {
    const hdi_instance *inst = &model->instances.data[k];
    hd_buffer_printf(w->text, "if (self != %u) ", k);
    put_switch(w, k);
    for (uint64_t loc = 0; loc <= model->fields.data[inst->loc_field].top && !is_full(w); loc++) {
      const hdi_group *group = &model->groups.data[inst->groups + loc];
      hd_buffer_printf(w->text, "case %" PRIu64 ":\n", loc);
      for (uint32_t r = group->begin; r < group->end && !is_full(w); r++) {
        if (model->rules.data[r].side == (uint8_t)side) {
          put_ready_rule(w, k, r);
        }
      }
      hd_buffer_add_text(w->text, "break;\n");
    }
    hd_buffer_add_text(w->text, "}\n");
  }
  hd_buffer_add_text(w->text, "return 0;\n}\n");
}

/* ---- the whole ---- */

/* Steps of one state, from `out` on. */
static void put_state(writer *w, hd_weight_filter weights) {
  const hd_model *model = w->model;
  hd_buffer *text = w->text;
  for (uint32_t k = 0; model->has_eager && k < model->instances.count; k++) {
    hd_buffer_printf(text, "if (isE_%u(s)) { u *e = f0_%u(s, out); if (!e) goto odd; if (e != out) {", k, k);
    hd_buffer_printf(text, " out = f%d_%u(s, out); if (!out) goto odd; goto done; } }\n", (int)weights, k);
  }
  if (model->has_exclusive) {
    hd_buffer_add_text(text, "x = 0");
    for (uint32_t k = 0; k < model->instances.count; k++) {
      hd_buffer_printf(text, " || isX_%u(s)", k);
    }
    hd_buffer_add_text(text, ";\n");
  }
  for (uint32_t k = 0; k < model->instances.count; k++) {
    if (model->has_exclusive) {
      hd_buffer_printf(text, "if (!x || isX_%u(s)) ", k);
    }
    hd_buffer_printf(text, "{ out = f%d_%u(s, out); if (!out) goto odd; }\n", (int)weights, k);
  }
}

static void put_run(writer *w, hd_weight_filter weights) {
  for (uint32_t k = 0; k < w->model->instances.count && !is_full(w); k++) {
    put_instance(w, k, weights);
  }
  hd_buffer_printf(w->text,
                   "unsigned hd_native_run_%d(const u *states, unsigned count, u *next, const u *last, unsigned *ends, "
                   "unsigned *odd) {\nu *out = next; unsigned n = 0; int x = 0; (void)x;\n"
                   "for (; n < count && out <= last; n++) {\nconst u *s = states + (unsigned long)n * %u;\n",
                   (int)weights, w->model->words);
  put_state(w, weights);
  hd_buffer_printf(w->text,
                   "done: ends[n] = (unsigned)((out - next) / %u);\n}\nreturn n;\nodd: *odd = 1; return n;\n}\n",
                   w->model->words);
}

hd_status hdi_native_text(const hd_model *model, const hdi_plan *plan, hd_buffer *text) {
  writer w = {.model = model, .plan = plan, .text = text, .status = HD_OK};
  hd_buffer_add_text(text, helpers);
  for (size_t pc = 0; pc < model->code.count; pc++) {
    if (model->code.data[pc].op == HDI_CODE_PARTNER) {
      w.asks[model->code.data[pc].b] = true;
    }
  }
  for (int side = HD_SIDE_SEND; side <= HD_SIDE_RECEIVE; side++) {
    if (w.asks[side]) {
      put_ready(&w, (hd_side)side);
    }
  }
  for (uint32_t k = 0; k < model->instances.count && !is_full(&w); k++) {
    if (model->has_eager) {
      put_flag(&w, k, true);
    }
    if (model->has_exclusive) {
      put_flag(&w, k, false);
    }
  }
  for (int weights = HD_WEIGHT_ANY; weights <= (model->has_zero_weights ? HD_WEIGHT_ONE : HD_WEIGHT_ANY); weights++) {
    put_run(&w, (hd_weight_filter)weights);
  }
  (void)is_full(&w);
  return w.status;
}
