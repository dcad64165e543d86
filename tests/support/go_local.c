/* What a goroutine does between two steps: loops that count, conditions that are known, calls and returns, putting off,
 * assignments. It belongs to the step before. A goroutine that has run FUEL such statements without meeting a step is
 * taken to be spinning: it can move, and stays where it is. Flags are read and written here too: programs guard them by
 * a mutex, so that nobody can tell. */
#include "tests/support/go_steps.h"

#include <string.h>

#define FUEL 500

gr_frame *gr_top(gr_state *s, int g) {
  return &s->goroutine[g].frame[s->goroutine[g].depth - 1];
}

int gr_resolve(const gr_program *p, const gr_frame *f, gr_name name) {
  int object = name.is_local ? f->local[name.index] : name.index;
  bool nil = object >= 0 && p->object[object].kind == GR_CHANNEL && p->object[object].capacity == GR_NONE;
  return nil ? GR_NONE : object;
}

/* ---- local computation ---- */

static bool atom_holds(const gr_program *p, const gr_state *s, const gr_frame *f, const gr_atom *a) {
  bool value = a->test == GR_TRUE     ? true
               : a->test == GR_IS_NIL ? gr_resolve(p, f, a->of) == GR_NONE
               : a->of.is_local       ? f->boolean[a->of.index] != 0
                                      : s->object[a->of.index].value != 0;
  return value != a->negated;
}

static bool holds(const gr_program *p, const gr_state *s, const gr_frame *f, const gr_condition *c) {
  bool first = atom_holds(p, s, f, &c->atom[0]);
  if (c->join == '&') {
    return first && atom_holds(p, s, f, &c->atom[1]);
  }
  return first || (c->join == '|' && atom_holds(p, s, f, &c->atom[1]));
}

bool gr_is_open(const gr_condition *c) {
  return c->atom[0].test == GR_EITHER;
}

void gr_go_to(gr_frame *f, int to) {
  f->at = (int16_t)to;
  f->phase = 0;
}

void gr_enter(gr_frame *f, int body, int otherwise) {
  gr_go_to(f, body != GR_NONE ? body : otherwise);
}

/* Takes the branch of an if, a while or an assignment. */
void gr_branch(gr_state *s, gr_frame *f, const gr_statement *t, bool value) {
  if (t->op == GR_SET) {
    if (t->on.is_local) {
      f->boolean[t->on.index] = value;
    } else {
      s->object[t->on.index].value = value;
    }
    gr_go_to(f, t->then);
  } else if (t->op == GR_WHILE) {
    gr_enter(f, value ? t->body : GR_NONE, value ? f->at : t->then);
  } else {
    gr_enter(f, value ? t->body : t->otherwise, t->then);
  }
}

/* A new innermost call of goroutine g; false when there is no room. */
bool gr_push(const gr_program *p, gr_state *s, int g, int function, const int arg[2], int once) {
  gr_goroutine *r = &s->goroutine[g];
  if (r->depth == GR_DEPTH) {
    s->no_room = 1;
    return false;
  }
  gr_frame *f = &r->frame[r->depth++];
  memset(f, 0, sizeof *f);
  const gr_function *called = &p->function[function];
  for (int i = 0; i < GR_LOCALS; i++) {
    f->local[i] = (int8_t)(i < called->parameters && i < 2 ? arg[i] : GR_NONE);
  }
  f->once = (int8_t)once;
  gr_go_to(f, called->body != GR_NONE ? called->body : GR_TOP);
  return true;
}

static void put_off(const gr_program *p, gr_state *s, gr_frame *f, const gr_statement *t) {
  if (f->deferred_count == GR_DEFERS) {
    s->no_room = 1;
    return;
  }
  const gr_statement *inner = &p->statement[t->body];
  gr_deferred *d = &f->deferred[f->deferred_count++];
  d->statement = (int16_t)t->body;
  d->object = (int8_t)(inner->on.index == GR_NONE ? GR_NONE : gr_resolve(p, f, inner->on));
  for (int i = 0; i < 2; i++) {
    d->arg[i] = (int8_t)(inner->arg[i].index == GR_NONE ? GR_NONE : gr_resolve(p, f, inner->arg[i]));
  }
  gr_go_to(f, t->then);
}

/* Takes the last thing put off away and says what it was. */
gr_deferred gr_pull(gr_frame *f) {
  gr_deferred last = f->deferred[--f->deferred_count];
  memset(&f->deferred[f->deferred_count], 0, sizeof last);
  f->phase = 0;
  return last;
}

