/* Prints programs of go_reference.h as Go source that compiles: only what main reaches is printed, variables that the
 * compiler might take to be unused are assigned to `_`, labels and imports are there when they are needed.
 *
 * The condition that may go either way is `rand.Intn(2) == 0`. What is put off and is no call in Go becomes a function
 * literal that gets its channel as argument, so that it is evaluated at once. */
#include "tests/support/go_reference.h"

#include "core/base/buffer.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

typedef struct printer {
  const gr_program *program;
  const gr_function *function; /* whose statements are being printed */
  gr_style style;
  hd_buffer text;
  int indent;
  bool context, rand, runtime, sync, time; /* packages */
  bool function_used[GR_FUNCTIONS], object_used[GR_OBJECTS];
  int order[GR_FUNCTIONS], ordered; /* the used ones, called before calling */
  bool recursive;
} printer;

static void put(printer *p, const char *text) {
  hd_buffer_add_text(&p->text, text);
}

#define putf(p, ...) hd_buffer_printf(&(p)->text, __VA_ARGS__)

static void line(printer *p) {
  put(p, "\n");
  for (int i = 0; i < p->indent; i++) {
    put(p, "\t");
  }
}

/* ---- what is used ---- */

static void use_function(printer *p, int function, bool *open);

static void use_name(printer *p, gr_name name) {
  if (!name.is_local && name.index != GR_NONE) {
    p->object_used[name.index] = true;
    int mutex = p->program->object[name.index].mutex;
    if (mutex != GR_NONE) {
      p->object_used[mutex] = true;
    }
  }
}

static void use_list(printer *p, int first, bool *open) {
  for (int i = first; i != GR_NONE; i = p->program->statement[i].next) {
    const gr_statement *s = &p->program->statement[i];
    gr_name names[] = {s->on, s->from, s->arg[0], s->arg[1], s->condition.atom[0].of, s->condition.atom[1].of};
    bool asks = s->op == GR_IF || s->op == GR_WHILE || s->op == GR_SET;
    for (int k = 0; k < (asks ? s->condition.join != '\0' ? 6 : 5 : 4); k++) {
      use_name(p, names[k]);
    }
    if (s->function != GR_NONE) {
      use_function(p, s->function, open);
    }
    use_list(p, s->body, open);
    use_list(p, s->otherwise, open);
  }
}

static void use_function(printer *p, int function, bool *open) {
  p->recursive |= open[function];
  if (p->function_used[function]) {
    return;
  }
  p->function_used[function] = open[function] = true;
  use_list(p, p->program->function[function].body, open);
  open[function] = false;
  p->order[p->ordered++] = function;
}

/* ---- names ---- */

static gr_kind kind_of(const printer *p, gr_name name) {
  return name.is_local ? p->function->kind[name.index] : p->program->object[name.index].kind;
}

static const char *prefix(const printer *p) {
  return p->style == GR_STRUCT ? "all." : "";
}

/* A local's name, told apart from an object's or a function's. */
static void put_local(printer *p, const char *name) {
  bool taken = false;
  for (int i = 0; i < p->program->objects; i++) {
    taken |= strcmp(p->program->object[i].name, name) == 0;
  }
  for (int i = 0; i < p->program->functions; i++) {
    taken |= strcmp(p->program->function[i].name, name) == 0;
  }
  putf(p, "%s%s", name, taken ? "Here" : "");
}

static void put_name(printer *p, gr_name name) {
  if (name.is_local) {
    put_local(p, p->function->local[name.index]);
  } else {
    putf(p, "%s%s", prefix(p), p->program->object[name.index].name);
  }
}

/* What is received from: a channel, or a context's. */
static void put_source(printer *p, gr_name name) {
  put(p, "<-");
  put_name(p, name);
  put(p, kind_of(p, name) == GR_CONTEXT ? ".Done()" : "");
}

static void put_argument(printer *p, gr_name name) {
  bool by_address = !name.is_local && kind_of(p, name) >= GR_MUTEX && kind_of(p, name) <= GR_ONCE;
  put(p, by_address ? "&" : "");
  put_name(p, name);
}

