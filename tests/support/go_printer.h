/* Test support: what go_print.c and go_print_program.c share. */
#ifndef HEDDLE_TESTS_SUPPORT_GO_PRINTER_H
#define HEDDLE_TESTS_SUPPORT_GO_PRINTER_H

#include "tests/support/go_reference.h"

#include "core/base/buffer.h"

typedef struct gr_printer {
  const gr_program *program;
  const gr_function *function; /* whose statements are being printed */
  gr_style style;
  bool shaken;
  hd_buffer text;
  int indent;
  bool context, rand, runtime, sync, time; /* packages */
  bool function_used[GR_FUNCTIONS], object_used[GR_OBJECTS];
  int order[GR_FUNCTIONS], ordered; /* the used ones, called before calling */
  bool recursive;
} gr_printer;

void gr_put(gr_printer *p, const char *text);
#define gr_putf(p, ...) hd_buffer_printf(&(p)->text, __VA_ARGS__)
/* Begins a line. */
void gr_put_line(gr_printer *p);
/* A local's name, told apart from an object's or a function's. */
void gr_put_local(gr_printer *p, const char *name);
/* Statements, each on a line. */
void gr_put_list(gr_printer *p, int first);
/* The function literal of a function (go_print_program.c). */
void gr_put_literal(gr_printer *p, int function);

#endif
