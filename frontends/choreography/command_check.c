/* `heddle check` for choreographies and machines.
 *
 *   .chor   1. the per-peer check decides realizability at the bound k (realizability.h)
 *           2. unrealizable: the witness becomes a run, replayed on I_k with Det(C) as a monitor before anything is
 * said
 *           3. realizable: a certificate may extend it to every bound
 *           4. stuck configurations: excluded by the diamond, otherwise I_k is explored
 *   .fsa    I_k is explored for stuck configurations
 *   both    --stuck-peers: I_k is searched for peers left behind (stuck_peers.c)
 *
 * "Holds" is said after a complete search or a proof only; the result's basis names which. After an unrealizable
 * verdict I_k is still searched for stuck configurations, through the first level at which a fixed number of states is
 * known (--all: to the end), so that the answer stays the same for every machine. Theory: docs/choreography-theory.md.
 * One command runs on one thread and starts teams of its own. */
#include "core/base/machine.h"
#include "frontends/choreography/explain.h"
#include "frontends/choreography/frontend.h"

#include <string.h>

/* Words of states that the search for stuck configurations beside an unrealizable verdict may find before it stops. */
#define SIDE_SEARCH_WORDS (1u << 17)

typedef struct {
  const hd_ast *ast;
  const hd_request *request;
  hd_diag *diag;
  hd_result *result;
  hdi_subject subject;
  hd_semantics semantics;
  uint32_t bound;
  hd_realizability answer; /* .chor only */
  hd_arena *arena;         /* of the answer */
  bool searched;           /* some system was explored */
} check_run;

static hd_realizability_query make_query(const check_run *run) {
  const hd_options *options = run->request->options;
  return (hd_realizability_query){
      .file = run->ast->file,
      .system = run->subject.system,
      .dfas = run->subject.dfas,
      .bound = run->bound,
      .semantics = run->semantics,
      .threads = options->threads == 0 ? hd_team_default_count() : options->threads,
      .memory_max_bytes = options->memory == 0 ? hd_machine_memory_bytes() : (size_t)options->memory,
      .deadline_seconds = run->request->deadline_seconds,
      .cancel = run->request->cancel};
}

/* The per-peer check at run->bound; its figures become the result's statistics. */
static hd_status decide(check_run *run) {
  hd_arena_reset(run->arena);
  hd_realizability_query query = make_query(run);
  double start = hd_machine_seconds();
  hd_status status = hd_realizability_decide(&query, run->arena, &run->answer);
  hd_result *result = run->result;
  result->has_statistics = true;
  result->searched = "the peers' products";
  result->deadlocks_apart = true;
  result->states = result->expanded = run->answer.product_states;
  result->transitions = run->answer.product_transitions;
  result->levels = run->answer.levels;
  result->complete = run->answer.complete;
  result->threads = query.threads;
  result->seconds += hd_machine_seconds() - start;
  result->memory_bytes = hd_machine_resident_bytes();
  return status;
}

static const char *peer_name(const check_run *run, hd_peer peer) {
  return run->subject.system->alphabet.peers[peer.v];
}

static void add_message(const check_run *run, hd_buffer *out, hd_message message) {
  const hd_alphabet *alphabet = &run->subject.system->alphabet;
  const hd_message_info *info = &alphabet->messages[message.v];
  hd_buffer_printf(out, "%s->%s:%s", alphabet->peers[info->from.v], alphabet->peers[info->to.v], info->name);
}

static const char *finish_words(hd_buffer *words, hd_arena *arena) {
  const char *copy = words->failed ? NULL : hd_arena_copy_text(arena, words->data, words->size_bytes);
  hd_buffer_free(words);
  return copy;
}

/* "the run P1->P2:ms, P2->P1:mf" without the extra send. */
static const char *word_of_witness(const check_run *run, const hd_witness *witness) {
  hd_buffer words = {0};
  size_t sends = 0;
  for (size_t i = 0; i + 1 < witness->move_count; i++) {
    if (witness->moves[i].kind != HD_MOVE_READ) {
      hd_buffer_add_text(&words, sends++ == 0 ? "" : ", ");
      add_message(run, &words, witness->moves[i].message);
    }
  }
  hd_buffer_add_text(&words, sends == 0 ? "the empty run" : "");
  return finish_words(&words, run->result->arena);
}

