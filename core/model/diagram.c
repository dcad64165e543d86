/* Decision diagrams: the code of a step, run ahead on states of which only some bits are known.
 *
 *                       field i of thread 1
 *                     0 /      1 |      \ 2          node: jumps[base + value]
 *                    field x    field x   (no step)
 *                   0/ 1| ..   ...                   leaves: effects, no step, odd
 *
 * The run (partial.c) starts with the bits that the rule's tests fix. When it needs a field that is not known, it
 * forks: one branch for each value. A point of a run is its key: where it is in the code, the stack, what was written,
 * and the values of those known fields that may still be read from there on. Points with equal keys share one node, so
 * a conjunction over n fields needs n nodes for each value of what it compares with and not a product. All jumps of the
 * code go forward, hence the fields that may still be read are found in one pass from the end.
 *
 * A rule whose diagram would be too large (a field with many values, too many entries) gets one for its guards and
 * channels only and has its statements interpreted; if that is too large as well, everything. What is too large for one
 * value of a window is not tried for the others, and no more than ENTRIES_MAX entries are made for a model.
 * Runs once per model. Cost: one short run per entry.
 * Source: A. Srinivasan, T. Kam, S. Malik, R. Brayton, Algorithms for discrete function manipulation, 1990 (diagrams
 * with many-valued nodes); N. Jones, C. Gomard, P. Sestoft, Partial evaluation and automatic program generation, 1993.
 */
#include "core/model/coded.h"

#include <string.h>

#define LEVELS_MAX 96u                /* fields that one path decides */
#define FANOUT_MAX 1024u              /* values of a field */
#define RULE_ENTRIES_MAX 2048u        /* of one diagram */
#define ENTRIES_MAX ((size_t)1 << 15) /* made for a model, those of refused diagrams included */
#define NEEDS UINT32_MAX              /* not a leaf */

typedef enum piece_kind { GUARD, CHANNEL_OWN, CHANNEL_PARTNER, VALUE, BODY, WRITES, MONITOR } piece_kind;

typedef struct piece {
  piece_kind kind;
  uint32_t code;  /* HD_NONE: `fixed` is the value */
  uint32_t item;  /* WRITES: rule of the model; MONITOR: number */
  uint32_t label; /* MONITOR */
  int64_t fixed;
  uint32_t instance, fault; /* fault: the leaf then */
  size_t live;              /* code: first word of its rows in diagrams->live, one for each instruction */
} piece;

#define HD_ARRAY_NAME pieces
#define HD_ARRAY_TYPE piece
#include "core/base/array.h"

/* A point of a run. Bits that are not known are 0. */
typedef struct level {
  uint64_t *values, *known, *written;
  int64_t *stack; /* a cell below, as machine->stack wants it */
  int64_t channel, received;
  uint32_t piece, pc, depth;
} level;

struct hdi_diagrams {
  const hd_model *model;
  struct hdi_coded *coded;
  hdi_machine machine;
  hd_status status;
  bool refused;
  size_t made;               /* entries, for the whole model */
  size_t made_max;           /* when this diagram is too large */
  const hdi_plan_rule *rule; /* borrowed, of the plan */
  pieces pieces;
  size_t conditions; /* the first pieces: they decide whether the step is possible */
  size_t used;       /* pieces to be run: all, or the conditions */
  uint32_t end;      /* leaf when they have run; HDI_CODED_EFFECT: what was written */
  bool ahead[2];     /* the conditions, all pieces can be run ahead */
  hdi_bits live;
  hdi_keys points, effects;   /* keys of this rule's nodes and effects */
  hdi_coded_entries entry_of; /* per point */
  uint32_t first_effect;
  uint64_t *memory, *key;
  level levels[LEVELS_MAX];
};

static void note(hdi_diagrams *d, hd_status status) {
  if (d->status == HD_OK) {
    d->status = status;
  }
}