static void put_body(printer *p, int function);

/* A function where it is used: its name, or all of it. */
static void put_function(printer *p, int function) {
  if (p->style == GR_INLINE) {
    put_body(p, function);
  } else {
    putf(p, "%s%s", prefix(p), p->program->function[function].name);
  }
}

static void put_call(printer *p, const gr_statement *s) {
  put_function(p, s->function);
  put(p, "(");
  for (int i = 0; i < p->program->function[s->function].parameters; i++) {
    put(p, i > 0 ? ", " : "");
    put_argument(p, s->arg[i]);
  }
  put(p, ")");
}

/* ---- statements ---- */

static void put_atom(printer *p, const gr_atom *a) {
  switch (a->test) {
    case GR_EITHER:
      p->rand = true;
      put(p, "rand.Intn(2) == 0");
      break;
    case GR_TRUE:
      put(p, a->negated ? "false" : "true");
      break;
    case GR_BOOL:
      put(p, a->negated ? "!" : "");
      if (a->of.is_local) {
        put_local(p, p->function->boolean[a->of.index]);
      } else {
        put_name(p, a->of);
      }
      break;
    case GR_IS_NIL:
      put_name(p, a->of);
      put(p, a->negated ? " != nil" : " == nil");
      break;
  }
}

static void put_condition(printer *p, const gr_condition *c) {
  put_atom(p, &c->atom[0]);
  if (c->join != '\0') {
    put(p, c->join == '&' ? " && " : " || ");
    put_atom(p, &c->atom[1]);
  }
}

static void put_list(printer *p, int first);

static void put_block(printer *p, int first) {
  put(p, " {");
  p->indent++;
  put_list(p, first);
  p->indent--;
  line(p);
  put(p, "}");
}

static void put_communication(printer *p, const gr_statement *s) {
  if (s->op == GR_SEND) {
    put_name(p, s->on);
    put(p, " <- ");
    if (s->from.index == GR_NONE) {
      put(p, "1");
    } else {
      put_source(p, s->from);
    }
    return;
  }
  if (s->ok != GR_NONE) {
    put(p, "_, ");
    put_local(p, p->function->boolean[s->ok]);
    put(p, " = ");
  }
  put_source(p, s->on);
}

static void put_close(printer *p, const gr_statement *s) {
  if (kind_of(p, s->on) == GR_CONTEXT) {
    putf(p, "%scancel%s()", prefix(p), p->program->object[s->on.index].name);
  } else {
    put(p, "close(");
    put_name(p, s->on);
    put(p, ")");
  }
}

static const char *method(gr_op op) {
  static const char *const names[] = {
      [GR_LOCK] = "Lock()",       [GR_UNLOCK] = "Unlock()", [GR_RLOCK] = "RLock()",   [GR_DONE] = "Done()",
      [GR_RUNLOCK] = "RUnlock()", [GR_WAIT] = "Wait()",     [GR_SIGNAL] = "Signal()", [GR_BROADCAST] = "Broadcast()"};
  return (size_t)op < sizeof names / sizeof *names ? names[op] : NULL;
}

/* What may follow `defer`, and the like. */
static void put_simple(printer *p, const gr_statement *s) {
  if (s->op == GR_SEND || s->op == GR_RECEIVE) {
    put_communication(p, s);
  } else if (s->op == GR_CLOSE) {
    put_close(p, s);
  } else if (s->op == GR_CALL) {
    put_call(p, s);
  } else if (s->op == GR_ADD) {
    put_name(p, s->on);
    putf(p, ".Add(%d)", s->count);
  } else {
    cr_assert_not_null(method(s->op));
    put_name(p, s->on);
    putf(p, ".%s", method(s->op));
  }
}

