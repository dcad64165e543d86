/* A state is where each thread is in the text, the values of the variables, and whether an assertion has failed. Where
 * a thread is: a stack of pieces of text that are still to be run, innermost last. A while leaves itself on the stack
 * when its body is pushed. An atomic block is run by depth-first search until the stack is as deep as before it.
 * Everything is slow and short on purpose: it must be right by reading. */
#include "tests/support/cw_reference.h"

#include "tests/support/hd_test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARS 8
#define THREADS 4
#define FRAMES 12
#define INNER 4096

typedef struct frame {
  int at, end;
} frame;

typedef struct state {
  int64_t value[VARS];
  int depth[THREADS];
  frame stack[THREADS][FRAMES];
  int64_t err; /* as wide as the rest, so that states have no padding */
} state;

typedef struct world {
  const char *text;
  char name[VARS][16];
  int64_t lo[VARS], hi[VARS];
  int vars, threads;
  bool daemon[THREADS];
  state *states;
  size_t count, capacity;
  uint32_t *slots;
  size_t slot_count;
  cw_counts counts;
  /* one evaluation */
  const state *in;
  int at;
  bool fault_range, fault_division;
  int64_t choice;
  bool chose;
  /* successors of one step */
  state out[INNER];
  size_t out_count;
  bool moved, faulted; /* a step is there, if only a faulty one; a fault was met */
  state path[INNER];
  size_t path_count;
} world;

/* ---- text ---- */

static void skip_blanks(const char *text, int *at) {
  while (isspace((unsigned char)text[*at])) {
    ++*at;
  }
}

static bool is_of_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool eat(world *w, const char *word) {
  skip_blanks(w->text, &w->at);
  size_t length = strlen(word);
  if (strncmp(w->text + w->at, word, length) != 0 ||
      (is_of_name(word[length - 1]) && is_of_name(w->text[w->at + (int)length]))) {
    return false;
  }
  w->at += (int)length;
  return true;
}

static void need(world *w, const char *word) {
  cr_assert(eat(w, word), "the reference expects %s at: %.40s", word, w->text + w->at);
}

static int64_t number(world *w) {
  skip_blanks(w->text, &w->at);
  char *end;
  long long value = strtoll(w->text + w->at, &end, 10);
  cr_assert(end != w->text + w->at, "the reference expects a number at: %.40s", w->text + w->at);
  w->at = (int)(end - w->text);
  return value;
}

static int variable(world *w) {
  skip_blanks(w->text, &w->at);
  for (int v = 0; v < w->vars; v++) {
    if (eat(w, w->name[v])) {
      return v;
    }
  }
  return -1;
}

/* The position behind the bracket that closes the one at `at`. */
static int behind_closing(const world *w, int at) {
  int level = 0;
  do {
    level += w->text[at] == '{' || w->text[at] == '(';
    level -= w->text[at] == '}' || w->text[at] == ')';
    at++;
  } while (level > 0);
  return at;
}

/* ---- expressions ---- */

static int64_t expression(world *w, bool live);

static int64_t primary(world *w, bool live) {
  if (eat(w, "(")) {
    int64_t value = expression(w, live);
    need(w, ")");
    return value;
  }
  if (eat(w, "!")) {
    return primary(w, live) == 0;
  }
  if (eat(w, "~")) {
    return ~primary(w, live);
  }
  if (eat(w, "nondet(")) {
    (void)number(w);
    need(w, ",");
    (void)number(w);
    need(w, ")");
    return w->choice;
  }
  int v = variable(w);
  return v >= 0 ? w->in->value[v] : number(w);
}

static bool faulty(const world *w) {
  return w->fault_range || w->fault_division;
}

static int64_t divide(world *w, int64_t a, int64_t b, bool live, bool remainder) {
  if (b == 0) {
    w->fault_division = w->fault_division || (live && !faulty(w));
    return 0;
  }
  return remainder ? a % b : a / b;
}

static int64_t shift(world *w, int64_t a, int64_t b, bool live, bool left) {
  if (b < 0 || b > 40) {
    w->fault_range = w->fault_range || (live && !faulty(w));
    return 0;
  }
  int64_t power = (int64_t)1 << b;
  return left ? a * power : a >= 0 ? a / power : -((-a + power - 1) / power);
}

