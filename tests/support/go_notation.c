/* Reads the notation of go_reference.h: one pass for the heads of functions, so that they may be used before they are
 * written, and one for everything. A local is declared by its first use on a left-hand side. Anything unexpected fails
 * the test with the text that follows. */
#include "tests/support/go_reference.h"

#include "tests/support/hd_test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  gr_program *program;
  gr_function *function;
  const char *at;
} reader;

static void skip(reader *r) {
  while (isspace((unsigned char)*r->at) || *r->at == ';') {
    r->at++;
  }
}

static bool of_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool eat(reader *r, const char *word) {
  skip(r);
  size_t length = strlen(word);
  if (strncmp(r->at, word, length) != 0 || (of_word(word[length - 1]) && of_word(r->at[length]))) {
    return false;
  }
  r->at += length;
  return true;
}

static void need(reader *r, const char *word) {
  cr_assert(eat(r, word), "the notation needs %s at: %.60s", word, r->at);
}

static void word(reader *r, char *name) {
  skip(r);
  size_t length = 0;
  while (of_word(r->at[length])) {
    length++;
  }
  cr_assert(length > 0 && length < GR_NAME, "the notation needs a name at: %.60s", r->at);
  memcpy(name, r->at, length);
  name[length] = '\0';
  r->at += length;
}

static int number(reader *r) {
  skip(r);
  char *end;
  long value = strtol(r->at, &end, 10);
  cr_assert(end != r->at, "the notation needs a number at: %.60s", r->at);
  r->at = end;
  return (int)value;
}

/* ---- names ---- */

static int find_object(const reader *r, const char *name) {
  for (int i = 0; i < r->program->objects; i++) {
    if (strcmp(r->program->object[i].name, name) == 0) {
      return i;
    }
  }
  return GR_NONE;
}

static gr_name object(reader *r) {
  char name[GR_NAME];
  word(r, name);
  for (int i = 0; i < r->function->locals; i++) {
    if (strcmp(r->function->local[i], name) == 0) {
      return (gr_name){true, i};
    }
  }
  int found = find_object(r, name);
  cr_assert(found >= 0, "the notation knows no %s before: %.60s", name, r->at);
  return (gr_name){false, found};
}

static int local_named(gr_function *f, const char *name, gr_kind kind) {
  for (int i = 0; i < f->locals; i++) {
    if (strcmp(f->local[i], name) == 0) {
      return i;
    }
  }
  cr_assert_lt(f->locals, GR_LOCALS);
  snprintf(f->local[f->locals], GR_NAME, "%s", name);
  f->kind[f->locals] = kind;
  return f->locals++;
}

static int boolean_named(gr_function *f, const char *name) {
  for (int i = 0; i < f->bools; i++) {
    if (strcmp(f->boolean[i], name) == 0) {
      return i;
    }
  }
  cr_assert_lt(f->bools, GR_LOCALS);
  snprintf(f->boolean[f->bools], GR_NAME, "%s", name);
  return f->bools++;
}

/* A flag, or a boolean of the function. */
static gr_name truth(reader *r) {
  char name[GR_NAME];
  word(r, name);
  int flag = find_object(r, name);
  return flag >= 0 ? (gr_name){false, flag} : (gr_name){true, boolean_named(r->function, name)};
}

static int function_named(reader *r) {
  char name[GR_NAME];
  word(r, name);
  for (int i = 0; i < r->program->functions; i++) {
    if (strcmp(r->program->function[i].name, name) == 0) {
      return i;
    }
  }
  cr_assert(false, "the notation knows no function %s", name);
  return GR_NONE;
}

/* ---- statements ---- */

static gr_atom atom(reader *r) {
  gr_atom a = {.of = {false, GR_NONE}};
  if (eat(r, "?")) {
    return a;
  }
  if (eat(r, "true") || eat(r, "false")) {
    a.test = GR_TRUE;
    a.negated = r->at[-2] == 's';
    return a;
  }
  a.test = GR_BOOL;
  a.negated = eat(r, "!");
  const char *start = r->at;
  char name[GR_NAME];
  word(r, name);
  skip(r);
  bool equal = strncmp(r->at, "==", 2) == 0, differs = strncmp(r->at, "!=", 2) == 0;
  r->at = start;
  if (!equal && !differs) {
    a.of = truth(r);
    return a;
  }
  a.test = GR_IS_NIL;
  a.of = object(r);
  a.negated = differs;
  need(r, differs ? "!=" : "==");
  need(r, "nil");
  return a;
}

static gr_condition condition(reader *r) {
  gr_condition c = {.atom = {atom(r)}};
  c.join = eat(r, "&&") ? '&' : eat(r, "||") ? '|' : '\0';
  if (c.join != '\0') {
    c.atom[1] = atom(r);
  }
  return c;
}

static int block(reader *r);
static bool simple(reader *r, gr_statement *s);

static int add(reader *r, const gr_statement *s) {
  cr_assert_lt(r->program->statements, GR_STATEMENTS);
  r->program->statement[r->program->statements] = *s;
  return r->program->statements++;
}