static const char *word_of_twin(const check_run *run, const hd_witness *witness) {
  hd_buffer words = {0};
  for (size_t i = 0; i < witness->twin_length; i++) {
    hd_buffer_add_text(&words, i == 0 ? "" : ", ");
    add_message(run, &words, witness->twin[i]);
  }
  hd_buffer_add_text(&words, witness->twin_length == 0 ? "the empty run" : "");
  return finish_words(&words, run->result->arena);
}

/* The peer's own sends and reads, and what waits unread in its queues. */
static const char *local_history(const check_run *run, const hd_witness *witness, const char **unread) {
  hd_buffer seen = {0}, waiting = {0};
  const hd_alphabet *alphabet = &run->subject.system->alphabet;
  size_t pushed = 0, read = 0, events = 0;
  for (size_t i = 0; i + 1 < witness->move_count; i++) {
    const hd_witness_move *move = &witness->moves[i];
    const hd_message_info *info = &alphabet->messages[move->message.v];
    bool own_send = move->kind == HD_MOVE_SYNC && info->from.v == witness->peer.v;
    if (own_send || move->kind == HD_MOVE_READ) {
      hd_buffer_printf(&seen, "%s%s %s", events++ == 0 ? "" : ", ", own_send ? "sent" : "received", info->name);
    }
    pushed += move->kind == HD_MOVE_SEND;
    read += move->kind == HD_MOVE_READ;
  }
  hd_buffer_add_text(&seen, events == 0 ? "neither sent nor received anything" : "");
  /* Unread: the sends to the peer that no read matches. Reads take each queue's oldest message first. */
  bool *taken = pushed == 0 ? NULL : hd_arena_alloc_array(run->result->arena, witness->move_count, sizeof *taken);
  for (size_t i = 0; taken != NULL && i + 1 < witness->move_count; i++) {
    for (size_t j = 0; witness->moves[i].kind == HD_MOVE_READ && j < i; j++) {
      if (!taken[j] && witness->moves[j].kind == HD_MOVE_SEND &&
          witness->moves[j].message.v == witness->moves[i].message.v) {
        taken[j] = true;
        break;
      }
    }
  }
  size_t left = 0;
  for (size_t i = 0; taken != NULL && i + 1 < witness->move_count; i++) {
    if (witness->moves[i].kind == HD_MOVE_SEND && !taken[i]) {
      hd_buffer_printf(&waiting, "%s%s", left++ == 0 ? "" : ", ", alphabet->messages[witness->moves[i].message.v].name);
    }
  }
  HD_ASSERT(left == pushed - read);
  hd_buffer_add_text(&waiting, left == 0 ? "nothing" : "");
  waiting.failed |= pushed != 0 && taken == NULL;
  *unread = finish_words(&waiting, run->result->arena);
  return finish_words(&seen, run->result->arena);
}

/* The message and the details of an unrealizable finding: the confused peer and the two histories it cannot tell apart.
 */
static hd_status describe_witness(check_run *run, hd_finding *finding) {
  hd_arena *arena = run->result->arena;
  const hd_witness *witness = &run->answer.witness;
  const hd_message_info *extra =
      &run->subject.system->alphabet.messages[witness->moves[witness->move_count - 1].message.v];
  const char *peer = peer_name(run, witness->peer), *to = peer_name(run, extra->to), *unread = NULL;
  const char *word = word_of_witness(run, witness), *twin = word_of_twin(run, witness);
  const char *seen = local_history(run, witness, &unread);
  const char **details = hd_arena_alloc_array(arena, 3, sizeof *details);
  if (word == NULL || twin == NULL || seen == NULL || unread == NULL || details == NULL) {
    return HD_E_NOMEM;
  }
  const char *block = run->ast->file->blocks[witness->block].name;
  finding->message = hd_arena_printf(arena, "%s can send %s to %s where the choreography%s%s does not allow it", peer,
                                     extra->name, to, block == NULL ? "" : " ", block == NULL ? "" : block);
  details[0] =
      hd_arena_printf(arena, "%s is confused: in both of these runs of the choreography it has %s", peer, seen);
  details[1] = hd_arena_printf(arena, "history 1: %s - here %s must not follow (unread by %s: %s)", word, extra->name,
                               peer, unread);
  details[2] = hd_arena_printf(arena, "history 2: %s - here %s may follow", twin, extra->name);
  finding->details = details;
  finding->detail_count = 3;
  bool whole = finding->message != NULL && details[0] != NULL && details[1] != NULL && details[2] != NULL;
  return whole ? HD_OK : HD_E_NOMEM;
}

