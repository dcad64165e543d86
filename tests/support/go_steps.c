/* One step of one goroutine, or of two that meet at a channel; go_local.c runs what comes between steps. Steps are
 * communications, operations on locks, WaitGroups, Conds and Onces, closing, spawning and conditions that may go either
 * way; a writer of a RWMutex takes two (it announces itself, then it waits for the readers), a Cond's Wait two (it
 * unlocks and parks, then it locks again once woken). Contents of channels are numbers of messages, for no program
 * tells messages apart.
 *
 * Written from the Go specification and the documentation of package sync; slow and short on purpose. */
#include "tests/support/go_steps.h"

#include "tests/support/hd_test.h"

#include <string.h>

/* Phases of a Cond's Wait. */
#define PARKED 1
#define WOKEN 2

_Static_assert(sizeof(gr_frame) == 4 + 6 * GR_DEFERS + 2 * GR_LOCALS + GR_COUNTERS + 2, "padding");
_Static_assert(sizeof(gr_goroutine) == sizeof(gr_frame) * GR_DEPTH + 4, "padding");
_Static_assert(sizeof(gr_state) == sizeof(gr_goroutine) * GR_GOROUTINES + 2 * GR_OBJECTS + 4, "padding");

typedef struct world {
  const gr_program *program;
  gr_arrival arrival;
  const gr_state *from;
  gr_steps *steps;
} world;

/* What a goroutine is about to do. */
typedef struct pending {
  const gr_statement *statement; /* NULL: nothing, or it spins */
  int object;                    /* GR_NONE: a nil channel */
  int arg[2];
  bool put_off; /* by defer */
} pending;

static const gr_frame *top_of(const gr_state *s, int g) {
  return &s->goroutine[g].frame[s->goroutine[g].depth - 1];
}

/* The next arm at or after `phase` whose value is received first; the number of arms when there is none. The phase of a
 * select counts the arms whose operands have been evaluated. */
static int next_value(const gr_program *p, const gr_statement *select, int phase, int *from) {
  int count = 0;
  for (int arm = select->body; arm != GR_NONE; arm = p->statement[arm].next) {
    if (count >= phase && p->statement[arm].op == GR_SEND && p->statement[arm].from.index != GR_NONE) {
      *from = arm;
      return count;
    }
    count++;
  }
  *from = GR_NONE;
  return count;
}

/* ---- what is next ---- */

static pending next_of(const world *w, int g) {
  pending n = {.object = GR_NONE, .arg = {GR_NONE, GR_NONE}};
  if (w->from->goroutine[g].depth == 0 || top_of(w->from, g)->phase == GR_SPINS) {
    return n;
  }
  const gr_frame *f = top_of(w->from, g);
  if (f->at == GR_TOP) {
    const gr_deferred *last = &f->deferred[f->deferred_count - 1];
    n.statement = &w->program->statement[last->statement];
    n.object = last->object;
    n.put_off = true;
    return n;
  }
  const gr_statement *t = n.statement = &w->program->statement[f->at];
  n.object = t->op == GR_RANGE        ? f->counter[t->counter] - 2
             : t->on.index != GR_NONE ? gr_resolve(w->program, f, t->on)
                                      : GR_NONE;
  for (int i = 0; i < 2; i++) {
    n.arg[i] = t->arg[i].index == GR_NONE ? GR_NONE : gr_resolve(w->program, f, t->arg[i]);
  }
  return n;
}

/* One way to go on at a channel. */
typedef struct offer {
  int object; /* never GR_NONE */
  bool sends;
  const gr_statement *arm; /* of a select; NULL otherwise */
} offer;

#define OFFERS 8