/* At the end of a body. False: a step is to be done, or the goroutine has finished. */
static bool leave(const gr_program *p, gr_state *s, int g) {
  gr_goroutine *r = &s->goroutine[g];
  gr_frame *f = gr_top(s, g);
  if (f->deferred_count > 0) {
    const gr_deferred *last = &f->deferred[f->deferred_count - 1];
    const gr_statement *t = &p->statement[last->statement];
    if (t->op != GR_CALL) {
      return false;
    }
    gr_deferred call = gr_pull(f);
    return gr_push(p, s, g, t->function, (int[]){call.arg[0], call.arg[1]}, GR_NONE);
  }
  if (f->once != GR_NONE) {
    s->object[f->once].value = 2;
  }
  memset(f, 0, sizeof *f);
  if (--r->depth == 0) {
    memset(r, 0, sizeof *r);
    return false;
  }
  if (r->exiting) {
    gr_go_to(gr_top(s, g), GR_TOP);
  }
  return true;
}

static void loop_over_channel(const gr_program *p, gr_frame *f, const gr_statement *t) {
  if (f->counter[t->counter] == 0) {
    f->counter[t->counter] = (int8_t)(gr_resolve(p, f, t->on) + 2);
  }
}

static void loop_that_counts(gr_frame *f, const gr_statement *t) {
  if (f->counter[t->counter] < t->count) {
    f->counter[t->counter]++;
    gr_enter(f, t->body, f->at);
  } else {
    f->counter[t->counter] = 0;
    gr_go_to(f, t->then);
  }
}

static void jump(const gr_program *p, gr_frame *f, const gr_statement *t) {
  const gr_statement *left = &p->statement[t->left];
  if (t->op == GR_CONTINUE) {
    gr_go_to(f, t->left);
    return;
  }
  if (left->counter != GR_NONE) {
    f->counter[left->counter] = 0;
  }
  gr_go_to(f, left->then);
}

/* One local statement of goroutine g; false when a step is next. */
static bool run_locally(const gr_program *p, gr_state *s, int g) {
  gr_frame *f = gr_top(s, g);
  if (f->at == GR_TOP) {
    return leave(p, s, g);
  }
  const gr_statement *t = &p->statement[f->at];
  switch (t->op) {
    case GR_SEND:
    case GR_RECEIVE:
    case GR_CLOSE:
    case GR_LOCK:
    case GR_UNLOCK:
    case GR_RLOCK:
    case GR_RUNLOCK:
    case GR_ADD:
    case GR_DONE:
    case GR_WAIT:
    case GR_SIGNAL:
    case GR_BROADCAST:
    case GR_DO:
    case GR_GO:
    case GR_TIMER:
    case GR_DEFAULT:
    case GR_SELECT:
      return false;
    case GR_CALL: {
      int arg[2];
      for (int i = 0; i < 2; i++) {
        arg[i] = t->arg[i].index == GR_NONE ? GR_NONE : gr_resolve(p, f, t->arg[i]);
      }
      gr_go_to(f, t->then);
      return gr_push(p, s, g, t->function, arg, GR_NONE);
    }
    case GR_DEFER:
      put_off(p, s, f, t);
      return true;
    case GR_IF:
    case GR_WHILE:
    case GR_SET:
      if (gr_is_open(&t->condition)) {
        return false;
      }
      gr_branch(s, f, t, holds(p, s, f, &t->condition));
      return true;
    case GR_FOR:
      loop_that_counts(f, t);
      return true;
    case GR_LOOP:
      gr_enter(f, t->body, f->at);
      return true;
    case GR_RANGE:
      loop_over_channel(p, f, t);
      return false;
    case GR_BREAK:
    case GR_BREAK_LOOP:
    case GR_CONTINUE:
      jump(p, f, t);
      return true;
    case GR_GOEXIT:
      s->goroutine[g].exiting = 1;
      s->no_room |= g == 0;
      gr_go_to(f, GR_TOP);
      return true;
    case GR_RETURN:
      gr_go_to(f, GR_TOP);
      return true;
    case GR_SLEEP:
      gr_go_to(f, t->then);
      return true;
    case GR_LET:
      f->local[t->on.index] = (int8_t)(t->from.index == GR_NONE ? GR_NONE : gr_resolve(p, f, t->from));
      gr_go_to(f, t->then);
      return true;
  }
  return false;
}

/* Runs goroutine g up to its next step. */
void gr_settle(const gr_program *p, gr_state *s, int g) {
  int fuel = FUEL;
  s->goroutine[g].parked = 0;
  while (s->goroutine[g].depth > 0 && !s->no_room && run_locally(p, s, g)) {
    if (--fuel == 0) {
      gr_top(s, g)->phase = GR_SPINS;
      return;
    }
  }
}