hdi_diagrams *hdi_diagrams_new(const hd_model *model, struct hdi_coded *coded) {
  hdi_diagrams *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return NULL;
  }
  d->model = model;
  d->coded = coded;
  d->machine.model = model;
  size_t words = model->words, cells = (size_t)model->stack_depth + 1, each = 3 * words + cells;
  d->points.words = (uint32_t)(4 + cells + 3 * words);
  d->effects.words = (uint32_t)(2 * words);
  d->memory = calloc(LEVELS_MAX * each, sizeof *d->memory);
  d->key = calloc(d->points.words, sizeof *d->key);
  if (d->memory == NULL || d->key == NULL) {
    hdi_diagrams_free(d);
    return NULL;
  }
  for (size_t i = 0; i < LEVELS_MAX; i++) {
    uint64_t *at = d->memory + i * each;
    d->levels[i] = (level){.values = at, .known = at + words, .written = at + 2 * words};
    d->levels[i].stack = (int64_t *)(at + 3 * words) + 1;
  }
  return d;
}

void hdi_diagrams_free(hdi_diagrams *d) {
  if (d == NULL) {
    return;
  }
  pieces_free(&d->pieces);
  hdi_bits_free(&d->live);
  hdi_keys_free(&d->points);
  hdi_keys_free(&d->effects);
  hdi_coded_entries_free(&d->entry_of);
  free(d->memory);
  free(d->key);
  free(d);
}

/* ---- what may still be read ---- */

static bool asks_for_partners(const hd_model *model, uint32_t code) {
  for (uint32_t pc = code, end = hdi_code_behind(model, code); pc < end; pc++) {
    if (model->code.data[pc].op == HDI_CODE_PARTNER) {
      return true;
    }
  }
  return false;
}

static void add_fields(const hd_model *model, uint64_t *row, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const hdi_field *field = &model->fields.data[first + i];
    row[field->word] |= field->mask << field->shift;
  }
}

static void add_reads(const hd_model *model, uint64_t *row, const hdi_insn *insn) {
  switch ((hdi_code)insn->op) {
    case HDI_CODE_LOAD:
      add_fields(model, row, insn->a, 1);
      break;
    case HDI_CODE_LOAD_AT:
    case HDI_CODE_TAKE:
      add_fields(model, row, model->runs.data[insn->a].field, model->runs.data[insn->a].length);
      break;
    case HDI_CODE_LENGTH:
    case HDI_CODE_PUSH:
    case HDI_CODE_POP:
      add_fields(model, row, model->queues.data[insn->a].field, model->queues.data[insn->a].capacity);
      break;
    case HDI_CODE_SPAWN:
      add_fields(model, row, model->processes.data[insn->a].loc_field, model->processes.data[insn->a].instances);
      break;
#define READS_NOTHING(identifier) case HDI_CODE_##identifier:
      HDI_UNARY_TABLE(READS_NOTHING)
      HDI_BINARY_TABLE(READS_NOTHING)
#undef READS_NOTHING
    case HDI_CODE_SMALL:
    case HDI_CODE_CONST:
    case HDI_CODE_STORE:
    case HDI_CODE_STORE_AT:
    case HDI_CODE_BOOL:
    case HDI_CODE_JUMP:
    case HDI_CODE_JUMP_ZERO:
    case HDI_CODE_RECEIVED:
    case HDI_CODE_PARTNER:
    case HDI_CODE_CHECK:
    case HDI_CODE_RETURN:
      break;
  }
}

static void unite(uint64_t *row, const uint64_t *other, uint32_t words) {
  for (uint32_t w = 0; w < words; w++) {
    row[w] |= other[w];
  }
}