/* Replays the witness on I_k with the choreography as monitor, then on I_k alone, which gives the trace that is shown.
 */
static hd_status witness_trace(check_run *run, hd_lowering *plain, hd_trace **out) {
  *out = NULL;
  hd_lowering *watched = NULL;
  hd_status status = hd_lower_system(run->subject.system, run->ast->file, run->subject.dfas, run->bound, run->semantics,
                                     false, &watched);
  hd_trace *trace = NULL;
  if (status == HD_OK) {
    status = hd_explain_witness(watched, &run->answer.witness, &trace);
  }
  if (status == HD_OK && (trace->length == 0 || trace->steps[trace->length - 1].fault != HD_FAULT_MONITOR)) {
    status = HD_E_INTERNAL;
  }
  hd_trace_free(trace);
  hd_lowering_free(watched);
  return status == HD_OK ? hd_explain_witness(plain, &run->answer.witness, out) : status;
}

static hd_status add_unrealizable(check_run *run, hd_lowering *plain) {
  hd_result *result = run->result;
  hd_trace *trace = NULL;
  hd_status status = witness_trace(run, plain, &trace);
  hd_finding *finding = status == HD_OK ? hd_result_add_finding(result) : NULL;
  if (status == HD_OK) {
    status = finding == NULL ? HD_E_NOMEM : hd_explain_trace(plain, trace, false, result, finding);
  }
  if (status == HD_OK) {
    finding->kind = "unrealizable";
    finding->code = HD_DIAG_UNREALIZABLE;
    finding->count = 0;
    finding->position = finding->trace[finding->trace_lines - 1].position;
    HD_ASSERT(finding->length == run->answer.witness.length);
    finding->shortest = HD_SHORTEST_YES; /* the per-peer check gives the least witness of all peers */
    status = describe_witness(run, finding);
  }
  if (status == HD_OK) {
    status = hdi_set_emits(run->ast, plain, trace, result);
  }
  hd_trace_free(trace);
  return status;
}

/* Explores I_k for stuck configurations and adds what it finds. */
static hd_status search_stuck(check_run *run, const hd_lowering *plain, uint64_t states_budget, hd_outcome *outcome) {
  hd_search search;
  hdi_search_init(plain, run->request, &search);
  search.states_budget = states_budget;
  run->searched = true;
  hd_status status = hdi_explore(&search, run->diag, outcome);
  return status == HD_OK ? hdi_add_stuck_findings(plain, outcome, run->result) : status;
}

static hd_status set_emits_from(check_run *run, const hd_lowering *plain, const hd_outcome *outcome) {
  const hd_trace *trace = NULL;
  for (uint32_t kind = 1; kind < HD_STUCK_COUNT && trace == NULL; kind++) {
    trace = outcome->found[HD_SLOT_STOP(kind)].trace;
  }
  return hdi_set_emits(run->ast, plain, trace, run->result);
}

/* What is said of an unrealizable choreography once its run was replayed. */
static hd_status set_unrealizable(check_run *run) {
  hd_result *result = run->result;
  result->verdict = HD_VERDICT_VIOLATED;
  result->scope = hd_arena_printf(result->arena, "with queues of length %u", run->bound);
  result->basis = hd_arena_printf(
      result->arena,
      "per-peer check at queue length %u (theorem 2 of docs/choreography-theory.md); the run was replayed on I_%u%s",
      run->bound, run->bound,
      run->request->options->as_published ? "; Theorem 1 as published asks this length alone" : "");
  hd_result_add_bool(result, "realizable", false);
  hd_result_add_text(result, "confused_peer", peer_name(run, run->answer.witness.peer));
  return result->basis == NULL ? HD_E_NOMEM : HD_OK;
}

/* I_k is too large to be built: a run that was not replayed is not shown. */
static hd_status conclude_without_replay(check_run *run) {
  hd_result *result = run->result;
  result->verdict = HD_VERDICT_INCONCLUSIVE;
  result->complete = false;
  result->not_covered = hd_arena_printf(result->arena,
                                        "realizability at queue length %u: the per-peer check finds a difference, and "
                                        "I_%u, on which its run is to be replayed, is too large",
                                        run->bound, run->bound);
  return result->not_covered == NULL ? HD_E_NOMEM : HD_OK;
}

