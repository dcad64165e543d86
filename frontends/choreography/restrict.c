/* Restriction: the cheapest set of new messages, by minimum hitting sets (repair.h).
 *
 *   sites so far, required sets --hitting set--> cheapest choices --insert, decide--> a difference: one more required
 *        ^                                                                            set; none: the gate, which
 *        +----------------------------------------------------------------------------takes or excludes the choice
 *
 * An element is a site: an arc of the block, before or after its message, from one peer to another. A difference of the
 * block with some sites chosen stands for every choice that has none of the sites that hdi_repair_sites lists for it,
 * apart from those chosen already: its peer would see the same on both paths, and the choreography would allow no more.
 * So each required set is a necessary condition, and the first choice that the gate takes is a cheapest one. A choice
 * that the gate refuses is excluded exactly, since a larger one may pass.
 *
 * When the budget ends first, the restriction that always exists (fallback.c) is made, and its messages are taken out
 * again one by one as long as the gate agrees: a repair that none of them can be missing from, not a cheapest one.
 * Threads: candidates of one cost are decided on all. @source hitting sets: core/repair/hitting_set.h */
#include "core/repair/hitting_set.h"
#include "frontends/choreography/repair.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 64, SITES_MAX = 4096, NODES_MAX = 200000 };

/* Appends the sites on one arc that concern the peer. */
static void add_sites_of_arc(const hdi_draft *draft, uint32_t arc, hd_peer peer, hdi_sync_site *sites, size_t *count) {
  for (int after = 0; after < 2; after++) {
    for (uint32_t other = 0; other < draft->alphabet.peer_count; other++) {
      if (other == peer.v) {
        continue;
      }
      sites[(*count)++] = (hdi_sync_site){arc, after == 0, (hd_peer){other}, peer};
      sites[(*count)++] = (hdi_sync_site){arc, after == 0, peer, (hd_peer){other}};
    }
  }
}

/* Peers of other blocks have no part in this one: only peers that some arc of the draft names. */
static bool takes_part(const hdi_draft *draft, uint32_t peer) {
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    const hd_message_info *info = &draft->alphabet.messages[draft->arcs[a].message.v];
    if (info->from.v == peer || info->to.v == peer) {
      return true;
    }
  }
  return false;
}

static size_t keep_own_peers(const hdi_draft *draft, hdi_sync_site *sites, size_t count, hd_arena *arena) {
  bool *own = hd_arena_alloc_array(arena, draft->alphabet.peer_count, sizeof *own);
  if (own == NULL) {
    return SIZE_MAX;
  }
  for (uint32_t p = 0; p < draft->alphabet.peer_count; p++) {
    own[p] = takes_part(draft, p);
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (own[sites[i].from.v] && own[sites[i].to.v]) {
      sites[kept++] = sites[i];
    }
  }
  return kept;
}

hd_status hdi_repair_sites(const hdi_draft *draft, const hdi_paper_difference *d, hd_arena *arena, hdi_sync_site **out,
                           size_t *count) {
  const hd_witness *witness = d->witness;
  *count = 0;
  uint32_t *word = hdi_draft_find_path(draft, d->word, d->word_length, d->state, arena);
  uint32_t *twin = hdi_draft_find_path(draft, witness->twin, witness->twin_length, draft->arcs[d->arc].from, arena);
  bool *on_path = hd_arena_alloc_array(arena, draft->arc_count, sizeof *on_path);
  if (word == NULL || twin == NULL || on_path == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t i = 0; i < d->word_length; i++) {
    on_path[word[i]] = true;
  }
  for (size_t i = 0; i < witness->twin_length; i++) {
    on_path[twin[i]] = true;
  }
  on_path[d->arc] = true;
  size_t arcs = 0;
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    arcs += on_path[a] ? 1 : 0;
  }
  *out = hd_arena_alloc_array(arena, arcs * 4 * draft->alphabet.peer_count, sizeof **out);
  if (*out == NULL) {
    return HD_E_NOMEM;
  }
  for (uint32_t a = 0; a < draft->arc_count; a++) {
    if (on_path[a]) {
      add_sites_of_arc(draft, a, d->peer, *out, count);
    }
  }
  *count = keep_own_peers(draft, *out, *count, arena);
  return *count == SIZE_MAX ? HD_E_NOMEM : HD_OK;
}