/* Fills the rows of one piece's code; `after` is what the pieces behind it may read. */
static void find_live_code(hdi_diagrams *d, const piece *p, const uint64_t *after) {
  const hd_model *model = d->model;
  uint32_t words = model->words;
  uint64_t *rows = d->live.data + p->live;
  for (uint32_t pc = hdi_code_behind(model, p->code); pc-- > p->code;) {
    const hdi_insn *insn = &model->code.data[pc];
    uint64_t *row = rows + (size_t)(pc - p->code) * words;
    memset(row, 0, words * sizeof *row);
    add_reads(model, row, insn);
    if (insn->op == HDI_CODE_RETURN) {
      unite(row, after, words);
    } else if (insn->op != HDI_CODE_JUMP) {
      unite(row, row + words, words);
    }
    if (insn->op == HDI_CODE_JUMP || insn->op == HDI_CODE_JUMP_ZERO) {
      unite(row, rows + (size_t)(insn->a - p->code) * words, words);
    }
  }
}

/* Makes the rows of all pieces: a piece without code has one. */
static void find_live(hdi_diagrams *d) {
  const hd_model *model = d->model;
  size_t rows = 1;
  for (size_t i = 0; i < d->pieces.count; i++) {
    piece *p = &d->pieces.data[i];
    p->live = rows * model->words;
    rows += p->code == HD_NONE ? 1 : hdi_code_behind(model, p->code) - p->code;
  }
  note(d, hdi_bits_reserve(&d->live, rows * model->words));
  if (d->status != HD_OK) {
    return;
  }
  HD_ASSERT(d->live.data != NULL);
  memset(d->live.data, 0, model->words * sizeof *d->live.data); /* row 0: nothing is read behind the last piece */
  const uint64_t *after = d->live.data;
  for (size_t i = d->pieces.count; i-- > 0;) {
    const piece *p = &d->pieces.data[i];
    uint64_t *row = d->live.data + p->live;
    if (p->code != HD_NONE) {
      find_live_code(d, p, after);
    } else {
      memcpy(row, after, model->words * sizeof *row);
      if (p->kind == MONITOR) {
        add_fields(model, row, model->monitors.data[p->item].field, 1);
      }
    }
    after = row;
  }
}

static const uint64_t *live_at(const hdi_diagrams *d, const level *at) {
  const piece *p = &d->pieces.data[at->piece];
  return d->live.data + p->live + (p->code == HD_NONE ? 0 : (size_t)(at->pc - p->code) * d->model->words);
}

/* ---- running ahead ---- */

/* Runs the code of a piece on. */
static hdi_ran run_piece(hdi_diagrams *d, level *at, const piece *p, int64_t *value) {
  hdi_machine *m = &d->machine;
  *value = p->fixed;
  if (p->code == HD_NONE) {
    return HDI_RAN_OK;
  }
  m->read = m->write = at->values;
  m->known = at->known;
  m->written = at->written;
  m->stack = at->stack;
  m->depth = at->depth;
  m->received = at->received;
  m->instance = p->instance;
  m->checks = 0;
  hdi_ran ran = hdi_machine_run_partial(m, at->pc, value);
  at->pc = m->resume;
  at->depth = m->depth;
  return m->checks != 0 && (ran == HDI_RAN_OK || ran == HDI_RAN_NEEDS) ? HDI_RAN_FAULT : ran;
}

static void write_masked(const hd_model *model, level *at, const hdi_rule *rule) {
  const hdi_write *write = model->writes.data + rule->writes;
  for (uint32_t i = 0; i < rule->write_count; i++, write++) {
    uint64_t bits = write->clear | write->set;
    at->values[write->word] = (at->values[write->word] & ~bits) | write->set;
    at->known[write->word] |= bits;
    at->written[write->word] |= bits;
  }
}

static hdi_ran move_monitor(hdi_diagrams *d, level *at, const piece *p) {
  const hdi_field *field = &d->model->fields.data[d->model->monitors.data[p->item].field];
  uint64_t bits = field->mask << field->shift;
  if ((at->known[field->word] & bits) != bits) {
    d->machine.needed = field;
    return HDI_RAN_NEEDS;
  }
  uint32_t to = hdi_monitor_target(d->model, p->item, (uint32_t)hdi_field_bits(field, at->values), p->label);
  if (to == HD_NONE) {
    return HDI_RAN_FAULT;
  }
  hdi_field_put(field, at->values, to);
  at->written[field->word] |= bits;
  return HDI_RAN_OK;
}