static void put_deferred(printer *p, const gr_statement *s) {
  put(p, "defer ");
  if (s->op == GR_SEND || s->op == GR_RECEIVE) {
    bool context = kind_of(p, s->on) == GR_CONTEXT;
    putf(p, "func(c %s) { %s }(", context ? "<-chan struct{}" : "chan int", s->op == GR_SEND ? "c <- 1" : "<-c");
    put_name(p, s->on);
    put(p, context ? ".Done())" : ")");
  } else {
    put_simple(p, s);
  }
}

static void put_arms(printer *p, int first) {
  put(p, "select {");
  for (int i = first; i != GR_NONE; i = p->program->statement[i].next) {
    const gr_statement *arm = &p->program->statement[i];
    line(p);
    if (arm->op == GR_DEFAULT) {
      put(p, "default:");
    } else {
      put(p, "case ");
      if (arm->op == GR_TIMER) {
        p->time = true;
        put(p, "<-time.After(time.Millisecond)");
      } else {
        put_communication(p, arm);
      }
      put(p, ":");
    }
    p->indent++;
    put_list(p, arm->body);
    p->indent--;
  }
  line(p);
  put(p, "}");
}

/* Whether a `leave` below `first` leaves the loop. */
static bool is_left(const printer *p, int loop, int first) {
  for (int i = first; i != GR_NONE; i = p->program->statement[i].next) {
    const gr_statement *s = &p->program->statement[i];
    if ((s->op == GR_BREAK_LOOP && s->left == loop) || is_left(p, loop, s->body) || is_left(p, loop, s->otherwise)) {
      return true;
    }
  }
  return false;
}

static void put_loop(printer *p, int loop) {
  const gr_statement *s = &p->program->statement[loop];
  if (is_left(p, loop, s->body)) {
    putf(p, "L%d:", loop);
    line(p);
  }
  put(p, "for");
  if (s->op == GR_FOR) {
    putf(p, " i%d := 0; i%d < %d; i%d++", s->counter, s->counter, s->count, s->counter);
  } else if (s->op == GR_WHILE) {
    put(p, " ");
    put_condition(p, &s->condition);
  } else if (s->op == GR_RANGE) {
    put(p, " range ");
    put_name(p, s->on);
  }
  put_block(p, s->body);
}

static void put_assignment(printer *p, const gr_statement *s) {
  if (s->op == GR_SET && s->on.is_local) {
    put_local(p, p->function->boolean[s->on.index]);
  } else {
    put_name(p, s->on);
  }
  put(p, " = ");
  if (s->op == GR_SET) {
    put_condition(p, &s->condition);
  } else if (s->from.index == GR_NONE) {
    put(p, "nil");
  } else {
    put_name(p, s->from);
  }
}

