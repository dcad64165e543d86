/* What a language must provide, and the list of languages. Frontends never include each other. */
#ifndef HEDDLE_FRONTENDS_FRONTEND_H
#define HEDDLE_FRONTENDS_FRONTEND_H

#include "core/base/diag.h"
#include "core/base/option.h"
#include "core/explore/explore.h"
#include "core/report/result.h"

#define HD_FRONTEND_ABI 1u

/* Shows `text` to the user and returns their answer, one line without its end, borrowed until the next call; NULL:
 * there is no more answer. `again`: the answer before was none of the choices, as the text says too. */
typedef const char *(*hd_ask_fn)(void *payload, const char *text, bool again);

/* Limits and call-backs of one run, made by the caller from the options; a frontend hands them on to every search it
 * starts. */
typedef struct hd_request {
  const hd_options *options;
  const hd_atomic_u32 *cancel; /* NULL allowed */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  hd_progress_fn progress;     /* NULL allowed */
  void *progress_payload;
  hd_ask_fn ask; /* repair: the user chooses the edits; NULL: heddle does */
  void *ask_payload;
} hd_request;

/* A parsed input; each frontend defines the struct behind it. */
typedef struct hd_ast hd_ast;

/* An option that has no effect on inputs of a language under some commands; who gives it is told so. */
typedef struct hd_no_effect {
  const char *option;  /* long name; NULL ends a list */
  uint32_t commands;   /* HD_IN(...) */
  const char *because; /* "it is for threads" */
} hd_no_effect;

typedef struct hd_frontend {
  uint32_t abi; /* HD_FRONTEND_ABI */
  const char *name;
  const char *const *patterns; /* file name endings with the dot, NULL-terminated */
  /* Could this text be ours? Asked when no ending fits (standard input). */
  bool (*sniff)(const hd_text *text);
  /* The tree borrows `text`. HD_E_INPUT with diagnostics when the input is wrong: then *out is NULL. */
  hd_status (*parse)(const hd_text *text, hd_diag *diag, hd_ast **out);
  void (*free_ast)(hd_ast *ast);
  /* Commands. Each fills `result` (already made, command and file set) and returns HD_OK, also for inconclusive
   * answers; another status also goes into result->status. NULL: the language does not have the command. */
  hd_status (*check)(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
  /* Finds repairs, proves each on the edited text, and adds them to the result, whose verdict stays that of the input.
   */
  hd_status (*repair)(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
  hd_status (*explore)(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result);
  /* Writes the projection to `out`. */
  hd_status (*project)(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out);
  /* Writes the system in the language options->to to `out`. HD_E_USAGE with a diagnostic when that language cannot say
   * it. */
  hd_status (*convert)(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out);
  /* Runs a saved trace; the steps and the configurations between them go into `result` as one finding of kind "replay".
   */
  hd_status (*replay)(const hd_ast *ast, const hd_text *trace, const hd_request *request, hd_diag *diag,
                      hd_result *result);
  const hd_no_effect *no_effects; /* NULL: none. Options that some answers need not ask for are the frontend's to tell
                                     about, with hd_warn_no_effect */
} hd_frontend;

/* The built-in frontends, NULL-terminated (registry.c). */
extern const hd_frontend *const hd_frontends[];
/* Warns (HD005) that --`option` has no effect on `file`, when it was given. */
void hd_warn_no_effect(const hd_options *options, const char *option, const char *file, const char *because,
                       hd_diag *diag);
/* By file name ending, otherwise by sniffing; NULL when nothing fits (drive.c). */
const hd_frontend *hd_frontend_for(const hd_text *text);

#endif