static hd_status conclude_unrealizable(check_run *run) {
  hd_result *result = run->result;
  hd_lowering *plain = NULL;
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_lower_system(run->subject.system, NULL, NULL, run->bound, run->semantics, false, &plain);
  if (status == HD_OK) {
    status = add_unrealizable(run, plain);
  }
  if (status == HD_E_LIMIT) {
    hd_lowering_free(plain);
    return conclude_without_replay(run);
  }
  if (status == HD_OK) {
    status = set_unrealizable(run);
  }
  if (status == HD_OK) {
    uint64_t words = hd_model_words(plain->model), budget = words > SIDE_SEARCH_WORDS ? 1 : SIDE_SEARCH_WORDS / words;
    status = search_stuck(run, plain, run->request->options->all ? 0 : budget, &outcome);
  }
  if (status == HD_OK) {
    result->deadlocks = hdi_stuck_count(&outcome);
    hd_result_take_native(result, &outcome);
    hd_result_add_number(result, "system_states", outcome.states);
    hd_result_add_number(result, "system_transitions", outcome.transitions);
    hd_result_add_number(result, "system_stuck", result->deadlocks);
    hd_result_add_bool(result, "system_complete", outcome.end == HD_END_COMPLETE);
  }
  hd_outcome_clear(&outcome);
  hd_lowering_free(plain);
  return status;
}

/* "realizable for every queue length: ..." or "realizable up to queue length k (per-peer check)". */
static const char *realizable_words(const check_run *run, hd_certificate certificate) {
  hd_arena *arena = run->result->arena;
  if (certificate != HD_CERTIFICATE_NONE) {
    return hd_arena_printf(arena, "realizable for every queue length: %s", hd_certificate_words(certificate));
  }
  return hd_arena_printf(
      arena, "realizable up to queue length %u: per-peer check (theorem 2 of docs/choreography-theory.md)", run->bound);
}

/* No proof excludes stuck configurations: I_k decides. */
static hd_status conclude_by_search(check_run *run, const char *realizable) {
  hd_result *result = run->result;
  hd_lowering *plain = NULL;
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_lower_system(run->subject.system, NULL, NULL, run->bound, run->semantics,
                                     run->request->options->reduction, &plain);
  if (status == HD_OK) {
    status = search_stuck(run, plain, 0, &outcome);
  }
  if (status == HD_OK) {
    double seconds = result->seconds;
    hd_result_take_outcome(result, &outcome, hdi_stuck_count(&outcome));
    result->seconds += seconds;
    result->deadlocks_apart = false;
    result->searched = hdi_searched(plain, &outcome, result);
    result->not_covered = hdi_not_covered(&outcome, result);
    result->verdict = result->deadlocks != 0        ? HD_VERDICT_VIOLATED
                      : result->not_covered != NULL ? HD_VERDICT_INCONCLUSIVE
                                                    : HD_VERDICT_HOLDS;
    const char *how = result->not_covered == NULL ? "explored completely" : "explored in part";
    result->basis =
        realizable == NULL
            ? hd_arena_printf(result->arena, "I_%u %s for stuck configurations", run->bound, how)
            : hd_arena_printf(result->arena, "%s; stuck configurations: I_%u %s", realizable, run->bound, how);
    const char *relation = result->verdict == HD_VERDICT_HOLDS ? "for" : "with";
    result->scope = hd_arena_printf(result->arena, "%s queues of length %u", relation, run->bound);
    bool whole = result->basis != NULL && result->searched != NULL && result->scope != NULL;
    status = whole ? set_emits_from(run, plain, &outcome) : HD_E_NOMEM;
  }
  hd_outcome_clear(&outcome);
  hd_lowering_free(plain);
  return status;
}

static hd_status conclude_without_search(check_run *run, const char *scope, const char *basis) {
  run->result->verdict = HD_VERDICT_HOLDS;
  run->result->scope = scope;
  run->result->basis = basis;
  return basis == NULL ? HD_E_NOMEM : hdi_set_emits(run->ast, NULL, NULL, run->result);
}