/* The offers of goroutine g, nil channels left out. */
static size_t offers_of(const world *w, int g, offer *offers) {
  pending n = next_of(w, g);
  if (n.statement == NULL) {
    return 0;
  }
  const gr_frame *f = top_of(w->from, g);
  size_t count = 0;
  int object = n.object;
  bool sends = n.statement->op == GR_SEND;
  if (n.statement->op == GR_SELECT) {
    int from;
    next_value(w->program, n.statement, f->phase, &from);
    if (from == GR_NONE) {
      for (int i = n.statement->body; i != GR_NONE; i = w->program->statement[i].next) {
        const gr_statement *arm = &w->program->statement[i];
        bool communicates = arm->op == GR_SEND || arm->op == GR_RECEIVE;
        object = communicates ? gr_resolve(w->program, f, arm->on) : GR_NONE;
        if (object != GR_NONE) {
          offers[count++] = (offer){object, arm->op == GR_SEND, arm};
        }
      }
      return count;
    }
    object = gr_resolve(w->program, f, w->program->statement[from].from);
    sends = false;
  } else if (n.statement->op == GR_SEND && n.statement->from.index != GR_NONE && f->phase == 0 && !n.put_off) {
    object = gr_resolve(w->program, f, n.statement->from);
    sends = false;
  } else if (n.statement->op != GR_SEND && n.statement->op != GR_RECEIVE && n.statement->op != GR_RANGE) {
    return 0;
  }
  if (object != GR_NONE) {
    offers[count++] = (offer){object, sends, NULL};
  }
  return count;
}

static bool has_default(const world *w, int g, int *body) {
  pending n = next_of(w, g);
  int from;
  if (n.statement == NULL || n.statement->op != GR_SELECT) {
    return false;
  }
  next_value(w->program, n.statement, top_of(w->from, g)->phase, &from);
  for (int i = n.statement->body; from == GR_NONE && i != GR_NONE; i = w->program->statement[i].next) {
    if (w->program->statement[i].op == GR_DEFAULT) {
      *body = i;
      return true;
    }
  }
  return false;
}

/* ---- steps ---- */

static gr_state *begin(const world *w) {
  cr_assert_lt(w->steps->count, GR_STEPS);
  gr_step *step = &w->steps->step[w->steps->count];
  step->to = *w->from;
  step->length = 1;
  step->moved = 0;
  return &step->to;
}

/* Ends the step that `begin` began, in which g has moved. */
static void end(const world *w, int g) {
  gr_step *step = &w->steps->step[w->steps->count++];
  step->moved |= 1u << g;
  gr_settle(w->program, &step->to, g);
}

static void panics(const world *w, int g) {
  gr_state *s = begin(w);
  s->panicked = 1;
  w->steps->step[w->steps->count++].moved = 1u << g;
}

/* Control goes behind the pending statement. */
static void pass(const gr_program *p, gr_state *s, int g) {
  gr_frame *f = gr_top(s, g);
  if (f->at == GR_TOP) {
    gr_pull(f);
  } else {
    gr_go_to(f, p->statement[f->at].then);
  }
}

/* Control after the communication `o` of g; ok: what the second value of a receive is. */
static void communicated(const world *w, gr_state *s, int g, const offer *o, bool ok) {
  gr_frame *f = gr_top(s, g);
  if (f->at == GR_TOP) {
    gr_pull(f);
    return;
  }
  const gr_statement *t = &w->program->statement[f->at], *of = o->arm != NULL ? o->arm : t;
  if (t->op == GR_SELECT && o->arm == NULL) {
    int from;
    f->phase = (int8_t)(next_value(w->program, t, f->phase, &from) + 1);
    return;
  }
  if (t->op == GR_SEND && !o->sends) {
    f->phase = 1;
    return;
  }
  if (of->op == GR_RECEIVE && of->ok != GR_NONE) {
    f->boolean[of->ok] = ok;
  }
  if (t->op == GR_RANGE) {
    if (!ok) {
      f->counter[t->counter] = 0;
    }
    gr_enter(f, ok ? t->body : GR_NONE, ok ? f->at : t->then);
  } else if (o->arm != NULL) {
    gr_enter(f, o->arm->body, o->arm->then);
  } else {
    gr_go_to(f, t->then);
  }
}

/* An offer that goes on without another goroutine: through the buffer, or because the channel is closed. With
 * `only_ask` no step is made. */