static hdi_ran run_kind(hdi_diagrams *d, level *at, const piece *p) {
  int64_t value = 0;
  hdi_ran ran = HDI_RAN_OK;
  switch (p->kind) {
    case GUARD:
      ran = run_piece(d, at, p, &value);
      return ran == HDI_RAN_OK && value == 0 ? HDI_RAN_DISABLED : ran;
    case CHANNEL_OWN:
      ran = run_piece(d, at, p, &value);
      at->channel = ran == HDI_RAN_OK ? value : 0;
      return ran;
    case CHANNEL_PARTNER:
      ran = run_piece(d, at, p, &value);
      if (ran == HDI_RAN_OK && value != at->channel) {
        return HDI_RAN_DISABLED;
      }
      at->channel = ran == HDI_RAN_OK ? 0 : at->channel; /* plays no part any more */
      return ran;
    case VALUE:
      ran = run_piece(d, at, p, &value);
      at->received = ran == HDI_RAN_OK ? value : 0;
      return ran;
    case BODY:
      return run_piece(d, at, p, &value);
    case WRITES:
      write_masked(d->model, at, &d->model->rules.data[p->item]);
      return HDI_RAN_OK;
    case MONITOR:
      return move_monitor(d, at, p);
  }
  return HDI_RAN_FAULT;
}

/* The leaf whose effect leads to what was written. */
static uint32_t effect_leaf(hdi_diagrams *d, const level *at) {
  uint32_t words = d->model->words;
  hdi_coded_effect effect = {.keep = UINT64_MAX, .more = (uint32_t)d->coded->writes.count, .made = 1};
  for (uint32_t w = 0; w < words; w++) {
    d->key[w] = at->written[w];
    d->key[words + w] = at->values[w] & at->written[w];
  }
  uint32_t number = 0;
  bool fresh = false;
  note(d, hdi_keys_add(&d->effects, d->key, &number, &fresh));
  if (d->status != HD_OK || !fresh) {
    return d->first_effect + number;
  }
  for (uint32_t w = 0; w < words; w++) {
    hdi_coded_write write = {.clear = at->written[w], .set = at->values[w] & at->written[w], .word = w};
    if (write.clear != 0 && effect.keep == UINT64_MAX) {
      effect.keep = ~write.clear;
      effect.set = write.set;
      effect.word = w;
    } else if (write.clear != 0) {
      note(d, hdi_coded_writes_push(&d->coded->writes, write));
      effect.more_count++;
    }
  }
  note(d, hdi_coded_effects_push(&d->coded->effects, effect));
  return d->first_effect + number;
}

/* Runs on to a leaf, or to a field that is not known: NEEDS, and machine.needed says which. */
static uint32_t advance(hdi_diagrams *d, level *at) {
  while (at->piece < d->used) {
    const piece *p = &d->pieces.data[at->piece];
    switch (run_kind(d, at, p)) {
      case HDI_RAN_OK:
        break;
      case HDI_RAN_DISABLED:
        return HDI_CODED_DISABLED;
      case HDI_RAN_FAULT:
        return p->fault;
      case HDI_RAN_NEEDS:
        return NEEDS;
    }
    at->piece++;
    at->depth = 0;
    at->pc = at->piece < d->used ? d->pieces.data[at->piece].code : HD_NONE;
  }
  return d->end == HDI_CODED_EFFECT ? effect_leaf(d, at) : d->end;
}

/* ---- nodes ---- */

static void make_key(hdi_diagrams *d, const level *at) {
  uint32_t words = d->model->words;
  const uint64_t *live = live_at(d, at);
  uint64_t *key = d->key;
  memset(key, 0, d->points.words * sizeof *key);
  key[0] = (uint64_t)at->piece << 32 | at->pc;
  key[1] = at->depth;
  key[2] = (uint64_t)at->channel;
  key[3] = (uint64_t)at->received;
  key += 4;
  for (uint32_t i = 0; i < at->depth; i++) {
    key[i] = (uint64_t)at->stack[i];
  }
  key += (size_t)d->model->stack_depth + 1;
  for (uint32_t w = 0; w < words; w++) {
    key[w] = at->known[w] & (live[w] | at->written[w]);
    key[words + w] = at->values[w] & key[w];
    key[2 * words + w] = at->written[w];
  }
}