static hd_status conclude_realizable(check_run *run) {
  hd_result *result = run->result;
  hd_result_add_bool(result, "realizable", true);
  if (run->request->options->as_published) {
    static const char *const assumptions[] = {
        "Theorem 1 of Basu and Bultan (2016) is refuted for three or more peers unless they form an oriented ring "
        "(Finkel and Lozes, 2017)",
        "stuck configurations were not looked for"};
    result->assumptions = assumptions;
    result->assumption_count = 2;
    return conclude_without_search(run, NULL, "Theorem 1 as published: realizable because L(C) = L(I_1)");
  }
  bool diamond = false;
  hd_certificate certificate = HD_CERTIFICATE_NONE;
  hd_realizability_query query = make_query(run);
  hd_status status = hd_diamond_holds(run->ast->file, run->subject.system, run->subject.dfas, run->semantics, &diamond);
  if (status == HD_OK) {
    status = hd_certify(&query, &run->answer, diamond, &certificate);
  }
  const char *realizable = status == HD_OK ? realizable_words(run, certificate) : NULL;
  if (realizable == NULL) {
    return status == HD_OK ? HD_E_NOMEM : status;
  }
  hd_result_add_bool(result, "every_bound", certificate != HD_CERTIFICATE_NONE);
  hd_result_add_bool(result, "diamond", diamond);
  if (diamond && !run->request->options->all) {
    int theorem = run->semantics == HD_MAILBOX ? 4 : 5;
    return conclude_without_search(
        run, "for queues of every length",
        hd_arena_printf(result->arena, "%s; the diamond also excludes stuck configurations (theorem %d)", realizable,
                        theorem));
  }
  return conclude_by_search(run, realizable);
}

/* What cut the per-peer check short, in words. */
static const char *reason_words(const check_run *run, hd_status reason) {
  double deadline = run->request->deadline_seconds;
  if (reason == HD_E_CANCELLED) {
    return hd_end_words(HD_END_SIGNAL);
  }
  if (deadline > 0 && hd_machine_seconds() >= deadline) {
    return hd_end_words(HD_END_TIMEOUT);
  }
  return run->subject.system == NULL ? "a peer or the choreography has too many states once made deterministic"
                                     : hd_end_words(HD_END_MEMORY);
}

/* The answer was cut short: what is known so far is said, and nothing more. */
static hd_status conclude_undecided(check_run *run, hd_status reason) {
  hd_result *result = run->result;
  result->verdict = HD_VERDICT_INCONCLUSIVE;
  result->complete = false;
  result->not_covered = hd_arena_printf(
      result->arena, "realizability at queue length %u: %s; neither it nor stuck configurations are decided",
      run->bound, reason_words(run, reason));
  return result->not_covered == NULL ? HD_E_NOMEM : HD_OK;
}

/* Decides realizability a second way: I_k and Det(C) as monitors, explored together. Disagreement is a bug of ours. */
static hd_status cross_check(check_run *run) {
  hd_lowering *watched = NULL;
  hd_outcome outcome;
  memset(&outcome, 0, sizeof outcome);
  hd_status status = hd_lower_system(run->subject.system, run->ast->file, run->subject.dfas, run->bound, run->semantics,
                                     false, &watched);
  if (status == HD_OK) {
    hd_search search;
    hdi_search_init(watched, run->request, &search);
    search.store = hd_store_exact(search.store); /* lengths are compared */
    memset(search.trace_slots, 0, sizeof search.trace_slots);
    hd_slots_add(search.stop_slots, HD_SLOT_FAULT(HD_FAULT_MONITOR));
    run->searched = true;
    status = hdi_explore(&search, run->diag, &outcome);
  }
  if (status == HD_OK) {
    const hd_found *found = &outcome.found[HD_SLOT_FAULT(HD_FAULT_MONITOR)];
    bool decided = found->count != 0 || outcome.end == HD_END_COMPLETE;
    bool agrees =
        run->answer.realizable ? found->count == 0 : found->count != 0 && found->level == run->answer.witness.length;
    hd_result_add_text(run->result, "cross_check", !decided ? "cut short" : agrees ? "agrees" : "disagrees");
    if (decided && !agrees) {
      hd_diag_add(run->diag, HD_DIAG_INTERNAL, run->subject.system->text, (hd_span){0, 0}, NULL,
                  "the per-peer check and the explored I_%u disagree about realizability", run->bound);
      status = HD_E_INTERNAL;
    }
  }
  hd_outcome_clear(&outcome);
  hd_lowering_free(watched);
  return status;
}

