/* Prints programs of go_reference.h as Go source that compiles: only what main reaches is printed, variables that the
 * compiler might take to be unused are assigned to `_`, imports are there when they are needed. go_print.c prints the
 * statements. */
#include "tests/support/go_printer.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>

/* ---- what is used ---- */

static void use_function(gr_printer *p, int function, bool *open);

static void use_name(gr_printer *p, gr_name name) {
  if (!name.is_local && name.index != GR_NONE) {
    p->object_used[name.index] = true;
    int mutex = p->program->object[name.index].mutex;
    if (mutex != GR_NONE) {
      p->object_used[mutex] = true;
    }
  }
}

static void use_list(gr_printer *p, int first, bool *open) {
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

static void use_function(gr_printer *p, int function, bool *open) {
  p->recursive |= open[function];
  if (p->function_used[function]) {
    return;
  }
  p->function_used[function] = open[function] = true;
  use_list(p, p->program->function[function].body, open);
  open[function] = false;
  p->order[p->ordered++] = function;
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

static void put_parameters(gr_printer *p, const gr_function *f, bool named) {
  gr_put(p, "(");
  for (int i = 0; i < f->parameters; i++) {
    gr_put(p, i > 0 ? ", " : "");
    if (named) {
      gr_put_local(p, f->local[i]);
      gr_put(p, " ");
    }
    gr_put(p, type_of(f->kind[i], true));
  }
  gr_put(p, ")");
}

static void put_variable(gr_printer *p, const char *name, const char *type) {
  gr_put_line(p);
  gr_put(p, "var ");
  gr_put_local(p, name);
  gr_putf(p, " %s", type);
  gr_put_line(p);
  gr_put(p, "_ = ");
  gr_put_local(p, name);
}

static void put_locals(gr_printer *p, const gr_function *f) {
  for (int i = f->parameters; i < f->locals; i++) {
    put_variable(p, f->local[i], "chan int");
  }
  for (int i = 0; i < f->bools; i++) {
    put_variable(p, f->boolean[i], "bool");
  }
}

/* The body in braces, behind the head. */
static void put_braces(gr_printer *p, const gr_function *f) {
  const gr_function *outer = p->function;
  p->function = f;
  gr_put(p, " {");
  p->indent++;
  put_locals(p, f);
  gr_put_list(p, f->body);
  p->indent--;
  gr_put_line(p);
  gr_put(p, "}");
  p->function = outer;
}

/* A function literal. */
void gr_put_literal(gr_printer *p, int function) {
  const gr_function *f = &p->program->function[function];
  gr_put(p, "func");
  put_parameters(p, f, true);
  put_braces(p, f);
}

static void put_made(gr_printer *p, const gr_object *o) {
  gr_putf(p, o->capacity > 0 ? "make(chan int, %d)" : "make(chan int)", o->capacity);
}

/* The declarations of objects as variables. */
static void put_variables(gr_printer *p, bool in_main) {
  const char *let = in_main ? "" : "var ", *be = in_main ? " := " : " = ";
  for (int i = 0; i < p->program->objects; i++) {
    const gr_object *o = &p->program->object[i];
    if (!p->object_used[i]) {
      continue;
    }
    gr_put_line(p);
    if (o->kind == GR_CHANNEL && o->capacity != GR_NONE) {
      gr_putf(p, "%s%s%s", let, o->name, be);
      put_made(p, o);
    } else if (o->kind == GR_CONTEXT) {
      gr_putf(p, "%s%s, cancel%s%scontext.WithCancel(context.Background())", let, o->name, o->name, be);
    } else if (o->kind == GR_COND) {
      gr_putf(p, "%s%s%ssync.NewCond(&%s)", let, o->name, be, p->program->object[o->mutex].name);
    } else {
      gr_putf(p, "var %s %s", o->name, type_of(o->kind, false));
    }
    if (in_main && (o->kind == GR_CONTEXT || o->kind == GR_FLAG)) {
      gr_put_line(p);
      gr_putf(p, o->kind == GR_FLAG ? "_ = %s" : "_, _ = %s, cancel%s", o->name, o->name);
    }
  }
}

static void put_struct(gr_printer *p) {
  gr_put(p, "\n\ntype world struct {");
  p->indent++;
  for (int i = 0; i < p->program->objects; i++) {
    const gr_object *o = &p->program->object[i];
    if (p->object_used[i]) {
      gr_put_line(p);
      gr_putf(p, "%s %s", o->name, type_of(o->kind, false));
      if (o->kind == GR_CONTEXT) {
        gr_put_line(p);
        gr_putf(p, "cancel%s context.CancelFunc", o->name);
      }
    }
  }
  p->indent--;
  gr_put(p, "\n}");
}

static void put_fields(gr_printer *p) {
  gr_put_line(p);
  gr_put(p, "all := &world{}");
  for (int i = 0; i < p->program->objects; i++) {
    const gr_object *o = &p->program->object[i];
    bool made = (o->kind == GR_CHANNEL && o->capacity != GR_NONE) || o->kind == GR_CONTEXT || o->kind == GR_COND;
    if (!p->object_used[i] || !made) {
      continue;
    }
    gr_put_line(p);
    gr_putf(p, "all.%s", o->name);
    if (o->kind == GR_CHANNEL) {
      gr_put(p, " = ");
      put_made(p, o);
    } else if (o->kind == GR_COND) {
      gr_putf(p, " = sync.NewCond(&all.%s)", p->program->object[o->mutex].name);
    } else {
      gr_putf(p, ", all.cancel%s = context.WithCancel(context.Background())", o->name);
    }
  }
  gr_put_line(p);
  gr_put(p, "_ = all");
}

/* The functions but main: closures in main, or declarations. */
static void put_functions(gr_printer *p) {
  bool closures = p->style == GR_CLOSURES;
  for (int i = 0; i < p->ordered && closures && p->recursive; i++) {
    const gr_function *f = &p->program->function[p->order[i]];
    if (p->order[i] != p->program->main) {
      gr_put_line(p);
      gr_putf(p, "var %s func", f->name);
      put_parameters(p, f, false);
    }
  }
  for (int i = 0; i < p->ordered; i++) {
    const gr_function *f = &p->program->function[p->order[i]];
    if (p->order[i] == p->program->main) {
      continue;
    }
    gr_put_line(p);
    if (closures) {
      gr_putf(p, "%s %s ", f->name, p->recursive ? "=" : ":=");
      gr_put_literal(p, p->order[i]);
      continue;
    }
    gr_putf(p, "\nfunc %s%s", p->style == GR_STRUCT ? "(all *world) " : "", f->name);
    put_parameters(p, f, true);
    put_braces(p, f);
  }
}

static void put_main(gr_printer *p) {
  gr_put(p, "\n\nfunc main() {");
  p->indent++;
  if (p->shaken) {
    gr_put_line(p);
    gr_put(p, "rand.Seed(time.Now().UnixNano())");
    gr_put_line(p);
    gr_put(p, "defer tellBlocked()");
  }
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
  gr_put_list(p, p->function->body);
  p->indent--;
  gr_put(p, "\n}\n");
}

static const char shaking[] =
    "\nfunc nap() {\n"
    "\tif rand.Intn(3) == 0 {\n"
    "\t\ttime.Sleep(time.Duration(rand.Intn(300)) * time.Microsecond)\n"
    "\t}\n"
    "}\n"
    "\nfunc tellBlocked() {\n"
    "\tif failure := recover(); failure != nil {\n"
    "\t\tpanic(failure)\n"
    "\t}\n"
    "\ttime.Sleep(40 * time.Millisecond)\n"
    "\tstacks := make([]byte, 1<<16)\n"
    "\tstacks = stacks[:runtime.Stack(stacks, true)]\n"
    "\tfor _, stack := range strings.Split(string(stacks), \"\\n\\n\") {\n"
    "\t\thead := strings.SplitN(stack, \"\\n\", 2)[0]\n"
    "\t\tfor _, state := range []string{\"[chan\", \"[select\", \"[semacquire\", \"[sync.\"} {\n"
    "\t\t\tif strings.Contains(head, state) {\n"
    "\t\t\t\tfmt.Println(\"BLOCKED\", head)\n"
    "\t\t\t}\n"
    "\t\t}\n"
    "\t}\n"
    "}\n";

static char *with_imports(gr_printer *p) {
  const struct {
    const char *path;
    bool used;
  } packages[] = {
      {"context", p->context},
      {"fmt", p->shaken},
      {"math/rand", p->rand || p->shaken},
      {"runtime", p->runtime || p->shaken},
      {"strings", p->shaken},
      {"sync", p->sync},
      {"time", p->time || p->shaken},
  };
  hd_buffer whole = {0};
  hd_buffer_add_text(&whole, "package main\n");
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
    if (packages[i].used) {
      hd_buffer_printf(&whole, "\nimport \"%s\"\n", packages[i].path);
    }
  }
  hd_buffer_add_text(&whole, p->text.data);
  hd_buffer_add_text(&whole, p->shaken ? shaking : "");
  hd_buffer_free(&p->text);
  char *text = hd_buffer_take(&whole);
  cr_assert_not_null(text);
  return text;
}

static char *print(const gr_program *program, gr_style style, bool shaken) {
  gr_printer p = {.program = program, .style = style, .shaken = shaken};
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

char *gr_print(const gr_program *program, gr_style style) {
  return print(program, style, false);
}

char *gr_print_shaken(const gr_program *program, gr_style style) {
  return print(program, style, true);
}
