/* Random programs: two or three threads of up to five statements, blocks with up to three, over three small variables
 * and two locks. Expressions are in parentheses throughout. */
#include "tests/support/cw_reference.h"

#include "core/base/buffer.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct source {
  uint64_t state;
  hd_buffer text;
} source;

static uint32_t draw(source *s, uint32_t below) {
  s->state = s->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((s->state >> 33) % below);
}

static const char *const ints[] = {"a", "b", "c"};
static const char *const locks[] = {"m", "n"};

static void atom(source *s) {
  if (draw(s, 5) < 3) {
    hd_buffer_add_text(&s->text, ints[draw(s, 3)]);
  } else {
    hd_buffer_printf(&s->text, "%" PRIu32, draw(s, 4));
  }
}

static void expression(source *s, uint32_t depth, const char *const *operators, uint32_t count) {
  static const char *const values[] = {"+", "-", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "<"};
  if (depth == 0 || draw(s, 4) == 0) {
    atom(s);
    return;
  }
  hd_buffer_add_text(&s->text, "(");
  expression(s, depth - 1, values, draw(s, 4) == 0 ? 14 : 4);
  hd_buffer_printf(&s->text, " %s ", operators[draw(s, count)]);
  expression(s, depth - 1, values, draw(s, 4) == 0 ? 14 : 4);
  hd_buffer_add_text(&s->text, ")");
}

static void condition(source *s) {
  static const char *const comparisons[] = {"==", "!=", "<", ">=", "<=", ">", "==", "&&", "||"};
  hd_buffer_add_text(&s->text, "(");
  expression(s, 1 + draw(s, 2), comparisons, 9);
  hd_buffer_add_text(&s->text, ")");
}

static void list(source *s, uint32_t most, uint32_t depth);

static void assignment(source *s) {
  static const char *const plain[] = {"+", "-"};
  hd_buffer_printf(&s->text, "%s = ", ints[draw(s, 3)]);
  uint32_t kind = draw(s, 6);
  if (kind == 0) {
    hd_buffer_printf(&s->text, "nondet(%" PRIu32 ", %" PRIu32 ")", draw(s, 2), 1 + draw(s, 3));
  } else if (kind == 1) {
    hd_buffer_printf(&s->text, "(nondet(0, %" PRIu32 ") + %s)", 1 + draw(s, 2), ints[draw(s, 3)]);
  } else if (kind < 4) {
    atom(s);
  } else {
    expression(s, 1, plain, 2);
  }
  hd_buffer_add_text(&s->text, ";\n");
}

static void branch(source *s, uint32_t depth, const char *word) {
  hd_buffer_printf(&s->text, "%s ", word);
  if (draw(s, 4) == 0) {
    hd_buffer_add_text(&s->text, "(*)");
  } else {
    condition(s);
  }
  hd_buffer_add_text(&s->text, " {\n");
  list(s, 3, depth);
  hd_buffer_add_text(&s->text, "}");
  if (*word == 'i' && draw(s, 2) == 0) {
    hd_buffer_add_text(&s->text, " else {\n");
    list(s, 2, depth);
    hd_buffer_add_text(&s->text, "}");
  }
  hd_buffer_add_text(&s->text, "\n");
}

static void statement(source *s, uint32_t depth) {
  uint32_t kind = draw(s, depth > 0 ? 16 : 11);
  if (kind < 5) {
    assignment(s);
  } else if (kind == 5) {
    hd_buffer_add_text(&s->text, "skip;\n");
  } else if (kind < 9) {
    static const char *const words[] = {"await", "assert", "assume", "assert"};
    hd_buffer_add_text(&s->text, words[draw(s, 4)]);
    condition(s);
    hd_buffer_add_text(&s->text, ";\n");
  } else if (kind < 11) {
    hd_buffer_printf(&s->text, "%s(%s);\n", draw(s, 2) == 0 ? "lock" : "unlock", locks[draw(s, 2)]);
  } else if (kind < 13) {
    hd_buffer_add_text(&s->text, "atomic {\n");
    list(s, 3, depth - 1);
    hd_buffer_add_text(&s->text, "}\n");
  } else {
    branch(s, depth - 1, kind == 15 ? "while" : "if");
  }
}

static void list(source *s, uint32_t most, uint32_t depth) {
  for (uint32_t left = draw(s, most + 1); left > 0; left--) {
    statement(s, depth);
  }
}

char *random_cw(uint64_t seed) {
  source s = {.state = seed * 2654435761u + 12345};
  for (int i = 0; i < 3; i++) {
    hd_buffer_printf(&s.text, "int[%d..%" PRIu32 "] %s = %" PRIu32 ";\n", draw(&s, 2) == 0 ? 0 : -2, 2 + draw(&s, 2),
                     ints[i], draw(&s, 2));
  }
  hd_buffer_add_text(&s.text, "lock m;\nlock n;\n");
  uint32_t threads = 2 + (draw(&s, 3) == 0);
  for (uint32_t t = 0; t < threads; t++) {
    hd_buffer_printf(&s.text, "%sthread t%" PRIu32 " {\n", draw(&s, 6) == 0 ? "daemon " : "", t);
    list(&s, threads == 2 ? 5 : 4, 2);
    hd_buffer_add_text(&s.text, "}\n");
  }
  return hd_buffer_take(&s.text);
}
