/* What the two parts of the Go printer share. */
#ifndef HEDDLE_FRONTENDS_MINIGO_PRINTER_H
#define HEDDLE_FRONTENDS_MINIGO_PRINTER_H

#include "frontends/minigo/program.h"

typedef struct hdi_go_printer {
  hd_buffer *out;
  uint32_t level; /* of tabs */
} hdi_go_printer;

void hdi_go_put(hdi_go_printer *printer, const char *text);
void hdi_go_put_line(hdi_go_printer *printer); /* ends the line and indents the next one */
void hdi_go_put_expr(hdi_go_printer *printer, const hd_go_expr *expr);
void hdi_go_put_list(hdi_go_printer *printer, const hd_go_expr *list);
void hdi_go_put_names(hdi_go_printer *printer, const hd_go_ident *names);
void hdi_go_put_type_parameters(hdi_go_printer *printer, const hd_go_field *fields);
/* Parameters in parentheses and results. */
void hdi_go_put_signature(hdi_go_printer *printer, const hd_go_signature *signature);
void hdi_go_put_parameters(hdi_go_printer *printer, const hd_go_field *fields);
/* Braces with statements. */
void hdi_go_put_block(hdi_go_printer *printer, const hd_go_stmt *block);

#endif
