/* What one command says about one input: built by a frontend, printed by text.c, json.c or dot.c. All strings live in
 * the result's arena unless said otherwise. Field order and names follow the schema docs/schema/heddle.result-1.json.
 */
#ifndef HEDDLE_CORE_REPORT_RESULT_H
#define HEDDLE_CORE_REPORT_RESULT_H

#include "core/base/arena.h"
#include "core/base/buffer.h"
#include "core/base/diag.h"
#include "core/base/option.h"
#include "core/explore/explore.h"

typedef enum hd_verdict { HD_VERDICT_NONE, HD_VERDICT_HOLDS, HD_VERDICT_VIOLATED, HD_VERDICT_INCONCLUSIVE } hd_verdict;

/* Is a finding's run as short as one to a finding of its kind can be? UNSAID: there is no run, or it was not looked
 * for.
 */
typedef enum hd_shortest { HD_SHORTEST_UNSAID, HD_SHORTEST_NO, HD_SHORTEST_YES } hd_shortest;
static inline hd_shortest hd_shortest_if(bool shortest) {
  return shortest ? HD_SHORTEST_YES : HD_SHORTEST_NO;
}

/* One line of a counterexample in the source's terms. */
typedef struct hd_trace_line {
  const char *actor;    /* who moves */
  const char *action;   /* "send", "receive", ... */
  const char *label;    /* message or variable; NULL allowed */
  const char *peer;     /* the other side; NULL allowed */
  const char *note;     /* words for the reader; NULL allowed */
  hd_position position; /* line 0: none */
  bool visible;
} hd_trace_line;

typedef struct hd_finding {
  const char *kind;           /* "unrealizable", "deadlock", ... as in interface.md */
  hd_diag_code code;          /* HD_DIAG_USAGE (0), which no finding can have, means none: nothing is printed */
  const char *message;        /* one sentence */
  const char *const *details; /* further sentences (the confused peer, its two histories, ...) */
  size_t detail_count;
  hd_position position; /* where in the source; line 0: none */
  hd_trace_line *trace;
  size_t trace_lines;
  size_t cycle;         /* the trace's lines from this one on, counted from 1, are repeated for ever; 0: none are */
  uint64_t length;      /* visible steps for a choreography, all steps otherwise; with a cycle: up to the finding.
                           HD_LEVEL_UNKNOWN: not known, only without a trace */
  hd_shortest shortest; /* in what `length` counts; NO: none is known that is shorter, but there may be one */
  const char *unit;     /* what length counts, singular: "send"; NULL: "step". Static storage; for people only */
  uint64_t count;       /* how many such states or steps were found; 0: unknown */
} hd_finding;

/* Further "name": value pairs of a result or of a repair (a frontend's own), printed in order: the JSON object "facts".
 */
typedef struct hd_fact {
  const char *name;
  enum { HD_FACT_TEXT, HD_FACT_NUMBER, HD_FACT_BOOL } kind;
  const char *text;
  uint64_t number;
} hd_fact;

/* One change of a repair, in the source's terms. */
typedef struct hd_edit_line {
  const char *kind;     /* "add-transition", "add-synchronisation", ... */
  const char *rule;     /* what produced it: "relaxation 1a"; NULL allowed */
  const char *message;  /* one sentence */
  uint64_t cost;        /* */
  hd_position position; /* where in the source; line 0: none */
} hd_edit_line;

/* One way to mend the input. */
typedef struct hd_repair {
  const char *kind;  /* "relaxation", "restriction", "mixture", ... */
  uint64_t cost;     /* of all edits */
  bool cheapest;     /* no repair of this kind is cheaper: proved by a complete search over the allowed edits */
  bool proved;       /* the edited text was read again and decided again, and keeps what its kind promises */
  const char *basis; /* what the proof rests on, and what was promised */
  hd_edit_line *edits;
  size_t edit_count;
  const char *text; /* the whole edited input */
  const char *diff; /* from the input to it */
  const char *dot;  /* drawing of the edited input; NULL allowed */
  uint64_t added_states, lost_states;
  hd_fact *evidence; /* further figures */
  size_t evidence_count, evidence_capacity;
} hd_repair;

