/* Prints the statements of programs of go_reference.h as Go; go_print_program.c prints what is around them.
 *
 * The condition that may go either way is `rand.Intn(2) == 0`. What is put off and is no call in Go becomes a function
 * literal that gets its channel as argument, so that it is evaluated at once. */
#include "tests/support/go_printer.h"
#include "tests/support/hd_test.h"

#include <string.h>

void gr_put(gr_printer *p, const char *text) {
  hd_buffer_add_text(&p->text, text);
}

void gr_put_line(gr_printer *p) {
  gr_put(p, "\n");
  for (int i = 0; i < p->indent; i++) {
    gr_put(p, "\t");
  }
}

static gr_kind kind_of(const gr_printer *p, gr_name name) {
  return name.is_local ? p->function->kind[name.index] : p->program->object[name.index].kind;
}

static const char *prefix(const gr_printer *p) {
  return p->style == GR_STRUCT ? "all." : "";
}

void gr_put_local(gr_printer *p, const char *name) {
  bool taken = false;
  for (int i = 0; i < p->program->objects; i++) {
    taken |= strcmp(p->program->object[i].name, name) == 0;
  }
  for (int i = 0; i < p->program->functions; i++) {
    taken |= strcmp(p->program->function[i].name, name) == 0;
  }
  gr_putf(p, "%s%s", name, taken ? "Here" : "");
}

static void put_name(gr_printer *p, gr_name name) {
  if (name.is_local) {
    gr_put_local(p, p->function->local[name.index]);
  } else {
    gr_putf(p, "%s%s", prefix(p), p->program->object[name.index].name);
  }
}

/* What is received from: a channel, or a context's. */
static void put_source(gr_printer *p, gr_name name) {
  gr_put(p, "<-");
  put_name(p, name);
  gr_put(p, kind_of(p, name) == GR_CONTEXT ? ".Done()" : "");
}

static void put_argument(gr_printer *p, gr_name name) {
  bool by_address = !name.is_local && kind_of(p, name) >= GR_MUTEX && kind_of(p, name) <= GR_ONCE;
  gr_put(p, by_address ? "&" : "");
  put_name(p, name);
}

/* A function where it is used: its name, or all of it. */
static void put_function(gr_printer *p, int function) {
  if (p->style == GR_INLINE) {
    gr_put_literal(p, function);
  } else {
    gr_putf(p, "%s%s", prefix(p), p->program->function[function].name);
  }
}

static void put_call(gr_printer *p, const gr_statement *s) {
  put_function(p, s->function);
  gr_put(p, "(");
  for (int i = 0; i < p->program->function[s->function].parameters; i++) {
    gr_put(p, i > 0 ? ", " : "");
    put_argument(p, s->arg[i]);
  }
  gr_put(p, ")");
}

/* ---- statements ---- */

static void put_atom(gr_printer *p, const gr_atom *a) {
  switch (a->test) {
    case GR_EITHER:
      p->rand = true;
      gr_put(p, "rand.Intn(2) == 0");
      break;
    case GR_TRUE:
      gr_put(p, a->negated ? "false" : "true");
      break;
    case GR_BOOL:
      gr_put(p, a->negated ? "!" : "");
      if (a->of.is_local) {
        gr_put_local(p, p->function->boolean[a->of.index]);
      } else {
        put_name(p, a->of);
      }
      break;
    case GR_IS_NIL:
      put_name(p, a->of);
      gr_put(p, a->negated ? " != nil" : " == nil");
      break;
  }
}

static void put_condition(gr_printer *p, const gr_condition *c) {
  put_atom(p, &c->atom[0]);
  if (c->join != '\0') {
    gr_put(p, c->join == '&' ? " && " : " || ");
    put_atom(p, &c->atom[1]);
  }
}

static void put_block(gr_printer *p, int first) {
  gr_put(p, " {");
  p->indent++;
  gr_put_list(p, first);
  p->indent--;
  gr_put_line(p);
  gr_put(p, "}");
}

static void put_communication(gr_printer *p, const gr_statement *s) {
  if (s->op == GR_SEND) {
    put_name(p, s->on);
    gr_put(p, " <- ");
    if (s->from.index == GR_NONE) {
      gr_put(p, "1");
    } else {
      put_source(p, s->from);
    }
    return;
  }
  if (s->ok != GR_NONE) {
    gr_put(p, "_, ");
    gr_put_local(p, p->function->boolean[s->ok]);
    gr_put(p, " = ");
  }
  put_source(p, s->on);
}

static void put_close(gr_printer *p, const gr_statement *s) {
  if (kind_of(p, s->on) == GR_CONTEXT) {
    gr_putf(p, "%scancel%s()", prefix(p), p->program->object[s->on.index].name);
  } else {
    gr_put(p, "close(");
    put_name(p, s->on);
    gr_put(p, ")");
  }
}

static const char *method(gr_op op) {
  static const char *const names[] = {
      [GR_LOCK] = "Lock()",       [GR_UNLOCK] = "Unlock()", [GR_RLOCK] = "RLock()",   [GR_DONE] = "Done()",
      [GR_RUNLOCK] = "RUnlock()", [GR_WAIT] = "Wait()",     [GR_SIGNAL] = "Signal()", [GR_BROADCAST] = "Broadcast()"};
  return (size_t)op < sizeof names / sizeof *names ? names[op] : NULL;
}