/* ( a op b ), fully in parentheses, so that no precedence is needed; or a primary. */
static int64_t expression(world *w, bool live) {
  int64_t a = primary(w, live);
  static const char *const operators[] = {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "<",
                                          ">",  "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^"};
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
    if (!eat(w, operators[i])) {
      continue;
    }
    bool counts = i == 0 ? a != 0 : i == 1 ? a == 0 : true;
    int64_t b = primary(w, live && counts && !faulty(w));
    switch (i) {
      case 0:
        return a != 0 && b != 0;
      case 1:
        return a != 0 || b != 0;
      case 2:
        return a == b;
      case 3:
        return a != b;
      case 4:
        return a <= b;
      case 5:
        return a >= b;
      case 6:
        return shift(w, a, b, live, true);
      case 7:
        return shift(w, a, b, live, false);
      case 8:
        return a < b;
      case 9:
        return a > b;
      case 10:
        return a + b;
      case 11:
        return a - b;
      case 12:
        return a * b;
      case 13:
        return divide(w, a, b, live, false);
      case 14:
        return divide(w, a, b, live, true);
      case 15:
        return a & b;
      case 16:
        return a | b;
      default:
        return a ^ b;
    }
  }
  return a;
}

/* ---- one step ---- */

static void tidy(const world *w, state *s, int t) {
  while (s->depth[t] > 0) {
    frame *top = &s->stack[t][s->depth[t] - 1];
    skip_blanks(w->text, &top->at);
    if (top->at < top->end) {
      return;
    }
    *top = (frame){0, 0};
    s->depth[t]--;
  }
}

static void push(const world *w, state *s, int t, int at, int end) {
  cr_assert(s->depth[t] < FRAMES);
  s->stack[t][s->depth[t]++] = (frame){at, end};
  tidy(w, s, t);
}

static void emit(world *w, const state *s) {
  cr_assert(w->out_count < INNER);
  w->out[w->out_count++] = *s;
  w->moved = true;
}

static void fault(world *w) {
  w->counts.out_of_range = w->counts.out_of_range || w->fault_range;
  w->counts.division = w->counts.division || w->fault_division;
  w->moved = w->faulted = true;
}

/* "( expr )"; false when it has a fault. */
static bool condition(world *w, const state *s, int64_t *value) {
  w->in = s;
  w->fault_range = w->fault_division = false;
  need(w, "(");
  *value = expression(w, true);
  need(w, ")");
  if (faulty(w)) {
    fault(w);
    return false;
  }
  return true;
}

static void assign(world *w, const state *s, int t, int v) {
  int begin = w->at, statement_end = (int)(strchr(w->text + begin, ';') - w->text);
  const char *nondet = strstr(w->text + begin, "nondet(");
  int64_t lo = 0, hi = 0;
  if (nondet != NULL && nondet < w->text + statement_end) {
    w->at = (int)(nondet - w->text) + 7;
    lo = number(w);
    need(w, ",");
    hi = number(w);
  }
  for (w->choice = lo; w->choice <= hi; w->choice++) {
    w->at = begin;
    w->in = s;
    w->fault_range = w->fault_division = false;
    int64_t value = expression(w, true);
    need(w, ";");
    if (!faulty(w) && (value < w->lo[v] || value > w->hi[v])) {
      w->fault_range = true;
    }
    if (faulty(w)) {
      fault(w);
      continue;
    }
    state next = *s;
    next.value[v] = value;
    next.stack[t][next.depth[t] - 1].at = w->at;
    tidy(w, &next, t);
    emit(w, &next);
  }
}

static void step(world *w, const state *s, int t, bool inside);

/* All ends of the atomic block whose body is on the stack above `depth`. */
static void run_block(world *w, const state *s, int t, int depth, state *ends, size_t *end_count) {
  for (size_t i = 0; i < w->path_count; i++) {
    if (memcmp(&w->path[i], s, sizeof *s) == 0) {
      w->counts.endless = w->faulted = true;
      return;
    }
  }
  if (s->depth[t] < depth) {
    for (size_t i = 0; i < *end_count; i++) {
      if (memcmp(&ends[i], s, sizeof *s) == 0) {
        return;
      }
    }
    cr_assert(*end_count < INNER);
    ends[(*end_count)++] = *s;
    return;
  }
  cr_assert(w->path_count < INNER);
  w->path[w->path_count++] = *s;
  size_t first = w->out_count;
  step(w, s, t, true);
  size_t last = w->out_count;
  for (size_t i = first; i < last; i++) {
    state next = w->out[i];
    run_block(w, &next, t, depth, ends, end_count);
  }
  w->out_count = first;
  w->path_count--;
}