typedef struct hd_result {
  hd_arena *arena; /* owned */
  hd_command command;
  const char *file, *frontend;
  hd_verdict verdict;      /* NONE for commands without a verdict */
  const char *scope;       /* text after the verdict: "for queues of every length"; NULL allowed; for people only */
  const char *basis;       /* what the verdict rests on: theorem or complete search; NULL allowed */
  const char *not_covered; /* cut short: what was not covered; NULL otherwise */
  uint32_t bound;          /* 0: does not apply */
  const char *semantics;   /* "mailbox", "p2p" or NULL */
  hd_finding *findings;
  size_t finding_count, finding_capacity;
  hd_repair *repairs; /* the best one first */
  size_t repair_count, repair_capacity;
  size_t repairs_left_out; /* found, but not listed because nobody asked for all */
  hd_fact *facts;
  size_t fact_count, fact_capacity;
  const char *const *assumptions;
  size_t assumption_count;
  bool has_statistics;
  const char *searched; /* what the statistics describe: "I_1"; NULL: the input's states; for people only */
  bool deadlocks_apart; /* `deadlocks` were counted elsewhere and a fact says where; for people only */
  uint64_t states, transitions, levels, deadlocks, expanded; /* levels: HD_LEVEL_UNKNOWN when there were none */
  bool has_error_states; /* the frontend counts states that a failed check has marked */
  uint64_t error_states;
  bool complete;
  uint32_t threads;
  double seconds;
  size_t visited_bytes, memory_bytes;
  const char *store;
  const char *native; /* what became of --native; NULL: not asked for, or nothing was searched */
  bool native_used;
  const char *log;   /* what was tried, line by line, for people who asked with -v; NULL allowed */
  const char *dot;   /* DOT drawing for --emit dot; NULL when the frontend has none */
  const char *trace; /* saved trace (JSON text, heddle.trace/1) of the first finding, for --emit trace; NULL allowed */
  hd_status status;  /* not HD_OK: the input was wrong or the work failed; the diagnostics sink says why */
} hd_result;

/* An empty result owned by the caller; NULL when memory is out. */
hd_result *hd_result_new(hd_command command, const char *file);
void hd_result_free(hd_result *result); /* NULL allowed */
/* The adding functions copy their texts. When memory is out they set result->status to HD_E_NOMEM (unless another error
 * is there already) and leave the result as it was. */
/* Appends a zeroed finding (NULL when memory is out); borrowed until the next append. */
hd_finding *hd_result_add_finding(hd_result *result);
void hd_result_add_text(hd_result *result, const char *name, const char *text);
void hd_result_add_number(hd_result *result, const char *name, uint64_t number);
void hd_result_add_bool(hd_result *result, const char *name, bool value);
/* Appends a zeroed repair (NULL when memory is out); borrowed until the next append. */
hd_repair *hd_result_add_repair(hd_result *result);
/* Adds to a repair's evidence; `name` has static storage. */
void hd_repair_add_number(hd_result *result, hd_repair *repair, const char *name, uint64_t number);
/* Copies the counts of a search into the statistics. `deadlocks` is what the frontend counts as such. When the search
 * was cut short and not_covered is NULL, it is set to words that say by what and how much was left open. */
void hd_result_take_outcome(hd_result *result, const hd_outcome *outcome, uint64_t deadlocks);

/* Takes over what became of --native only: part of hd_result_take_outcome. */
void hd_result_take_native(hd_result *result, const hd_outcome *outcome);

/* "holds", "violated", "inconclusive"; NULL for HD_VERDICT_NONE. Static storage. */
const char *hd_verdict_name(hd_verdict verdict);
/* The exit code of a failed status: 2 usage, 3 input or file, 4 memory, limit or cancelled, 5 internal; HD_OK is 0. */
int hd_status_exit_code(hd_status status);
/* The exit code of a result. status comes first; then 0 when it has a repair; then 0 holds, 1 violated, 4 inconclusive;
 * without a verdict 4 when not_covered is set and 0 otherwise. */
int hd_result_exit_code(const hd_result *result);
/* The exit code for several results: the first of 5, 3, 2, 1, 4, 0 that occurred. */
int hd_exit_code_join(int a, int b);

/* Appends one line of JSON (heddle.result/1), with its newline. Bytes that are not UTF-8 become \xNN. HD_E_NOMEM leaves
 * the buffer failed. */
hd_status hd_result_print_json(const hd_result *result, hd_buffer *out);
/* Appends a block for people. `color` adds ANSI colours; control bytes and bytes that are not UTF-8 become \xNN.
 * verbose: 0 one line per finding and nothing when it holds, 1 normal, 2 also the numbers of the search. HD_E_NOMEM as
 * above. */
hd_status hd_result_print_text(const hd_result *result, hd_buffer *out, bool color, int verbose);

#endif