/* Rules change no verdict: who wrote one should not take "holds" for its blessing. */
static void say_rules_are_not_checked(check_run *run) {
  const hd_chor_file *file = run->ast->file;
  bool any = false;
  for (uint32_t i = 0; i < file->block_count; i++) {
    any = any || file->blocks[i].rule_count != 0;
  }
  if (any) {
    hd_result_add_text(run->result, "never_rules", "not checked: they are for repairs");
  }
}

static hd_status check_choreography(check_run *run) {
  const hd_options *options = run->request->options;
  say_rules_are_not_checked(run);
  uint32_t last = options->as_published ? 1 : options->up_to != 0 ? options->up_to : options->bound;
  run->bound = options->as_published || options->up_to != 0 ? 1 : options->bound;
  for (;; run->bound++) {
    hd_status status = decide(run);
    if (status != HD_OK) {
      return status;
    }
    if (!run->answer.complete || !run->answer.realizable || run->bound >= last) {
      break;
    }
  }
  run->result->bound = run->bound;
  /* A witness that was found is a witness, however the search ended. */
  if (run->answer.realizable && !run->answer.complete) {
    return conclude_undecided(run, run->answer.end_status);
  }
  hd_status status = options->cross_check ? cross_check(run) : HD_OK;
  if (status != HD_OK) {
    return status;
  }
  return run->answer.realizable ? conclude_realizable(run) : conclude_unrealizable(run);
}

/* Machines: stuck configurations at each bound asked for, the first bound that has some decides. */
static hd_status check_machines(check_run *run) {
  const hd_options *options = run->request->options;
  uint32_t last = options->up_to != 0 ? options->up_to : options->bound;
  run->bound = options->up_to != 0 ? 1 : options->bound;
  hd_status status = HD_OK;
  for (;; run->bound++) {
    run->result->seconds = 0;
    status = conclude_by_search(run, NULL);
    if (status != HD_OK || run->result->verdict != HD_VERDICT_HOLDS || run->bound >= last) {
      break;
    }
  }
  run->result->bound = run->bound;
  return status;
}

/* Which options the answer had no use for is known when it is there. */
static void warn_of_no_effects(const check_run *run) {
  const hd_options *options = run->request->options;
  static const char *const of_choreographies[] = {"as-published", "cross-check"};
  static const char *const of_searches[] = {"native", "store", "depth"};
  if (run->ast->file == NULL) {
    for (size_t i = 0; i < sizeof of_choreographies / sizeof *of_choreographies; i++) {
      hd_warn_no_effect(options, of_choreographies[i], run->result->file, "machines have no choreography to realize",
                        run->diag);
    }
  }
  for (size_t i = 0; i < sizeof of_searches / sizeof *of_searches && !run->searched; i++) {
    hd_warn_no_effect(options, of_searches[i], run->result->file,
                      "the peers' products gave the answer, and no system was explored", run->diag);
  }
}

hd_status hdi_choreography_check(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_result *result) {
  const hd_options *options = request->options;
  check_run run = {.ast = ast, .request = request, .diag = diag, .result = result, .arena = hd_arena_new()};
  run.semantics = options->as_published ? HD_MAILBOX : (hd_semantics)options->semantics;
  run.bound = options->bound;
  result->semantics = hdi_semantics_name(run.semantics);
  hd_status status = run.arena == NULL ? HD_E_NOMEM : hdi_subject_make(ast, true, request, &run.subject);
  if (status == HD_OK) {
    status = ast->file != NULL ? check_choreography(&run) : check_machines(&run);
    run.searched = run.searched || options->stuck_peers;
    if (status == HD_OK) {
      warn_of_no_effects(&run);
    }
    if (status == HD_OK && options->stuck_peers) {
      status = hdi_check_stuck_peers(&run.subject, run.bound, run.semantics, request, result);
    }
  } else if (status == HD_E_LIMIT || status == HD_E_CANCELLED) {
    result->bound = run.bound;
    result->has_statistics = true;
    status = conclude_undecided(&run, status);
  }
  hdi_subject_clear(&run.subject);
  hd_arena_free(run.arena);
  return status;
}