/* What may follow `defer`, and the like. */
static void put_simple(gr_printer *p, const gr_statement *s) {
  if (s->op == GR_SEND || s->op == GR_RECEIVE) {
    put_communication(p, s);
  } else if (s->op == GR_CLOSE) {
    put_close(p, s);
  } else if (s->op == GR_CALL) {
    put_call(p, s);
  } else if (s->op == GR_ADD) {
    put_name(p, s->on);
    gr_putf(p, ".Add(%d)", s->count);
  } else {
    cr_assert_not_null(method(s->op));
    put_name(p, s->on);
    gr_putf(p, ".%s", method(s->op));
  }
}

static void put_deferred(gr_printer *p, const gr_statement *s) {
  gr_put(p, "defer ");
  if (s->op == GR_SEND || s->op == GR_RECEIVE) {
    bool context = kind_of(p, s->on) == GR_CONTEXT;
    gr_putf(p, "func(c %s) { %s }(", context ? "<-chan struct{}" : "chan int", s->op == GR_SEND ? "c <- 1" : "<-c");
    put_name(p, s->on);
    gr_put(p, context ? ".Done())" : ")");
  } else {
    put_simple(p, s);
  }
}

static void put_arms(gr_printer *p, int first) {
  gr_put(p, "select {");
  for (int i = first; i != GR_NONE; i = p->program->statement[i].next) {
    const gr_statement *arm = &p->program->statement[i];
    gr_put_line(p);
    if (arm->op == GR_DEFAULT) {
      gr_put(p, "default:");
    } else {
      gr_put(p, "case ");
      if (arm->op == GR_TIMER) {
        p->time = true;
        gr_put(p, "<-time.After(time.Millisecond)");
      } else {
        put_communication(p, arm);
      }
      gr_put(p, ":");
    }
    p->indent++;
    gr_put_list(p, arm->body);
    p->indent--;
  }
  gr_put_line(p);
  gr_put(p, "}");
}

/* Whether a `leave` below `first` leaves the loop. */
static bool is_left(const gr_printer *p, int loop, int first) {
  for (int i = first; i != GR_NONE; i = p->program->statement[i].next) {
    const gr_statement *s = &p->program->statement[i];
    if ((s->op == GR_BREAK_LOOP && s->left == loop) || is_left(p, loop, s->body) || is_left(p, loop, s->otherwise)) {
      return true;
    }
  }
  return false;
}

static void put_loop(gr_printer *p, int loop) {
  const gr_statement *s = &p->program->statement[loop];
  if (is_left(p, loop, s->body)) {
    gr_putf(p, "L%d:", loop);
    gr_put_line(p);
  }
  gr_put(p, "for");
  if (s->op == GR_FOR) {
    gr_putf(p, " i%d := 0; i%d < %d; i%d++", s->counter, s->counter, s->count, s->counter);
  } else if (s->op == GR_WHILE) {
    gr_put(p, " ");
    put_condition(p, &s->condition);
  } else if (s->op == GR_RANGE) {
    gr_put(p, " range ");
    put_name(p, s->on);
  }
  put_block(p, s->body);
}

static void put_assignment(gr_printer *p, const gr_statement *s) {
  if (s->op == GR_SET && s->on.is_local) {
    gr_put_local(p, p->function->boolean[s->on.index]);
  } else {
    put_name(p, s->on);
  }
  gr_put(p, " = ");
  if (s->op == GR_SET) {
    put_condition(p, &s->condition);
  } else if (s->from.index == GR_NONE) {
    gr_put(p, "nil");
  } else {
    put_name(p, s->from);
  }
}

static void put_statement(gr_printer *p, int index) {
  const gr_statement *s = &p->program->statement[index];
  if (p->shaken) {
    gr_put_line(p);
    gr_put(p, "nap()");
  }
  gr_put_line(p);
  switch (s->op) {
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
    case GR_CALL:
      put_simple(p, s);
      break;
    case GR_DO:
      put_name(p, s->on);
      gr_put(p, ".Do(");
      put_function(p, s->function);
      gr_put(p, ")");
      break;
    case GR_GO:
      gr_put(p, "go ");
      put_call(p, s);
      break;
    case GR_DEFER:
      put_deferred(p, &p->program->statement[s->body]);
      break;
    case GR_IF:
      gr_put(p, "if ");
      put_condition(p, &s->condition);
      put_block(p, s->body);
      if (s->otherwise != GR_NONE) {
        gr_put(p, " else");
        put_block(p, s->otherwise);
      }
      break;
    case GR_FOR:
    case GR_LOOP:
    case GR_WHILE:
    case GR_RANGE:
      put_loop(p, index);
      break;
    case GR_SELECT:
      put_arms(p, s->body);
      break;
    case GR_BREAK:
      gr_put(p, "break");
      break;
    case GR_BREAK_LOOP:
      gr_putf(p, "break L%d", s->left);
      break;
    case GR_CONTINUE:
      gr_put(p, "continue");
      break;
    case GR_RETURN:
      gr_put(p, "return");
      break;
    case GR_GOEXIT:
      p->runtime = true;
      gr_put(p, "runtime.Goexit()");
      break;
    case GR_SLEEP:
      p->time = true;
      gr_put(p, "time.Sleep(time.Millisecond)");
      break;
    case GR_SET:
    case GR_LET:
      put_assignment(p, s);
      break;
    case GR_TIMER:
    case GR_DEFAULT:
      cr_assert(false, "an arm outside a select");
      break;
  }
}

void gr_put_list(gr_printer *p, int first) {
  for (int i = first; i != GR_NONE; i = p->program->statement[i].next) {
    put_statement(p, i);
  }
}