/* A block of its own: each end is one step. Its statement is passed at the start, so that the stack tells when the body
 * is done. */
static void atomic(world *w, const state *s, int t, bool inside) {
  skip_blanks(w->text, &w->at);
  int begin = w->at, end = behind_closing(w, begin);
  state next = *s;
  if (inside) { /* a block in a block is its statements */
    next.stack[t][next.depth[t] - 1].at = end;
    push(w, &next, t, begin + 1, end - 1);
    emit(w, &next);
    return;
  }
  int depth = s->depth[t];
  push(w, &next, t, begin + 1, end - 1); /* the block's own frame still stands before the block */
  static state ends[INNER];
  size_t count = 0;
  bool moved = w->moved;
  w->path_count = 0;
  if (next.depth[t] == depth) { /* an empty block */
    ends[count++] = next;
  } else {
    w->faulted = false;
    size_t kept = w->out_count;
    run_block(w, &next, t, depth + 1, ends, &count);
    w->out_count = kept;
    w->moved = moved || w->faulted; /* a block that cannot run to its end is no step */
  }
  w->path_count = 0;
  size_t unique = 0;
  for (size_t i = 0; i < count; i++) {
    ends[i].stack[t][depth - 1].at = end;
    tidy(w, &ends[i], t);
    bool known = false;
    for (size_t j = 0; j < unique; j++) {
      known = known || memcmp(&ends[j], &ends[i], sizeof ends[i]) == 0;
    }
    if (!known) {
      ends[unique++] = ends[i];
    }
  }
  for (size_t i = 0; i < unique; i++) {
    emit(w, &ends[i]);
  }
}

/* if and while; (*) takes both ways. */
static void choose(world *w, const state *s, int t, bool loop) {
  int begin = s->stack[t][s->depth[t] - 1].at;
  int64_t value = -1;
  skip_blanks(w->text, &w->at);
  bool star = strncmp(w->text + w->at, "(*)", 3) == 0;
  if (star) {
    w->at += 3;
  } else if (!condition(w, s, &value)) {
    return;
  }
  skip_blanks(w->text, &w->at);
  int body = w->at, body_end = behind_closing(w, body), after = body_end, other = 0, other_end = 0;
  w->at = body_end;
  if (!loop && eat(w, "else")) {
    skip_blanks(w->text, &w->at);
    other = w->at;
    other_end = after = behind_closing(w, other);
  }
  for (int way = 1; way >= 0; way--) {
    if (!star && (value != 0) != (way == 1)) {
      continue;
    }
    state next = *s;
    next.stack[t][next.depth[t] - 1].at = loop && way == 1 ? begin : after;
    if (way == 1) {
      push(w, &next, t, body + 1, body_end - 1);
    } else if (other != 0) {
      push(w, &next, t, other + 1, other_end - 1);
    }
    tidy(w, &next, t);
    emit(w, &next);
  }
}

static void done(world *w, const state *s, int t, int v, int64_t value, bool failed) {
  need(w, ";");
  state next = *s;
  if (v >= 0) {
    next.value[v] = value;
  }
  next.err = next.err != 0 || failed;
  next.stack[t][next.depth[t] - 1].at = w->at;
  tidy(w, &next, t);
  emit(w, &next);
}

static void step(world *w, const state *s, int t, bool inside) {
  w->at = s->stack[t][s->depth[t] - 1].at;
  int64_t value = 0;
  if (eat(w, "skip")) {
    done(w, s, t, -1, 0, false);
  } else if (eat(w, "assume") || eat(w, "await")) {
    if (condition(w, s, &value) && value != 0) {
      done(w, s, t, -1, 0, false);
    }
  } else if (eat(w, "assert")) {
    if (condition(w, s, &value)) {
      done(w, s, t, -1, 0, value == 0);
    }
  } else if (eat(w, "lock(") || eat(w, "unlock(")) {
    bool take = w->text[s->stack[t][s->depth[t] - 1].at] == 'l';
    int v = variable(w);
    need(w, ")");
    if (!take || s->value[v] == 0) {
      done(w, s, t, v, take, false);
    }
  } else if (eat(w, "atomic")) {
    atomic(w, s, t, inside);
  } else if (eat(w, "if")) {
    choose(w, s, t, false);
  } else if (eat(w, "while")) {
    choose(w, s, t, true);
  } else {
    int v = variable(w);
    cr_assert(v >= 0, "the reference cannot read: %.40s", w->text + w->at);
    need(w, "=");
    assign(w, s, t, v);
  }
}