static gr_statement fresh(void) {
  gr_name nothing = {false, GR_NONE};
  return (gr_statement){.on = nothing,
                        .from = nothing,
                        .ok = GR_NONE,
                        .function = GR_NONE,
                        .counter = GR_NONE,
                        .arg = {nothing, nothing},
                        .body = GR_NONE,
                        .otherwise = GR_NONE,
                        .next = GR_NONE,
                        .left = GR_NONE};
}

static void arguments(reader *r, gr_statement *s) {
  s->function = function_named(r);
  need(r, "(");
  int count = 0;
  while (!eat(r, ")")) {
    cr_assert_lt(count, 2);
    s->arg[count++] = object(r);
    eat(r, ",");
  }
  cr_assert_eq(count, r->program->function[s->function].parameters, "arguments before: %.60s", r->at);
}

/* send and recv, as statements and as arms. */
static bool communication(reader *r, gr_statement *s) {
  if (eat(r, "send")) {
    s->op = GR_SEND;
    s->on = object(r);
    if (eat(r, "<-")) {
      s->from = object(r);
    }
    return true;
  }
  if (eat(r, "recv")) {
    s->op = GR_RECEIVE;
    s->on = object(r);
    if (eat(r, "ok")) {
      char name[GR_NAME];
      word(r, name);
      s->ok = boolean_named(r->function, name);
    }
    return true;
  }
  return false;
}

/* Operations on one object. */
static bool simple(reader *r, gr_statement *s) {
  static const struct {
    const char *word;
    gr_op op;
  } table[] = {{"close", GR_CLOSE},   {"cancel", GR_CLOSE},       {"lock", GR_LOCK},
               {"unlock", GR_UNLOCK}, {"rlock", GR_RLOCK},        {"runlock", GR_RUNLOCK},
               {"add", GR_ADD},       {"done", GR_DONE},          {"wait", GR_WAIT},
               {"signal", GR_SIGNAL}, {"broadcast", GR_BROADCAST}};
  if (communication(r, s)) {
    return true;
  }
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (eat(r, table[i].word)) {
      s->op = table[i].op;
      s->on = object(r);
      s->count = s->op == GR_ADD ? number(r) : 0;
      return true;
    }
  }
  if (eat(r, "call")) {
    s->op = GR_CALL;
    arguments(r, s);
    return true;
  }
  return false;
}

static bool jump(reader *r, gr_statement *s) {
  static const struct {
    const char *word;
    gr_op op;
  } table[] = {{"break", GR_BREAK},   {"leave", GR_BREAK_LOOP}, {"continue", GR_CONTINUE},
               {"return", GR_RETURN}, {"goexit", GR_GOEXIT},    {"sleep", GR_SLEEP}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (eat(r, table[i].word)) {
      s->op = table[i].op;
      return true;
    }
  }
  return false;
}

static int arms(reader *r) {
  int first = GR_NONE, last = GR_NONE;
  need(r, "{");
  while (!eat(r, "}")) {
    gr_statement arm = fresh();
    if (eat(r, "timer")) {
      arm.op = GR_TIMER;
    } else if (eat(r, "default")) {
      arm.op = GR_DEFAULT;
    } else {
      cr_assert(communication(r, &arm), "the notation needs an arm at: %.60s", r->at);
    }
    arm.body = block(r);
    int index = add(r, &arm);
    if (last == GR_NONE) {
      first = index;
    } else {
      r->program->statement[last].next = index;
    }
    last = index;
  }
  return first;
}

static int counter(reader *r) {
  cr_assert_lt(r->function->counters, GR_COUNTERS);
  return r->function->counters++;
}

static bool compound(reader *r, gr_statement *s) {
  if (eat(r, "if")) {
    s->op = GR_IF;
    s->condition = condition(r);
    s->body = block(r);
    s->otherwise = eat(r, "else") ? block(r) : GR_NONE;
  } else if (eat(r, "for")) {
    s->op = GR_FOR;
    s->count = number(r);
    s->counter = counter(r);
    s->body = block(r);
  } else if (eat(r, "loop")) {
    s->op = GR_LOOP;
    s->body = block(r);
  } else if (eat(r, "while")) {
    s->op = GR_WHILE;
    s->condition = condition(r);
    s->body = block(r);
  } else if (eat(r, "range")) {
    s->op = GR_RANGE;
    s->on = object(r);
    s->counter = counter(r);
    s->body = block(r);
  } else if (eat(r, "select")) {
    s->op = GR_SELECT;
    s->body = arms(r);
  } else {
    return false;
  }
  return true;
}

static void assignment(reader *r, gr_statement *s) {
  if (eat(r, "let")) {
    s->op = GR_LET;
    char name[GR_NAME];
    word(r, name);
    s->on = (gr_name){true, local_named(r->function, name, GR_CHANNEL)};
    need(r, "=");
    if (!eat(r, "nil")) {
      s->from = object(r);
    }
    return;
  }
  s->op = GR_SET;
  s->on = truth(r);
  need(r, ":=");
  s->condition = condition(r);
}