static bool alone(const world *w, int g, const offer *o, bool only_ask) {
  gr_value c = w->from->object[o->object];
  bool ready = o->sends ? c.more || c.value < w->program->object[o->object].capacity : c.value > 0 || c.more;
  if (!ready || only_ask) {
    return ready;
  }
  if (o->sends && c.more) {
    panics(w, g);
    return true;
  }
  gr_state *s = begin(w);
  s->object[o->object].value = (int8_t)(c.value + (o->sends ? 1 : c.value > 0 ? -1 : 0));
  communicated(w, s, g, o, c.value > 0);
  end(w, g);
  return true;
}

/* Does the goroutine go on without waiting: has it a default, or an offer that needs nobody? */
static bool need_not_wait(const world *w, int g) {
  offer offers[OFFERS];
  int body;
  bool needs_nobody = has_default(w, g, &body);
  for (size_t i = offers_of(w, g, offers); i > 0; i--) {
    needs_nobody |= alone(w, g, &offers[i - 1], true);
  }
  return needs_nobody;
}

/* Whether g and h, which stand at two ends of a channel, can meet, the step being g's. One of them must have been
 * there, waiting, when the other one came. */
static bool may_meet(const world *w, int g, int h, const offer *o) {
  int body;
  switch (w->arrival) {
    case GR_PARKS:
      return !w->from->goroutine[g].parked && w->from->goroutine[h].parked && !need_not_wait(w, h);
    case GR_MAY_BE_THERE: /* the sender's step, so that there is one only */
      return o->sends && !(need_not_wait(w, g) && need_not_wait(w, h));
    case GR_MEETS_ANYWAY:
      return o->sends && !(has_default(w, g, &body) && has_default(w, h, &body));
  }
  return false;
}

/* The steps in which another goroutine answers the offer; whether there are any. With `only_ask` none is made. */
static bool meet(const world *w, int g, const offer *o, bool only_ask) {
  bool met = false;
  if (w->from->object[o->object].more || w->program->object[o->object].capacity != 0) {
    return false;
  }
  for (int h = 0; h < GR_GOROUTINES; h++) {
    offer others[OFFERS];
    size_t count = h != g && may_meet(w, g, h, o) ? offers_of(w, h, others) : 0;
    for (size_t i = 0; i < count; i++) {
      if (others[i].object != o->object || others[i].sends == o->sends) {
        continue;
      }
      met = true;
      if (!only_ask) {
        gr_state *s = begin(w);
        communicated(w, s, g, o, true);
        communicated(w, s, h, &others[i], true);
        w->steps->step[w->steps->count].moved = 1u << h;
        gr_settle(w->program, s, h);
        end(w, g);
      }
    }
  }
  return met;
}

static void at_channels(const world *w, int g) {
  offer offers[OFFERS];
  size_t count = offers_of(w, g, offers);
  bool ready = false;
  for (size_t i = 0; i < count; i++) {
    ready |= alone(w, g, &offers[i], true) || (w->arrival == GR_PARKS && meet(w, g, &offers[i], true));
    alone(w, g, &offers[i], false);
    meet(w, g, &offers[i], false);
  }
  int otherwise;
  if (has_default(w, g, &otherwise)) {
    if (!ready) {
      gr_state *s = begin(w);
      const gr_statement *arm = &w->program->statement[otherwise];
      gr_enter(gr_top(s, g), arm->body, arm->then);
      end(w, g);
    }
  } else if (w->arrival == GR_PARKS && count > 0 && !ready && !w->from->goroutine[g].parked) {
    begin(w)->goroutine[g].parked = 1;
    w->steps->step[w->steps->count++].length = 0;
  }
}

static void timers(const world *w, int g, const gr_statement *select) {
  int from;
  next_value(w->program, select, top_of(w->from, g)->phase, &from);
  for (int i = select->body; from == GR_NONE && i != GR_NONE; i = w->program->statement[i].next) {
    const gr_statement *arm = &w->program->statement[i];
    if (arm->op == GR_TIMER) {
      gr_state *s = begin(w);
      gr_enter(gr_top(s, g), arm->body, arm->then);
      end(w, g);
    }
  }
}

