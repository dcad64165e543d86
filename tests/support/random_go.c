/* Random programs in the notation of go_reference.h: main and one to three functions that call and spawn only later
 * ones, over a few objects. So that many programs are right, spawns are often counted by a WaitGroup that main waits
 * for, and in `paired` programs main answers the communications of the functions that it has spawned; the rest is by
 * chance. A flag is only touched under its own mutex, for without one it would be a race. */
#include "tests/support/go_reference.h"

#include "core/base/buffer.h"
#include "tests/support/hd_test.h"

#include <inttypes.h>
#include <stdlib.h>

#define FUNCTIONS_MAX 4
#define PAIRS_MAX 4

typedef struct writer {
  uint64_t state;
  hd_buffer text;
  uint32_t channels, mutexes, functions;
  bool nil, context, rwmutex, group, once, cond;
  uint32_t parameters[FUNCTIONS_MAX];
  /* of the function being written */
  uint32_t function, left, counters, defers;
  uint32_t nesting;
  bool variable;
  /* what the functions certainly communicate, when main is to answer it */
  bool paired;
  uint32_t pairs[FUNCTIONS_MAX];
  struct {
    bool sends;
    uint32_t channel;
  } pair[FUNCTIONS_MAX][PAIRS_MAX];
} writer;

static uint32_t draw(writer *w, uint32_t below) {
  w->state = w->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((w->state >> 33) % below);
}

static bool chance(writer *w, uint32_t percent) {
  return draw(w, 100) < percent;
}

static void put(writer *w, const char *text) {
  hd_buffer_add_text(&w->text, text);
}

static void put_number(writer *w, const char *name, uint32_t number) {
  hd_buffer_printf(&w->text, "%s%" PRIu32, name, number);
}

static void channel(writer *w) {
  uint32_t parameters = w->parameters[w->function];
  if (parameters > 0 && chance(w, 50)) {
    put_number(w, " p", draw(w, parameters));
  } else if (w->variable && chance(w, 40)) {
    put(w, " x");
  } else if (w->nil && chance(w, 5)) {
    put(w, " n");
  } else {
    put_number(w, " c", draw(w, w->channels));
  }
}

static void truth(writer *w) {
  put_number(w, chance(w, 30) ? "!b" : "b", draw(w, 2));
}

static void condition(writer *w) {
  uint32_t kind = draw(w, 10);
  if (kind < 5) {
    put(w, "?");
  } else if (kind < 8 || !w->variable) {
    truth(w);
    if (kind == 7) {
      put(w, draw(w, 2) == 0 ? " && " : " || ");
      truth(w);
    }
  } else {
    put(w, kind == 8 ? "x == nil" : "x != nil");
  }
}

/* A communication that main will answer. */
static bool to_be_answered(writer *w) {
  uint32_t f = w->function;
  if (!w->paired || w->nesting > 1 || f == 0 || w->pairs[f] == PAIRS_MAX) {
    return false;
  }
  bool sends = chance(w, 50);
  uint32_t of = draw(w, w->channels);
  w->pair[f][w->pairs[f]].sends = sends;
  w->pair[f][w->pairs[f]++].channel = of;
  put_number(w, sends ? "send c" : "recv c", of);
  return true;
}

static void answer(writer *w, uint32_t function) {
  for (uint32_t i = 0; i < w->pairs[function]; i++) {
    put_number(w, w->pair[function][i].sends ? "recv c" : "send c", w->pair[function][i].channel);
    put(w, "; ");
  }
}

static void communication(writer *w) {
  if (to_be_answered(w)) {
    return;
  }
  if (chance(w, 50)) {
    put(w, "send");
    channel(w);
    if (chance(w, 8)) {
      put(w, " <-");
      channel(w);
    }
  } else if (w->context && chance(w, 15)) {
    put(w, "recv ctx");
  } else {
    put(w, "recv");
    channel(w);
    if (chance(w, 20)) {
      put_number(w, " ok b", draw(w, 2));
    }
  }
}

static void list(writer *w, uint32_t most, uint32_t depth, bool in_loop);

static void block(writer *w, uint32_t most, uint32_t depth, bool in_loop) {
  put(w, " { ");
  list(w, most, depth, in_loop);
  put(w, "}");
}

static void arguments(writer *w, uint32_t function) {
  put_number(w, " f", function);
  put(w, "(");
  for (uint32_t i = 0; i < w->parameters[function]; i++) {
    channel(w);
    put(w, ",");
  }
  put(w, ")");
}

/* A function after this one; 0 when there is none. */
static uint32_t later(writer *w) {
  uint32_t after = w->functions - 1 - w->function;
  return after == 0 ? 0 : w->function + 1 + draw(w, after);
}