/* ---- the program, the search ---- */

static void declare(world *w, int64_t lo, int64_t hi, state *initial) {
  skip_blanks(w->text, &w->at);
  int length = 0;
  while (is_of_name(w->text[w->at])) {
    w->name[w->vars][length++] = w->text[w->at++];
  }
  w->lo[w->vars] = lo;
  w->hi[w->vars] = hi;
  initial->value[w->vars++] = eat(w, "=") ? number(w) : 0;
  need(w, ";");
}

static state read_program(world *w) {
  state initial;
  memset(&initial, 0, sizeof initial);
  for (;;) {
    if (eat(w, "int[")) {
      int64_t lo = number(w);
      need(w, "..");
      int64_t hi = number(w);
      need(w, "]");
      declare(w, lo, hi, &initial);
    } else if (eat(w, "lock")) {
      declare(w, 0, 1, &initial);
    } else {
      break;
    }
  }
  for (;;) {
    bool daemon = eat(w, "daemon");
    if (!eat(w, "thread")) {
      return initial;
    }
    w->daemon[w->threads] = daemon;
    int begin = (int)(strchr(w->text + w->at, '{') - w->text), end = behind_closing(w, begin);
    push(w, &initial, w->threads++, begin + 1, end - 1);
    w->at = end;
  }
}

static uint64_t hash_state(const state *s) {
  const unsigned char *bytes = (const unsigned char *)s;
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < sizeof *s; i++) {
    hash = (hash ^ bytes[i]) * 1099511628211u;
  }
  return hash;
}

static void add_state(world *w, const state *s) {
  if ((w->count + 1) * 2 > w->slot_count) {
    free(w->slots);
    w->slot_count = w->slot_count == 0 ? 1024 : w->slot_count * 2;
    w->slots = calloc(w->slot_count, sizeof *w->slots);
    for (size_t i = 0; i < w->count; i++) {
      size_t slot = hash_state(&w->states[i]) & (w->slot_count - 1);
      while (w->slots[slot] != 0) {
        slot = (slot + 1) & (w->slot_count - 1);
      }
      w->slots[slot] = (uint32_t)i + 1;
    }
  }
  size_t slot = hash_state(s) & (w->slot_count - 1);
  while (w->slots[slot] != 0) {
    if (memcmp(&w->states[w->slots[slot] - 1], s, sizeof *s) == 0) {
      return;
    }
    slot = (slot + 1) & (w->slot_count - 1);
  }
  if (w->count == w->capacity) {
    w->capacity = w->capacity == 0 ? 256 : w->capacity * 2;
    w->states = realloc(w->states, w->capacity * sizeof *w->states);
    cr_assert(w->states != NULL);
  }
  w->states[w->count++] = *s;
  w->slots[slot] = (uint32_t)w->count;
}

/* The statement that comes first, blocks entered, is an assume. */
static bool at_assume(world *w, const state *s, int t) {
  w->at = s->stack[t][s->depth[t] - 1].at;
  while (eat(w, "atomic") || eat(w, "{")) {}
  return eat(w, "assume");
}

static bool is_deadlock(world *w, const state *s) {
  bool waits = false;
  for (int t = 0; t < w->threads; t++) {
    if (s->depth[t] > 0 && at_assume(w, s, t)) {
      return false;
    }
    waits = waits || (s->depth[t] > 0 && !w->daemon[t]);
  }
  return waits;
}

cw_counts cw_reference_explore(const char *text, uint64_t states_max) {
  world *w = calloc(1, sizeof *w);
  cr_assert(w != NULL);
  w->text = text;
  state initial = read_program(w);
  add_state(w, &initial);
  for (size_t i = 0; i < w->count && w->count <= states_max; i++) {
    state here = w->states[i];
    w->counts.error_states += here.err != 0;
    bool moved = false;
    for (int t = 0; t < w->threads; t++) {
      w->out_count = 0;
      w->moved = false;
      if (here.depth[t] > 0) {
        step(w, &here, t, false);
      }
      moved = moved || w->moved;
      for (size_t o = 0; o < w->out_count; o++) {
        add_state(w, &w->out[o]);
      }
      w->counts.transitions += w->out_count;
    }
    w->counts.deadlocks += !moved && is_deadlock(w, &here);
  }
  w->counts.states = w->count;
  w->counts.complete = w->count <= states_max;
  cw_counts counts = w->counts;
  free(w->states);
  free(w->slots);
  free(w);
  return counts;
}