/* A step that sets the object's value and goes on. */
static void set(const world *w, int g, int object, int value, int more) {
  gr_state *s = begin(w);
  s->object[object] = (gr_value){(int8_t)value, (int8_t)more};
  s->no_room = value > 100;
  pass(w->program, s, g);
  end(w, g);
}

static void lock(const world *w, int g, int object) {
  gr_value v = w->from->object[object];
  if (w->program->object[object].kind == GR_MUTEX) {
    if (v.value == 0) {
      set(w, g, object, 1, 0);
    }
  } else if (top_of(w->from, g)->phase == 0) {
    if (v.more == 0) {
      gr_state *s = begin(w);
      s->object[object].more = 1;
      gr_top(s, g)->phase = 1;
      w->steps->step[w->steps->count++].moved = 1u << g;
    }
  } else if (v.value == 0) {
    set(w, g, object, 0, 2);
  }
}

static void unlock(const world *w, int g, int object) {
  gr_value v = w->from->object[object];
  bool held = w->program->object[object].kind == GR_MUTEX ? v.value == 1 : v.more == 2;
  if (held) {
    set(w, g, object, w->program->object[object].kind == GR_MUTEX ? 0 : v.value, 0);
  } else {
    panics(w, g);
  }
}

static void wait_for(const world *w, int g, int object) {
  if (w->program->object[object].kind == GR_WAITGROUP) {
    if (w->from->object[object].value == 0) {
      set(w, g, object, 0, 0);
    }
    return;
  }
  int mutex = w->program->object[object].mutex, phase = top_of(w->from, g)->phase;
  bool held = w->from->object[mutex].value == 1;
  if (phase == 0 && !held) {
    panics(w, g);
  } else if (phase == 0) {
    gr_state *s = begin(w);
    s->object[mutex].value = 0;
    gr_top(s, g)->phase = PARKED;
    w->steps->step[w->steps->count++].moved = 1u << g;
  } else if (phase == WOKEN && !held) {
    set(w, g, mutex, 1, 0);
  }
}

static bool waits_for(const world *w, int h, int cond) {
  pending n = next_of(w, h);
  return n.statement != NULL && n.statement->op == GR_WAIT && n.object == cond && top_of(w->from, h)->phase == PARKED;
}

/* Signal wakes any one of those that wait: the documentation promises no order. */
static void wake(const world *w, int g, int cond, bool all) {
  bool none = true;
  for (int h = 0; h < GR_GOROUTINES && !all; h++) {
    if (waits_for(w, h, cond)) {
      gr_state *s = begin(w);
      gr_top(s, h)->phase = WOKEN;
      w->steps->step[w->steps->count].moved = 1u << h;
      pass(w->program, s, g);
      end(w, g);
      none = false;
    }
  }
  if (none) {
    gr_state *s = begin(w);
    for (int h = 0; h < GR_GOROUTINES; h++) {
      if (waits_for(w, h, cond)) {
        gr_top(s, h)->phase = WOKEN;
        w->steps->step[w->steps->count].moved |= 1u << h;
      }
    }
    pass(w->program, s, g);
    end(w, g);
  }
}

static void close_channel(const world *w, int g, int object) {
  if (object == GR_NONE || (w->from->object[object].more && w->program->object[object].kind == GR_CHANNEL)) {
    panics(w, g);
  } else {
    set(w, g, object, w->from->object[object].value, 1);
  }
}

static void do_once(const world *w, int g, int object, int function) {
  int progress = w->from->object[object].value;
  if (progress == 2) {
    set(w, g, object, 2, 0);
  } else if (progress == 0) {
    gr_state *s = begin(w);
    s->object[object].value = 1;
    pass(w->program, s, g);
    gr_push(w->program, s, g, function, (int[]){GR_NONE, GR_NONE}, object);
    end(w, g);
  }
}