static void select_statement(writer *w, uint32_t depth, bool in_loop) {
  put(w, "select {");
  w->nesting++;
  for (uint32_t arms = 1 + draw(w, 2) + (chance(w, 15) ? 1 : 0); arms > 0; arms--) {
    put(w, " ");
    communication(w);
    block(w, 2, depth, in_loop);
  }
  if (chance(w, 25)) {
    put(w, " default");
    block(w, 1, depth, in_loop);
  } else if (chance(w, 15)) {
    put(w, " timer");
    block(w, 1, depth, in_loop);
  }
  w->nesting--;
  put(w, " }");
}

/* A piece under a mutex, most often unlocked again. */
static void locked(writer *w, uint32_t depth, bool in_loop) {
  uint32_t mutex = draw(w, w->mutexes);
  bool readers = w->rwmutex && mutex == 0 && chance(w, 50);
  const char *name = w->rwmutex && mutex == 0 ? "rw" : "m";
  put(w, readers ? "rlock " : "lock ");
  put_number(w, name, mutex);
  bool deferred = w->defers < 2 && !in_loop && chance(w, 25);
  if (deferred) {
    w->defers++;
    put(w, readers ? "; defer runlock " : "; defer unlock ");
    put_number(w, name, mutex);
  }
  put(w, "; ");
  list(w, 2, depth, in_loop);
  if (!deferred && chance(w, 96)) {
    put(w, readers ? "runlock " : "unlock ");
    put_number(w, name, mutex);
  }
}

/* Waiting for the flag, or setting it. */
static void at_cond(writer *w) {
  put(w, "lock g; ");
  uint32_t kind = draw(w, 5);
  if (kind < 2) {
    put(w, "while !flag { wait k } unlock g");
  } else if (kind == 2) {
    put(w, "wait k; unlock g");
  } else {
    put(w, "flag := true; ");
    const char *wake = draw(w, 2) == 0 ? "signal k" : "broadcast k";
    if (kind == 3) {
      put(w, wake);
      put(w, "; unlock g");
    } else {
      put(w, "unlock g; ");
      put(w, wake);
    }
  }
}

static void putting_off(writer *w) {
  w->defers++;
  put(w, "defer ");
  uint32_t kind = draw(w, 6);
  if (kind < 2 && w->group) {
    put(w, "done w");
  } else if (kind == 2 && w->context) {
    put(w, "cancel ctx");
  } else if (kind == 3 && later(w) != 0) {
    put(w, "call");
    arguments(w, w->functions - 1);
  } else {
    put(w, kind == 4 ? "send" : kind == 5 ? "recv" : "close");
    channel(w);
  }
}

static void loop(writer *w, uint32_t depth) {
  uint32_t kind = draw(w, 8);
  if (kind < 3 && w->counters < GR_COUNTERS) {
    w->counters++;
    put(w, "for 2");
  } else if (kind < 5 && w->counters < GR_COUNTERS) {
    w->counters++;
    put(w, "range");
    channel(w);
  } else if (kind < 7) {
    put(w, "loop { ");
    w->nesting++;
    communication(w);
    w->nesting--;
    put(w, "; ");
    list(w, 2, depth, true);
    put(w, "}");
    return;
  } else {
    put(w, "while ?");
  }
  block(w, 2, depth, true);
}

static void jump(writer *w, bool in_loop) {
  uint32_t kind = draw(w, 8);
  if (kind < 4 && in_loop) {
    put(w, kind == 0 ? "continue" : kind == 1 ? "break" : "leave");
  } else if (kind == 4 && w->function != 0) {
    put(w, "goexit");
  } else if (kind == 5) {
    put(w, "sleep");
  } else {
    put(w, "return");
  }
}

static void assignment(writer *w) {
  if (w->variable && chance(w, 60)) {
    put(w, "let x =");
    if (chance(w, 50)) {
      put(w, " nil");
    } else {
      channel(w);
    }
  } else {
    put_number(w, "b", draw(w, 2));
    put(w, " := ");
    condition(w);
  }
}

static void group(writer *w) {
  uint32_t kind = draw(w, 10);
  put(w, kind < 6 ? "done w" : kind < 8 ? "wait w" : "add w 1");
}

/* Statements without blocks. */
static void plain(writer *w, bool in_loop) {
  uint32_t kind = draw(w, 100), function = later(w);
  if (kind < 12 && function != 0) {
    put(w, "go");
    arguments(w, function);
  } else if (kind < 18 && function != 0) {
    put(w, "call");
    arguments(w, function);
  } else if (kind < 24 && !w->paired) {
    put(w, "close");
    channel(w);
  } else if (kind < 30 && w->group) {
    group(w);
  } else if (kind < 35 && w->defers < 2 && !in_loop) {
    putting_off(w);
  } else if (kind < 40) {
    jump(w, in_loop);
  } else if (kind < 45) {
    assignment(w);
  } else if (kind < 48 && w->context) {
    put(w, "cancel ctx");
  } else if (kind < 52 && w->once && function != 0 && w->parameters[w->functions - 1] == 0) {
    put_number(w, "do o f", w->functions - 1);
  } else if (kind < 60 && w->cond) {
    at_cond(w);
  } else if (kind < 62 && w->mutexes > (w->rwmutex ? 1 : 0)) {
    put(w, draw(w, 2) == 0 ? "lock m" : "unlock m");
    put_number(w, "", w->mutexes - 1);
  } else {
    communication(w);
  }
}