hd_status hdi_repair_insert(hdi_draft *draft, const hdi_sync_site *site) {
  const hdi_draft_arc *arc = &draft->arcs[site->arc];
  const hd_message_info *info = &draft->alphabet.messages[arc->message.v];
  const hd_chor *chor = &draft->file->blocks[draft->block];
  hd_span span = arc->origin == HD_NONE ? chor->span : chor->arcs[arc->origin].span;
  const char *const *peers = draft->alphabet.peers;
  hd_message sync;
  hd_status status = hdi_draft_begin(draft, HDI_EDIT_ADD_SYNC, HDI_CASE_NONE, span,
                                     "%s sends %s a new message %s %s -> %s : %s from %s", peers[site->from.v],
                                     peers[site->to.v], site->before ? "before" : "after", peers[info->from.v],
                                     peers[info->to.v], info->name, draft->states[arc->from].name);
  if (status == HD_OK) {
    status = hdi_draft_add_message(draft, site->from, site->to, &sync);
  }
  return status == HD_OK ? hdi_draft_sync(draft, site->arc, site->before, sync) : status;
}

/* The search's sites in order of discovery, and what is known about choices of them. */
typedef struct restriction {
  hdi_repair_run *run;
  hdi_repair_search *search;
  hd_arena *arena;
  hdi_sync_site *sites;
  uint32_t site_count;
  uint32_t **required, **excluded; /* each: count, then elements */
  size_t required_count, excluded_count, list_capacity;
  uint64_t accepted_cost; /* UINT64_MAX: none yet */
} restriction;

/* The number of a site, a new one when it was not met before; HD_NONE: too many. */
static uint32_t number_of(restriction *r, const hdi_sync_site *site) {
  for (uint32_t i = 0; i < r->site_count; i++) {
    const hdi_sync_site *known = &r->sites[i];
    if (known->arc == site->arc && known->before == site->before && known->from.v == site->from.v &&
        known->to.v == site->to.v) {
      return i;
    }
  }
  if (r->site_count == SITES_MAX) {
    return HD_NONE;
  }
  r->sites[r->site_count] = *site;
  return r->site_count++;
}

static hd_status push_list(restriction *r, uint32_t ***lists, size_t *count, const uint32_t *elements,
                           uint32_t length) {
  uint32_t *list = hd_arena_alloc_array(r->arena, (size_t)length + 1, sizeof *list);
  if (list == NULL || *count == r->list_capacity) {
    return list == NULL ? HD_E_NOMEM : HD_E_LIMIT;
  }
  list[0] = length;
  memcpy(list + 1, elements, length * sizeof *list);
  (*lists)[(*count)++] = list;
  return HD_OK;
}

static bool is_chosen(const hd_hitting_choice *choice, uint32_t element) {
  for (uint32_t i = 0; i < choice->count; i++) {
    if (choice->elements[i] == element) {
      return true;
    }
  }
  return false;
}

/* What the difference asks of every choice. HD_E_LIMIT: more sites than are handled. */
static hd_status learn(restriction *r, const hdi_candidate *candidate, const hd_hitting_choice *choice) {
  hdi_sync_site *sites = NULL;
  size_t count = 0;
  const hdi_paper_difference *d = &candidate->differences[0];
  hd_status status = hdi_repair_sites(candidate->draft, d, r->arena, &sites, &count);
  uint32_t *elements = status == HD_OK ? hd_arena_alloc_array(r->arena, count, sizeof *elements) : NULL;
  if (elements == NULL) {
    return status == HD_OK && count != 0 ? HD_E_NOMEM : status;
  }
  uint32_t length = 0, known = candidate->draft->file->blocks[candidate->draft->block].arc_count;
  for (size_t i = 0; i < count; i++) {
    if (sites[i].arc >= known) {
      continue; /* an inserted message's own arc: the sites of the arc that it stands on say the same */
    }
    uint32_t number = number_of(r, &sites[i]);
    if (number == HD_NONE) {
      return HD_E_LIMIT;
    }
    if (!is_chosen(choice, number)) {
      elements[length++] = number;
    }
  }
  hdi_repair_say(r->run, "  %u message%s: not yet, %s; one of %u sites is needed", choice->count,
                 choice->count == 1 ? "" : "s", d->words, length);
  return push_list(r, &r->required, &r->required_count, elements, length);
}