static void spawn(const world *w, int g, const pending *n) {
  gr_state *s = begin(w);
  int h = s->spawned < GR_GOROUTINES ? s->spawned++ : 1;
  while (h < GR_GOROUTINES && s->goroutine[h].depth > 0) {
    h++;
  }
  pass(w->program, s, g);
  if (h == GR_GOROUTINES) {
    s->no_room = 1;
  } else if (gr_push(w->program, s, h, n->statement->function, n->arg, GR_NONE)) {
    w->steps->step[w->steps->count].moved = 1u << h;
    gr_settle(w->program, s, h);
  }
  end(w, g);
}

static void either(const world *w, int g, const gr_statement *t) {
  for (int value = 0; value < 2; value++) {
    gr_state *s = begin(w);
    gr_branch(s, gr_top(s, g), t, value);
    end(w, g);
  }
}

static void step_of(const world *w, int g) {
  pending n = next_of(w, g);
  if (n.statement == NULL) {
    if (w->from->goroutine[g].depth > 0) {
      begin(w);
      w->steps->step[w->steps->count++].moved = 1u << g;
    }
    return;
  }
  const gr_value *v = n.object == GR_NONE ? NULL : &w->from->object[n.object];
  switch (n.statement->op) {
    case GR_SELECT:
      timers(w, g, n.statement);
      at_channels(w, g);
      break;
    case GR_SEND:
    case GR_RECEIVE:
    case GR_RANGE:
      at_channels(w, g);
      break;
    case GR_CLOSE:
      close_channel(w, g, n.object);
      break;
    case GR_LOCK:
      lock(w, g, n.object);
      break;
    case GR_UNLOCK:
      unlock(w, g, n.object);
      break;
    case GR_RLOCK:
      if (v->more == 0) {
        set(w, g, n.object, v->value + 1, 0);
      }
      break;
    case GR_RUNLOCK:
      if (v->value == 0) {
        panics(w, g);
      } else {
        set(w, g, n.object, v->value - 1, v->more);
      }
      break;
    case GR_ADD:
    case GR_DONE: {
      int sum = v->value + (n.statement->op == GR_ADD ? n.statement->count : -1);
      if (sum < 0) {
        panics(w, g);
      } else {
        set(w, g, n.object, sum, 0);
      }
      break;
    }
    case GR_WAIT:
      wait_for(w, g, n.object);
      break;
    case GR_SIGNAL:
    case GR_BROADCAST:
      wake(w, g, n.object, n.statement->op == GR_BROADCAST);
      break;
    case GR_DO:
      do_once(w, g, n.object, n.statement->function);
      break;
    case GR_GO:
      spawn(w, g, &n);
      break;
    case GR_IF:
    case GR_WHILE:
    case GR_SET:
      either(w, g, n.statement);
      break;
    case GR_CALL:
    case GR_DEFER:
    case GR_FOR:
    case GR_LOOP:
    case GR_TIMER:
    case GR_DEFAULT:
    case GR_BREAK:
    case GR_BREAK_LOOP:
    case GR_CONTINUE:
    case GR_RETURN:
    case GR_GOEXIT:
    case GR_SLEEP:
    case GR_LET:
      cr_assert(false, "statement %d is no step", (int)n.statement->op);
      break;
  }
}

void gr_first_state(const gr_program *program, gr_state *state) {
  memset(state, 0, sizeof *state);
  state->spawned = 1;
  gr_push(program, state, 0, program->main, (int[]){GR_NONE, GR_NONE}, GR_NONE);
  gr_settle(program, state, 0);
}

void gr_successors(const gr_program *program, gr_arrival arrival, const gr_state *from, gr_steps *steps) {
  world w = {.program = program, .arrival = arrival, .from = from, .steps = steps};
  steps->count = 0;
  for (int g = 0; g < GR_GOROUTINES && !from->panicked && !from->no_room; g++) {
    step_of(&w, g);
  }
}