static void copy_level(const hdi_diagrams *d, level *to, const level *from) {
  size_t words = d->model->words;
  memcpy(to->values, from->values, 3 * words * sizeof *to->values);
  memcpy(to->stack, from->stack, from->depth * sizeof *to->stack);
  to->channel = from->channel;
  to->received = from->received;
  to->piece = from->piece;
  to->pc = from->pc;
  to->depth = from->depth;
}

/* Appends room for the branches of a node. */
static hdi_coded_entry add_node(hdi_diagrams *d, const hdi_field *field) {
  hdi_coded_entries *jumps = &d->coded->jumps;
  hdi_coded_entry node = {.base = (uint32_t)jumps->count, .shift = field->shift};
  node.mask = (uint16_t)field->mask;
  node.word = (uint8_t)field->word;
  d->made += field->mask + 1;
  for (uint64_t v = 0; v <= field->mask && d->status == HD_OK; v++) {
    note(d, hdi_coded_entries_push(jumps, hdi_coded_leaf(HDI_CODED_DISABLED)));
  }
  return node;
}

static bool same_entry(hdi_coded_entry a, hdi_coded_entry b) {
  return a.base == b.base && a.mask == b.mask && a.shift == b.shift && a.word == b.word;
}

/* True when all branches lead to the same place. */
static bool is_idle(const hdi_diagrams *d, uint32_t base, uint64_t top) {
  const hdi_coded_entry *entry = d->coded->jumps.data + base;
  for (uint64_t v = 1; v <= top; v++) {
    if (!same_entry(entry[v], entry[0])) {
      return false;
    }
  }
  return true;
}

static hdi_coded_entry explore(hdi_diagrams *d, uint32_t depth);

/* One branch for each value of `field` from the point at `depth`. */
static hdi_coded_entry fork_on(hdi_diagrams *d, uint32_t depth, const hdi_field *field) {
  hdi_coded_entries *jumps = &d->coded->jumps;
  const level *at = &d->levels[depth];
  level *branch = &d->levels[depth + 1];
  hdi_coded_entry node = add_node(d, field);
  size_t behind = jumps->count;
  for (uint64_t v = 0; v <= field->top && d->status == HD_OK && !d->refused; v++) {
    copy_level(d, branch, at);
    branch->known[field->word] |= field->mask << field->shift;
    branch->values[field->word] |= v << field->shift;
    hdi_coded_entry entry = explore(d, depth + 1);
    jumps->data[node.base + v] = entry;
  }
  if (d->status == HD_OK && !d->refused && is_idle(d, node.base, field->top)) {
    hdi_coded_entry entry = jumps->data[node.base]; /* the field does not matter after all */
    jumps->count = jumps->count == behind ? node.base : jumps->count;
    return entry;
  }
  return node;
}

/* The entry of the point at `depth`. */
static hdi_coded_entry explore(hdi_diagrams *d, uint32_t depth) {
  uint32_t end = advance(d, &d->levels[depth]);
  if (end != NEEDS || d->status != HD_OK) {
    return hdi_coded_leaf(end);
  }
  const hdi_field *field = d->machine.needed;
  if (depth + 1 == LEVELS_MAX || field->top >= FANOUT_MAX || field->word > HDI_CODED_WORD_MAX ||
      d->made + field->mask >= d->made_max) {
    d->refused = true;
    return hdi_coded_leaf(HDI_CODED_DISABLED);
  }
  make_key(d, &d->levels[depth]);
  uint32_t number = 0;
  bool fresh = false;
  note(d, hdi_keys_add(&d->points, d->key, &number, &fresh));
  if (d->status == HD_OK && !fresh) {
    return d->entry_of.data[number];
  }
  note(d, hdi_coded_entries_push(&d->entry_of, hdi_coded_leaf(HDI_CODED_DISABLED)));
  hdi_coded_entry entry = d->status == HD_OK ? fork_on(d, depth, field) : hdi_coded_leaf(HDI_CODED_DISABLED);
  if (d->status == HD_OK) {
    d->entry_of.data[number] = entry;
  }
  return entry;
}