/* The block with the chosen sites. */
static hd_status draft_of(const restriction *r, const hdi_sync_site *sites, const uint32_t *elements, size_t count,
                          hdi_draft **out) {
  const hdi_repair_query *query = r->run->query;
  hd_status status = hdi_draft_open(query->file, query->block, query->costs, out);
  for (size_t i = 0; status == HD_OK && i < count; i++) {
    status = hdi_repair_insert(*out, &sites[elements == NULL ? i : elements[i]]);
  }
  if (status != HD_OK) {
    hdi_draft_free(*out);
    *out = NULL;
  }
  return status;
}

/* The cheapest choices that all that was learned allows. */
static hd_status solve(const restriction *r, hd_hitting_answer *answer) {
  const hdi_repair_query *query = r->run->query;
  uint32_t cost = query->costs == NULL ? 1 : query->costs->message;
  uint32_t *costs = calloc(r->site_count + 1, sizeof *costs);
  for (uint32_t i = 0; costs != NULL && i < r->site_count; i++) {
    costs[i] = cost == 0 ? 1 : cost;
  }
  hd_hitting_set *problem = costs == NULL ? NULL : hd_hitting_set_new(costs, r->site_count);
  hd_status status = problem == NULL ? HD_E_NOMEM : HD_OK;
  for (size_t i = 0; status == HD_OK && i < r->required_count; i++) {
    status = hd_hitting_set_require(problem, r->required[i] + 1, r->required[i][0]);
  }
  for (size_t i = 0; status == HD_OK && i < r->excluded_count; i++) {
    status = hd_hitting_set_exclude(problem, r->excluded[i] + 1, r->excluded[i][0]);
  }
  if (status == HD_OK) {
    hd_hitting_limits limits = {.nodes_max = NODES_MAX,
                                .choices_max = BATCH_MAX,
                                .deadline_seconds = query->deadline_seconds,
                                .cancel = query->cancel};
    status = hd_hitting_set_solve(problem, &limits, answer);
  }
  hd_hitting_set_free(problem);
  free(costs);
  return status;
}

/* What deciding one choice means for the search. */
static hd_status take_in(restriction *r, hdi_candidate *candidate, const hd_hitting_choice *choice, uint64_t cost) {
  if (candidate->status != HD_OK) { /* cut short: nothing is known about it */
    return candidate->status;
  }
  if (candidate->difference_count != 0) {
    return learn(r, candidate, choice);
  }
  hd_status status = push_list(r, &r->excluded, &r->excluded_count, choice->elements, choice->count);
  if (status != HD_OK) {
    return status;
  }
  if (candidate->evidence.accepted) {
    r->accepted_cost = cost;
    hdi_repair_say(r->run, "  %u message%s: proved", choice->count, choice->count == 1 ? "" : "s");
    return hdi_repair_accept(r->run, HDI_MECHANISM_RESTRICTION, candidate);
  }
  hdi_repair_say(r->run, "  %u message%s: refused: %s", choice->count, choice->count == 1 ? "" : "s",
                 candidate->evidence.reason);
  return candidate->evidence.undecided ? HD_E_LIMIT : HD_OK;
}

static hd_status try_choices(restriction *r, const hd_hitting_answer *answer) {
  hdi_candidate batch[BATCH_MAX];
  memset(batch, 0, sizeof batch);
  uint32_t left = r->run->query->tries_max - r->search->tried;
  size_t count = answer->choice_count < left ? answer->choice_count : left;
  hd_status status = HD_OK;
  for (size_t i = 0; i < count && status == HD_OK; i++) {
    status = draft_of(r, r->sites, answer->choices[i].elements, answer->choices[i].count, &batch[i].draft);
  }
  if (status == HD_OK) {
    status = hdi_repair_decide(r->run, HDI_MECHANISM_RESTRICTION, batch, count);
  }
  for (size_t i = 0; i < count; i++) {
    if (status == HD_OK) {
      status = take_in(r, &batch[i], &answer->choices[i], answer->cost);
    }
    hdi_candidate_clear(&batch[i]);
  }
  return status;
}