static void put_statement(printer *p, int index) {
  const gr_statement *s = &p->program->statement[index];
  line(p);
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
      put(p, ".Do(");
      put_function(p, s->function);
      put(p, ")");
      break;
    case GR_GO:
      put(p, "go ");
      put_call(p, s);
      break;
    case GR_DEFER:
      put_deferred(p, &p->program->statement[s->body]);
      break;
    case GR_IF:
      put(p, "if ");
      put_condition(p, &s->condition);
      put_block(p, s->body);
      if (s->otherwise != GR_NONE) {
        put(p, " else");
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
      put(p, "break");
      break;
    case GR_BREAK_LOOP:
      putf(p, "break L%d", s->left);
      break;
    case GR_CONTINUE:
      put(p, "continue");
      break;
    case GR_RETURN:
      put(p, "return");
      break;
    case GR_GOEXIT:
      p->runtime = true;
      put(p, "runtime.Goexit()");
      break;
    case GR_SLEEP:
      p->time = true;
      put(p, "time.Sleep(time.Millisecond)");
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

static void put_list(printer *p, int first) {
  for (int i = first; i != GR_NONE; i = p->program->statement[i].next) {
    put_statement(p, i);
  }
}

/* ---- functions and objects ---- */

static const char *type_of(gr_kind kind, bool as_parameter) {
  switch (kind) {
    case GR_CHANNEL:
      return "chan int";
    case GR_CONTEXT:
      return "context.Context";
    case GR_MUTEX:
      return as_parameter ? "*sync.Mutex" : "sync.Mutex";
    case GR_RWMUTEX:
      return as_parameter ? "*sync.RWMutex" : "sync.RWMutex";
    case GR_WAITGROUP:
      return as_parameter ? "*sync.WaitGroup" : "sync.WaitGroup";
    case GR_ONCE:
      return as_parameter ? "*sync.Once" : "sync.Once";
    case GR_COND:
      return "*sync.Cond";
    case GR_FLAG:
      return "bool";
  }
  return "";
}

static void put_parameters(printer *p, const gr_function *f, bool named) {
  put(p, "(");
  for (int i = 0; i < f->parameters; i++) {
    put(p, i > 0 ? ", " : "");
    if (named) {
      put_local(p, f->local[i]);
      put(p, " ");
    }
    put(p, type_of(f->kind[i], true));
  }
  put(p, ")");
}

static void put_variable(printer *p, const char *name, const char *type) {
  line(p);
  put(p, "var ");
  put_local(p, name);
  putf(p, " %s", type);
  line(p);
  put(p, "_ = ");
  put_local(p, name);
}

static void put_locals(printer *p, const gr_function *f) {
  for (int i = f->parameters; i < f->locals; i++) {
    put_variable(p, f->local[i], "chan int");
  }
  for (int i = 0; i < f->bools; i++) {
    put_variable(p, f->boolean[i], "bool");
  }
}

/* The body in braces, behind the head. */
static void put_braces(printer *p, const gr_function *f) {
  const gr_function *outer = p->function;
  p->function = f;
  put(p, " {");
  p->indent++;
  put_locals(p, f);
  put_list(p, f->body);
  p->indent--;
  line(p);
  put(p, "}");
  p->function = outer;
}

/* A function literal. */
static void put_body(printer *p, int function) {
  const gr_function *f = &p->program->function[function];
  put(p, "func");
  put_parameters(p, f, true);
  put_braces(p, f);
}

static void put_made(printer *p, const gr_object *o) {
  putf(p, o->capacity > 0 ? "make(chan int, %d)" : "make(chan int)", o->capacity);
}

/* The declarations of objects as variables. */
static void put_variables(printer *p, bool in_main) {
  const char *let = in_main ? "" : "var ", *be = in_main ? " := " : " = ";
  for (int i = 0; i < p->program->objects; i++) {
    const gr_object *o = &p->program->object[i];
    if (!p->object_used[i]) {
      continue;
    }
    line(p);
    if (o->kind == GR_CHANNEL && o->capacity != GR_NONE) {
      putf(p, "%s%s%s", let, o->name, be);
      put_made(p, o);
    } else if (o->kind == GR_CONTEXT) {
      putf(p, "%s%s, cancel%s%scontext.WithCancel(context.Background())", let, o->name, o->name, be);
    } else if (o->kind == GR_COND) {
      putf(p, "%s%s%ssync.NewCond(&%s)", let, o->name, be, p->program->object[o->mutex].name);
    } else {
      putf(p, "var %s %s", o->name, type_of(o->kind, false));
    }
    if (in_main && (o->kind == GR_CONTEXT || o->kind == GR_FLAG)) {
      line(p);
      putf(p, o->kind == GR_FLAG ? "_ = %s" : "_, _ = %s, cancel%s", o->name, o->name);
    }
  }
}

static void put_struct(printer *p) {
  put(p, "\n\ntype world struct {");
  p->indent++;
  for (int i = 0; i < p->program->objects; i++) {
    const gr_object *o = &p->program->object[i];
    if (p->object_used[i]) {
      line(p);
      putf(p, "%s %s", o->name, type_of(o->kind, false));
      if (o->kind == GR_CONTEXT) {
        line(p);
        putf(p, "cancel%s context.CancelFunc", o->name);
      }
    }
  }
  p->indent--;
  put(p, "\n}");
}

static void put_fields(printer *p) {
  line(p);
  put(p, "all := &world{}");
  for (int i = 0; i < p->program->objects; i++) {
    const gr_object *o = &p->program->object[i];
    bool made = (o->kind == GR_CHANNEL && o->capacity != GR_NONE) || o->kind == GR_CONTEXT || o->kind == GR_COND;
    if (!p->object_used[i] || !made) {
      continue;
    }
    line(p);
    putf(p, "all.%s", o->name);
    if (o->kind == GR_CHANNEL) {
      put(p, " = ");
      put_made(p, o);
    } else if (o->kind == GR_COND) {
      putf(p, " = sync.NewCond(&all.%s)", p->program->object[o->mutex].name);
    } else {
      putf(p, ", all.cancel%s = context.WithCancel(context.Background())", o->name);
    }
  }
  line(p);
  put(p, "_ = all");
}

/* The functions but main: closures in main, or declarations. */
static void put_functions(printer *p) {
  bool closures = p->style == GR_CLOSURES;
  for (int i = 0; i < p->ordered && closures && p->recursive; i++) {
    const gr_function *f = &p->program->function[p->order[i]];
    if (p->order[i] != p->program->main) {
      line(p);
      putf(p, "var %s func", f->name);
      put_parameters(p, f, false);
    }
  }
  for (int i = 0; i < p->ordered; i++) {
    const gr_function *f = &p->program->function[p->order[i]];
    if (p->order[i] == p->program->main) {
      continue;
    }
    line(p);
    if (closures) {
      putf(p, "%s %s ", f->name, p->recursive ? "=" : ":=");
      put_body(p, p->order[i]);
      continue;
    }
    putf(p, "\nfunc %s%s", p->style == GR_STRUCT ? "(all *world) " : "", f->name);
    put_parameters(p, f, true);
    put_braces(p, f);
  }
}

static void put_main(printer *p) {
  put(p, "\n\nfunc main() {");
  p->indent++;
  if (p->style == GR_STRUCT) {
    put_fields(p);
  } else if (p->style != GR_GLOBALS) {
    put_variables(p, true);
  }
  if (p->style == GR_CLOSURES) {
    put_functions(p);
  }
  p->function = &p->program->function[p->program->main];
  put_locals(p, p->function);
  put_list(p, p->function->body);
  p->indent--;
  put(p, "\n}\n");
}

static char *with_imports(printer *p) {
  const struct {
    const char *path;
    bool used;
  } packages[] = {
      {"context", p->context}, {"math/rand", p->rand}, {"runtime", p->runtime}, {"sync", p->sync}, {"time", p->time}};
  hd_buffer whole = {0};
  hd_buffer_add_text(&whole, "package main\n");
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
    if (packages[i].used) {
      hd_buffer_printf(&whole, "\nimport \"%s\"\n", packages[i].path);
    }
  }
  hd_buffer_add_text(&whole, p->text.data);
  hd_buffer_free(&p->text);
  char *text = hd_buffer_take(&whole);
  cr_assert_not_null(text);
  return text;
}

char *gr_print(const gr_program *program, gr_style style) {
  printer p = {.program = program, .style = style};
  bool open[GR_FUNCTIONS] = {false};
  use_function(&p, program->main, open);
  if (p.recursive && style == GR_INLINE) {
    p.style = GR_CLOSURES;
  }
  for (int i = 0; i < program->objects; i++) {
    gr_kind kind = program->object[i].kind;
    p.context |= p.object_used[i] && kind == GR_CONTEXT;
    p.sync |= p.object_used[i] && kind >= GR_MUTEX && kind <= GR_COND;
  }
  if (p.style == GR_STRUCT) {
    put_struct(&p);
  } else if (p.style == GR_GLOBALS) {
    put_variables(&p, false);
  }
  if (p.style == GR_GLOBALS || p.style == GR_STRUCT) {
    put_functions(&p);
  }
  put_main(&p);
  return with_imports(&p);
}