/* ---- rules ---- */

static void add_piece(hdi_diagrams *d, piece_kind kind, uint32_t code, uint32_t instance, uint32_t fault) {
  if (code != HD_NONE) {
    note(d, pieces_push(&d->pieces, (piece){.kind = kind, .code = code, .instance = instance, .fault = fault}));
  }
}

static void add_channel(hdi_diagrams *d, piece_kind kind, const hdi_sync *sync, uint32_t instance, uint32_t fault) {
  piece made = {.kind = kind, .code = sync->channel, .fixed = sync->channel_fixed, .instance = instance};
  made.fault = fault;
  note(d, pieces_push(&d->pieces, made));
}

/* The pieces that decide whether the step is possible. */
static void add_conditions(hdi_diagrams *d, const hdi_plan_rule *rule) {
  const hd_model *model = d->model;
  const hdi_rule *own = &model->rules.data[rule->own];
  const hdi_sync *sync = own->sync == HD_NONE ? NULL : &model->syncs.data[own->sync];
  /* In a meeting a side that faults is not enabled; its probe reports the fault. */
  uint32_t fault = rule->kind == HDI_PLAN_MEETING ? HDI_CODED_DISABLED : HDI_CODED_ODD;
  add_piece(d, GUARD, own->guard, rule->own_instance, fault);
  if (rule->kind == HDI_PLAN_PROBE) {
    add_piece(d, CHANNEL_OWN, sync->channel, rule->own_instance, HDI_CODED_ODD);
  }
  if (rule->kind != HDI_PLAN_MEETING) {
    return;
  }
  const hdi_rule *partner = &model->rules.data[rule->partner];
  const hdi_sync *other = &model->syncs.data[partner->sync];
  bool computed = sync->channel != HD_NONE || other->channel != HD_NONE;
  if (computed) {
    add_channel(d, CHANNEL_OWN, sync, rule->own_instance, fault);
  }
  add_piece(d, GUARD, partner->guard, rule->partner_instance, HDI_CODED_DISABLED);
  if (computed) {
    add_channel(d, CHANNEL_PARTNER, other, rule->partner_instance, HDI_CODED_DISABLED);
  }
}

static void add_side(hdi_diagrams *d, uint32_t number, uint32_t instance) {
  add_piece(d, BODY, d->model->rules.data[number].body, instance, HDI_CODED_ODD);
  note(d, pieces_push(&d->pieces, (piece){.kind = WRITES, .code = HD_NONE, .item = number}));
}

/* The pieces that make the step. */
static void add_statements(hdi_diagrams *d, const hdi_plan_rule *rule) {
  const hd_model *model = d->model;
  const hdi_rule *own = &model->rules.data[rule->own];
  uint32_t label = own->label;
  if (rule->kind == HDI_PLAN_MEETING) {
    add_piece(d, VALUE, model->syncs.data[own->sync].value, rule->own_instance, HDI_CODED_ODD);
    label = label == 0 ? model->rules.data[rule->partner].label : label;
  }
  add_side(d, rule->own, rule->own_instance);
  if (rule->kind == HDI_PLAN_MEETING) {
    add_side(d, rule->partner, rule->partner_instance);
  }
  for (uint32_t i = model->label_rows.data[label]; label != 0 && i < model->label_rows.data[label + 1]; i++) {
    piece made = {.kind = MONITOR, .code = HD_NONE, .item = model->label_monitors.data[i], .label = label};
    made.fault = HDI_CODED_ODD;
    note(d, pieces_push(&d->pieces, made));
  }
}