static int statement(reader *r) {
  gr_statement s = fresh();
  if (eat(r, "defer")) {
    s.op = GR_DEFER;
    gr_statement inner = fresh();
    cr_assert(simple(r, &inner), "the notation can put off no such thing: %.60s", r->at);
    s.body = add(r, &inner);
  } else if (eat(r, "go")) {
    s.op = GR_GO;
    arguments(r, &s);
  } else if (eat(r, "do")) {
    s.op = GR_DO;
    s.on = object(r);
    s.function = function_named(r);
  } else if (!simple(r, &s) && !jump(r, &s) && !compound(r, &s)) {
    assignment(r, &s);
  }
  return add(r, &s);
}

static int block(reader *r) {
  int first = GR_NONE, last = GR_NONE;
  need(r, "{");
  while (!eat(r, "}")) {
    int index = statement(r);
    if (last == GR_NONE) {
      first = index;
    } else {
      r->program->statement[last].next = index;
    }
    last = index;
  }
  return first;
}

/* ---- programs ---- */

static const char *const kind_words[] = {
    [GR_CHANNEL] = "chan", [GR_CONTEXT] = "context", [GR_MUTEX] = "mutex", [GR_RWMUTEX] = "rwmutex",
    [GR_WAITGROUP] = "wg", [GR_ONCE] = "once",       [GR_COND] = "cond",   [GR_FLAG] = "flag",
};

static gr_kind kind(reader *r) {
  for (int k = 0; k <= GR_FLAG; k++) {
    if (eat(r, kind_words[k])) {
      return (gr_kind)k;
    }
  }
  cr_assert(false, "the notation needs a kind of object at: %.60s", r->at);
  return GR_CHANNEL;
}

static void declaration(reader *r) {
  gr_program *p = r->program;
  cr_assert_lt(p->objects, GR_OBJECTS);
  gr_object o = {.mutex = GR_NONE};
  bool nil = eat(r, "nil");
  o.kind = nil ? GR_CHANNEL : kind(r);
  word(r, o.name);
  o.capacity = nil ? GR_NONE : o.kind == GR_CHANNEL ? number(r) : 0;
  if (o.kind == GR_COND) {
    char name[GR_NAME];
    word(r, name);
    o.mutex = find_object(r, name);
    cr_assert(o.mutex >= 0 && p->object[o.mutex].kind == GR_MUTEX);
  }
  p->object[p->objects++] = o;
}

/* The head of a function: its name and parameters. */
static gr_function head(reader *r) {
  gr_function f = {.body = GR_NONE};
  word(r, f.name);
  need(r, "(");
  while (!eat(r, ")")) {
    char name[GR_NAME];
    gr_kind of = kind(r);
    word(r, name);
    local_named(&f, name, of);
    f.parameters++;
    eat(r, ",");
  }
  return f;
}

static void functions(reader *r) {
  const char *start = r->at;
  for (const char *at = strstr(start, "func "); at != NULL; at = strstr(at + 1, "func ")) {
    cr_assert_lt(r->program->functions, GR_FUNCTIONS);
    r->at = at + 5;
    r->program->function[r->program->functions++] = head(r);
  }
  r->at = start;
  r->program->main = GR_NONE;
  for (int i = 0; i < r->program->functions; i++) {
    r->function = &r->program->function[i];
    need(r, "func");
    head(r);
    r->function->body = block(r);
    if (strcmp(r->function->name, "main") == 0) {
      r->program->main = i;
    }
  }
}

void gr_read(gr_program *program, const char *text) {
  memset(program, 0, sizeof *program);
  reader r = {.program = program, .at = text};
  skip(&r);
  while (*r.at != '\0' && strncmp(r.at, "func ", 5) != 0) {
    declaration(&r);
    skip(&r);
  }
  functions(&r);
  skip(&r);
  cr_assert(*r.at == '\0' && program->main >= 0, "the notation ends before: %.60s", r.at);
  gr_link(program);
}

static void link_block(gr_program *p, int first, int after, int loop, int breakable) {
  for (int i = first; i != GR_NONE; i = p->statement[i].next) {
    gr_statement *s = &p->statement[i];
    bool is_loop = s->op == GR_FOR || s->op == GR_LOOP || s->op == GR_WHILE || s->op == GR_RANGE;
    s->then = s->next != GR_NONE ? s->next : after;
    s->left = s->op == GR_BREAK ? breakable : loop;
    if (s->op == GR_SELECT) {
      for (int arm = s->body; arm != GR_NONE; arm = p->statement[arm].next) {
        p->statement[arm].then = s->then;
        link_block(p, p->statement[arm].body, s->then, loop, i);
      }
    } else if (is_loop) {
      link_block(p, s->body, i, i, i);
    } else {
      link_block(p, s->body, s->then, loop, breakable);
      link_block(p, s->otherwise, s->then, loop, breakable);
    }
  }
}

void gr_link(gr_program *program) {
  for (int f = 0; f < program->functions; f++) {
    link_block(program, program->function[f].body, GR_TOP, GR_NONE, GR_NONE);
  }
}
