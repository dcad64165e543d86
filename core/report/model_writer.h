/* What the Promela and the Murphi printer share: names, expressions, statements, and steps as guarded commands.
 * Internal to core/report. */
#ifndef HEDDLE_CORE_REPORT_MODEL_WRITER_H
#define HEDDLE_CORE_REPORT_MODEL_WRITER_H

#include "core/model/internal.h"
#include "core/report/print_model.h"

/* Values that an expression can have; both ends included. */
typedef struct hdi_range {
  int64_t lo, hi;
} hdi_range;

typedef struct hdi_writer {
  const hd_model *model;
  hd_buffer *out;
  const char *why;    /* the first thing that could not be said; NULL: none */
  bool murphi;        /* otherwise Promela */
  bool native;        /* Promela: locations are labels, queues are channels */
  uint32_t instance;  /* whose expressions and statements are printed: global number */
  hdi_range received; /* what the received value can be */
} hdi_writer;

/* Notes that the model cannot be said. */
void hdi_write_refuse(hdi_writer *writer, const char *why);
/* Refuses what neither language can say. */
void hdi_write_check_model(hdi_writer *writer);
/* HD_OK, HD_E_NOMEM or HD_E_LIMIT, from what was written. */
hd_status hdi_write_status(const hdi_writer *writer, const char **why);

/* ---- names ---- */
/* letter + number + the part of `name` that every language takes. */
void hdi_write_name(hdi_writer *writer, const char *letter, uint32_t number, const char *name);
/* A variable of the writer's instance, or a global. */
void hdi_write_var(hdi_writer *writer, uint32_t var);
/* Cell `cell` of a queue (native: the channel). */
void hdi_write_queue(hdi_writer *writer, uint32_t queue, uint32_t cell);
/* The variable that holds an instance's location. */
void hdi_write_at(hdi_writer *writer, uint32_t instance);

/* ---- expressions ---- */
/* As a number, or as a condition. Refuses what may overflow 32 bits, divide by zero or shift by a wrong distance. */
void hdi_write_number(hdi_writer *writer, uint32_t expr);
void hdi_write_condition(hdi_writer *writer, uint32_t expr);
/* The values an expression can have; refuses as above. */
hdi_range hdi_write_range(hdi_writer *writer, uint32_t expr);
/* The constant an expression is for the writer's instance. */
bool hdi_write_constant(hdi_writer *writer, uint32_t expr, int64_t *value);

/* ---- statements ---- */
/* Separates conditions: the first call writes nothing, the later ones "and". */
void hdi_write_and(hdi_writer *writer, bool *first);
/* Conditions of an edge: its guard and its queues. */
void hdi_write_enabled(hdi_writer *writer, const hdi_edge *edge, bool *first);
/* Native: a push or a pop as a channel operation, without a semicolon. */
void hdi_write_transfer(hdi_writer *writer, const hd_stmt *stmt);
/* A statement of an edge, and its semicolon. */
void hdi_write_stmt(hdi_writer *writer, const hd_stmt *stmt);
/* All statements, then the move to the new location. */
void hdi_write_effect(hdi_writer *writer, const hdi_edge *edge);

/* ---- guarded commands ---- */
/* Calls `write` for every step that the model can make: an edge of an instance, or a pair of edges that can meet (then
 * `receiver` is the receiving edge). `sender` and `receiver` are instances. */
typedef struct hdi_command {
  const hdi_edge *edge, *partner; /* partner NULL: alone */
  uint32_t instance, partner_instance;
} hdi_command;
typedef void (*hdi_command_fn)(hdi_writer *writer, const hdi_command *command);
void hdi_write_commands(hdi_writer *writer, hdi_command_fn write);
/* The whole condition of a command; and its effect, with the received value in the variable named `received`. */
void hdi_write_command_guard(hdi_writer *writer, const hdi_command *command);
void hdi_write_command_effect(hdi_writer *writer, const hdi_command *command);
/* The receiving side uses the value that is handed over. */
bool hdi_command_hands_over(const hd_model *model, const hdi_command *command);

#endif
