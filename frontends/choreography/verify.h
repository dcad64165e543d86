/* Is an edited choreography a repair of another one: the gate that every repair passes, on the edited text itself.
 * Internal to the choreography frontend; docs/choreography-repair.md says what is promised and why this decides it. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_VERIFY_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_VERIFY_H

#include "frontends/choreography/realizability.h"

/* How a choreography is mended, and with it what is promised. X(identifier, "name in JSON", "promise") */
#define HD_MECHANISM_TABLE(X)                                                                               \
  X(RELAXATION, "relaxation", "it allows all that the choreography allowed")                                \
  X(RESTRICTION, "restriction", "without the new messages it allows exactly what the choreography allowed") \
  X(MIXTURE, "mixture", "without the new messages it allows all that the choreography allowed")
typedef enum hdi_mechanism {
#define HDI_MECHANISM_ENUM(identifier, name, promise) HDI_MECHANISM_##identifier,
  HD_MECHANISM_TABLE(HDI_MECHANISM_ENUM)
#undef HDI_MECHANISM_ENUM
      HDI_MECHANISM_COUNT
} hdi_mechanism;
const char *hdi_mechanism_name(hdi_mechanism mechanism);
const char *hdi_mechanism_promise(hdi_mechanism mechanism);

/* `never first, second` and `never first .. second`, of the file and of options. */
typedef struct hdi_rules {
  const hd_chor_rule *rules; /* borrowed */
  uint32_t count;
} hdi_rules;

typedef struct hdi_verify_query {
  const hd_chor_file *before; /* one block of it is compared */
  uint32_t before_block;
  const hd_chor_file *after;
  uint32_t after_block;
  hdi_mechanism mechanism;
  hdi_rules file_rules, option_rules;
  uint32_t bound; /* of queues */
  hd_semantics semantics;
  uint32_t count_length;       /* sequences up to this length are counted as evidence */
  uint64_t states_max;         /* of I_k, when only a search excludes stuck configurations; 0: none */
  uint32_t threads;            /* of that search */
  size_t memory_max_bytes;     /* 0: none */
  double deadline_seconds;     /* on the clock of hd_machine_seconds; 0: none */
  const hd_atomic_u32 *cancel; /* NULL allowed */
} hdi_verify_query;

typedef struct hdi_evidence {
  bool accepted;                        /* realizable, the promise kept, the rules respected, no progress lost */
  bool undecided;                       /* not accepted because something was cut short, `reason` says what */
  const char *reason;                   /* why it is not accepted: one clause; NULL when it is */
  const char *basis;                    /* accepted: what proves it, as one sentence */
  hd_certificate certificate;           /* why realizability holds for every bound; NONE: for `bound` only */
  bool stuck_free;                      /* no stuck configuration at all (by the diamond or a complete search) */
  uint64_t stuck;                       /* stuck configurations of I_k that stay, of kinds that were there before */
  uint64_t states_before, states_after; /* of Det(C) and Det(C') without the new messages */
  uint64_t sequences_before, sequences_after; /* of at most count_length sends, new messages not counted */
  uint32_t messages_added;                    /* new message names */
} hdi_evidence;

/* Decides. Words live in `arena`. HD_OK also when not accepted; HD_E_NOMEM, HD_E_INTERNAL. Cost: two determinations,
 * two products, the per-peer check, and I_k of both when the diamond does not exclude stuck configurations. */
hd_status hdi_verify_repair(const hdi_verify_query *query, hd_arena *arena, hdi_evidence *out);

/* Does the deterministic automaton have a word that breaks the rule? `messages` are the automaton's. */
bool hdi_rule_is_broken(const hd_dfa *dfa, const hd_alphabet *alphabet, const hd_chor_rule *rule, hd_arena *arena,
                        hd_status *status);
/* Sequences of exactly 0 .. length messages in the language, all together; saturates. HD_E_NOMEM. O(length * arcs) */
hd_status hdi_count_words(const hd_dfa *dfa, uint32_t length, hd_arena *arena, uint64_t *out);

#endif