/* Rounds until the cheapest choices are all known, the budget ends, or there is none. */
static hd_status run_rounds(restriction *r) {
  const hdi_repair_query *query = r->run->query;
  while (r->search->tried < query->tries_max) {
    if (hdi_repair_is_over(r->run)) {
      r->search->cut_short = true;
      return HD_OK;
    }
    hd_hitting_answer answer;
    hd_status status = solve(r, &answer);
    if (status != HD_OK) {
      return status;
    }
    bool done = !answer.optimal || answer.choice_count == 0 || answer.cost > r->accepted_cost;
    if (done) {
      /* Optimal and dearer than what was taken: everything cheaper is excluded. */
      r->search->complete = answer.optimal && r->accepted_cost != UINT64_MAX;
    } else {
      status = try_choices(r, &answer);
    }
    hd_hitting_answer_clear(&answer);
    if (status == HD_E_LIMIT || status == HD_E_CANCELLED) {
      r->search->cut_short = status == HD_E_CANCELLED || hdi_repair_is_over(r->run);
      return HD_OK;
    }
    if (status != HD_OK || done) {
      return status;
    }
    /* The first taken choice is a cheapest one: rounds go by cost. */
    r->search->complete = r->accepted_cost != UINT64_MAX;
  }
  return HD_OK;
}

/* Decides one list of sites; *accepted and the candidate's draft tell. */
static hd_status decide_sites(restriction *r, const hdi_sync_site *sites, size_t count, hdi_candidate *out) {
  *out = (hdi_candidate){0};
  hd_status status = draft_of(r, sites, NULL, count, &out->draft);
  return status == HD_OK ? hdi_repair_decide(r->run, HDI_MECHANISM_RESTRICTION, out, 1) : status;
}

static bool is_taken(const hdi_candidate *candidate) {
  return candidate->status == HD_OK && candidate->difference_count == 0 && candidate->evidence.accepted;
}

/* The restriction that always exists, with what it does not need taken out. */
static hd_status fall_back(restriction *r) {
  hdi_sync_site *sites = NULL;
  size_t count = 0;
  hd_status status = hdi_fallback_sites(r->run->query, r->arena, &sites, &count);
  hdi_candidate best = {0};
  if (status == HD_OK) {
    status = decide_sites(r, sites, count, &best);
  }
  if (status == HD_OK && is_taken(&best)) {
    hdi_repair_say(r->run, "  one peer decides at a time: %zu messages, proved", count);
    uint32_t tries = r->run->query->tries_max;
    for (size_t i = count; i > 0 && tries > 0 && status == HD_OK && !hdi_repair_is_over(r->run); i--, tries--) {
      hdi_sync_site out = sites[i - 1];
      memmove(&sites[i - 1], &sites[i], (count - i) * sizeof *sites);
      hdi_candidate without;
      status = decide_sites(r, sites, count - 1, &without);
      if (status == HD_OK && is_taken(&without)) {
        hdi_candidate_clear(&best);
        best = without;
        count--;
        continue;
      }
      hdi_candidate_clear(&without);
      memmove(&sites[i], &sites[i - 1], (count - i) * sizeof *sites);
      sites[i - 1] = out;
    }
    hdi_repair_say(r->run, "  %zu messages are needed of them", count);
    status = status == HD_OK ? hdi_repair_accept(r->run, HDI_MECHANISM_RESTRICTION, &best) : status;
  }
  hdi_candidate_clear(&best);
  return status;
}

hd_status hdi_repair_restrict(hdi_repair_run *run) {
  restriction r = {.run = run,
                   .search = &run->answer->searches[HDI_MECHANISM_RESTRICTION],
                   .arena = hd_arena_new(),
                   .accepted_cost = UINT64_MAX,
                   .list_capacity = (size_t)run->query->tries_max + BATCH_MAX};
  hd_status status = r.arena == NULL ? HD_E_NOMEM : HD_OK;
  if (status == HD_OK) {
    r.sites = hd_arena_alloc_array(r.arena, SITES_MAX, sizeof *r.sites);
    r.required = hd_arena_alloc_array(r.arena, r.list_capacity, sizeof *r.required);
    r.excluded = hd_arena_alloc_array(r.arena, r.list_capacity, sizeof *r.excluded);
    status = r.sites == NULL || r.required == NULL || r.excluded == NULL ? HD_E_NOMEM : run_rounds(&r);
  }
  if (status == HD_OK && r.accepted_cost == UINT64_MAX && !r.search->cut_short) {
    status = fall_back(&r);
  }
  hd_arena_free(r.arena);
  return status;
}