static void statement(writer *w, uint32_t depth, bool in_loop) {
  uint32_t kind = depth == 0 ? 99 : draw(w, 100);
  if (kind < 12) {
    select_statement(w, depth - 1, in_loop);
  } else if (kind < 20 && w->mutexes > 0) {
    locked(w, depth - 1, in_loop);
  } else if (kind < 28) {
    put(w, "if ");
    condition(w);
    block(w, 2, depth - 1, in_loop);
    if (chance(w, 40)) {
      put(w, " else");
      block(w, 2, depth - 1, in_loop);
    }
  } else if (kind < 38) {
    loop(w, depth - 1);
  } else {
    plain(w, in_loop);
  }
  put(w, "; ");
}

static void list(writer *w, uint32_t most, uint32_t depth, bool in_loop) {
  w->nesting++;
  for (uint32_t count = draw(w, most + 1); count > 0 && w->left > 0; count--) {
    w->left--;
    statement(w, depth, in_loop);
  }
  w->nesting--;
}

static void objects(writer *w) {
  w->channels = 1 + draw(w, 3);
  for (uint32_t i = 0; i < w->channels; i++) {
    put_number(w, "chan c", i);
    put_number(w, " ", chance(w, 60) ? 0 : 1 + draw(w, 2));
    put(w, "\n");
  }
  w->mutexes = draw(w, 3);
  w->rwmutex = w->mutexes > 0 && chance(w, 30);
  for (uint32_t i = 0; i < w->mutexes; i++) {
    put_number(w, w->rwmutex && i == 0 ? "rwmutex rw" : "mutex m", i);
    put(w, "\n");
  }
  w->nil = chance(w, 25);
  w->context = chance(w, 20);
  w->group = chance(w, 50);
  w->once = chance(w, 20);
  w->cond = chance(w, 20);
  put(w, w->nil ? "nil n\n" : "");
  put(w, w->context ? "context ctx\n" : "");
  put(w, w->group ? "wg w\n" : "");
  put(w, w->once ? "once o\n" : "");
  put(w, w->cond ? "mutex g cond k g flag flag\n" : "");
}

/* Main begins with spawning, most often counted. */
static void spawning(writer *w) {
  uint32_t spawns = 1 + draw(w, 3), spawned[3];
  if (w->group) {
    put_number(w, "add w ", spawns);
    put(w, "; ");
  }
  for (uint32_t i = 0; i < spawns; i++) {
    spawned[i] = 1 + draw(w, w->functions - 1);
    put(w, "go");
    arguments(w, spawned[i]);
    put(w, "; ");
  }
  for (uint32_t i = 0; i < spawns; i++) {
    answer(w, spawned[i]);
  }
}

static void function(writer *w, uint32_t index) {
  w->function = index;
  w->left = index == 0 ? 7 : 5;
  w->counters = w->defers = 0;
  w->variable = false;
  if (index == 0) {
    put(w, "func main(");
  } else {
    put_number(w, "func f", index);
    put(w, "(");
  }
  for (uint32_t i = 0; i < w->parameters[index]; i++) {
    put_number(w, i > 0 ? ", chan p" : "chan p", i);
  }
  put(w, ") { ");
  bool counted = w->group && index != 0 && chance(w, 90);
  if (counted && chance(w, 60)) {
    put(w, "defer done w; ");
    w->defers++;
    counted = false;
  }
  if (chance(w, 30)) {
    put(w, "let x =");
    channel(w);
    put(w, "; ");
    w->variable = true;
  }
  if (index == 0) {
    spawning(w);
  }
  list(w, index != 0 ? 3 : w->paired ? 1 : 4, 2, false);
  put(w, counted ? "done w " : "");
  put(w, index == 0 && w->group && chance(w, 70) ? "wait w " : "");
  put(w, "}\n");
}

char *gr_random(uint64_t seed) {
  writer w = {.state = seed * 0x9e3779b97f4a7c15u + 77};
  draw(&w, 2);
  objects(&w);
  w.functions = 2 + draw(&w, FUNCTIONS_MAX - 1);
  for (uint32_t i = 1; i < w.functions; i++) {
    w.parameters[i] = chance(&w, 60) ? 0 : 1 + draw(&w, 2);
  }
  w.paired = chance(&w, 75);
  for (uint32_t i = w.functions; i-- > 0;) {
    function(&w, i);
  }
  char *text = hd_buffer_take(&w.text);
  cr_assert_not_null(text);
  return text;
}