/* Can the first `count` pieces be run ahead? */
static bool may_run_ahead(const hdi_diagrams *d, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const piece *p = &d->pieces.data[i];
    if (p->code != HD_NONE && asks_for_partners(d->model, p->code)) {
      return false;
    }
    const hdi_rule *rule = p->kind == WRITES ? &d->model->rules.data[p->item] : NULL;
    for (uint32_t w = 0; rule != NULL && w < rule->write_count; w++) {
      if (d->model->writes.data[rule->writes + w].moved != 0) {
        return false; /* a queue of masked letters moves up */
      }
    }
  }
  return true;
}

hd_status hdi_diagrams_begin(hdi_diagrams *d, const hdi_plan_rule *rule) {
  d->status = HD_OK;
  d->rule = rule;
  pieces_clear(&d->pieces);
  add_conditions(d, rule);
  d->conditions = d->pieces.count;
  if (rule->kind != HDI_PLAN_PROBE) {
    add_statements(d, rule);
  }
  if (d->status == HD_OK) {
    d->ahead[0] = may_run_ahead(d, d->conditions);
    d->ahead[1] = may_run_ahead(d, d->pieces.count);
    find_live(d);
  }
  return d->status;
}

static void know(level *at, hdi_test test) {
  at->known[test.word] |= test.mask;
  at->values[test.word] |= test.value & test.mask;
}

/* Where all runs of the rule begin. */
static void begin_run(hdi_diagrams *d, hdi_test known) {
  level *at = &d->levels[0];
  memset(at->values, 0, 3 * (size_t)d->model->words * sizeof *at->values);
  at->channel = at->received = 0;
  at->piece = at->depth = 0;
  at->pc = d->used > 0 ? d->pieces.data[0].code : HD_NONE;
  know(at, known);
  know(at, (hdi_test){.mask = d->rule->mask, .value = d->rule->value, .word = d->rule->word});
  for (uint32_t i = 0; i < d->rule->equal_count; i++) {
    know(at, d->coded->plan.tests.data[d->rule->tests + i]);
  }
}

/* The root of the diagram of the first `used` pieces; sets d->refused when there is none. */
static hdi_coded_entry make(hdi_diagrams *d, hdi_test known, size_t used, uint32_t end) {
  struct hdi_coded *coded = d->coded;
  hdi_keys_clear(&d->points);
  hdi_keys_clear(&d->effects);
  hdi_coded_entries_clear(&d->entry_of);
  size_t jumps = coded->jumps.count, writes = coded->writes.count;
  d->first_effect = (uint32_t)coded->effects.count;
  d->made_max = d->made + RULE_ENTRIES_MAX < ENTRIES_MAX ? d->made + RULE_ENTRIES_MAX : ENTRIES_MAX;
  d->used = used;
  d->end = end;
  d->refused = false;
  begin_run(d, known);
  hdi_coded_entry root = explore(d, 0);
  if (d->refused) {
    coded->jumps.count = jumps;
    coded->writes.count = writes;
    coded->effects.count = d->first_effect;
    d->ahead[end == HDI_CODED_BODY ? 0 : 1] = false; /* most likely too large for the window's other values too */
  }
  return root;
}

hd_status hdi_diagrams_root(hdi_diagrams *d, hdi_test known, hdi_coded_entry *root, bool *whole) {
  bool probe = d->rule->kind == HDI_PLAN_PROBE;
  *root = hdi_coded_leaf(HDI_CODED_ALL);
  if (d->ahead[1]) {
    *root = make(d, known, d->pieces.count, probe ? HDI_CODED_DISABLED : HDI_CODED_EFFECT);
  }
  if (!d->ahead[1] && d->ahead[0] && !probe) {
    *root = make(d, known, d->conditions, HDI_CODED_BODY);
  }
  if (!d->ahead[1] && (!d->ahead[0] || probe)) {
    *root = hdi_coded_leaf(HDI_CODED_ALL);
  }
  *whole = d->ahead[1];
  return d->status;
}
