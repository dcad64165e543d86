/* Repair by dialogue: the user chooses, difference by difference (repair.h).
 *
 *   draft --shortest difference--> chart, offers --answer--> the chosen offer is the next draft; none left: done
 *
 * Answers are numbers of offers; `more` lists all offers instead of the first OFFERS_SHOWN, `back` takes the last
 * choice back, `q` stops. Anything else is told and asked again. What comes out passes the same gate as every repair;
 * the dialogue itself proves nothing. Threads: one. Memory: the chosen drafts, for `back`. */
#include "core/report/chart.h"
#include "frontends/choreography/repair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OFFERS_SHOWN = 12, STEPS_MAX = 200, CHART_WIDTH = 100 };

typedef struct dialogue {
  const hdi_repair_query *query;
  hdi_repair_ask ask;
  void *payload;
  hdi_draft *chosen[STEPS_MAX + 1]; /* owned; chosen[0] is the block */
  size_t depth;                     /* of choices */
} dialogue;

static hd_chart_mark mark_of(hd_witness_move_kind kind) {
  switch (kind) {
    case HD_MOVE_SYNC:
      return HD_CHART_ARRIVES;
    case HD_MOVE_SEND:
      return HD_CHART_WAITS;
    case HD_MOVE_READ:
      return HD_CHART_READ;
    case HD_MOVE_EXTRA:
      return HD_CHART_WRONG;
  }
  return HD_CHART_WRONG;
}

static hd_status draw(const hdi_draft *draft, const hdi_paper_difference *d, hd_arena *arena, hd_buffer *out) {
  const hd_witness *witness = d->witness;
  hd_chart_event *events = hd_arena_alloc_array(arena, witness->move_count, sizeof *events);
  if (events == NULL) {
    return HD_E_NOMEM;
  }
  for (size_t i = 0; i < witness->move_count; i++) {
    const hd_message_info *info = &draft->alphabet.messages[witness->moves[i].message.v];
    events[i] = (hd_chart_event){info->from.v, info->to.v, info->name, mark_of(witness->moves[i].kind)};
  }
  hd_chart chart = {.names = draft->alphabet.peers,
                    .name_count = draft->alphabet.peer_count,
                    .events = events,
                    .event_count = (uint32_t)witness->move_count};
  return hd_chart_print(&chart, CHART_WIDTH, out);
}

static void add_word(const hdi_draft *draft, const hd_message *word, size_t length, hd_buffer *out) {
  for (size_t i = 0; i < length; i++) {
    hd_buffer_printf(out, "%s%s", i == 0 ? "" : " ", draft->alphabet.messages[word[i].v].name);
  }
  hd_buffer_add_text(out, length == 0 ? "(nothing)" : "");
}

/* The edits of an offer that its parent has not. */
static void add_offer(const hdi_draft *parent, const hdi_draft *offer, size_t number, hd_buffer *out) {
  hd_buffer_printf(out, "%4zu  [%u] ", number, offer->cost - parent->cost);
  for (uint32_t e = parent->edit_count; e < offer->edit_count; e++) {
    const hdi_edit *edit = &offer->edits[e];
    hd_buffer_printf(out, "%s%s", e == parent->edit_count ? "" : "; ", edit->words);
    if (edit->paper_case != HDI_CASE_NONE) {
      hd_buffer_printf(out, " (%s)", hdi_chor_case_name(edit->paper_case));
    }
  }
  hd_buffer_add_text(out, "\n");
}

static hd_status write_question(const dialogue *dlg, const hdi_paper_difference *d, hdi_draft *const *offers,
                                size_t count, size_t shown, hd_arena *arena, hd_buffer *out) {
  const hdi_draft *draft = dlg->chosen[dlg->depth];
  const char *peer = draft->alphabet.peers[d->peer.v];
  hd_buffer_printf(out, "\n%s can send %s where the choreography does not allow it:\n\n", peer,
                   draft->alphabet.messages[d->extra.v].name);
  hd_status status = draw(draft, d, arena, out);
  hd_buffer_printf(out, "\n%s cannot tell \"", peer);
  add_word(draft, d->word, d->word_length, out);
  hd_buffer_add_text(out, "\" from \"");
  add_word(draft, d->witness->twin, d->witness->twin_length, out);
  hd_buffer_printf(out, "\", after which %s is allowed.\n\nEdits that remove this (in brackets: what they cost):\n",
                   draft->alphabet.messages[d->extra.v].name);
  for (size_t i = 0; i < count && i < shown; i++) {
    add_offer(draft, offers[i], i + 1, out);
  }
  if (shown < count) {
    hd_buffer_printf(out, "      (%zu more: say more)\n", count - shown);
  }
  hd_buffer_printf(out, "Your choice (1-%zu%s, q to stop): ", count, dlg->depth > 0 ? ", back" : "");
  return status != HD_OK || out->failed ? HD_E_NOMEM : HD_OK;
}

typedef enum answer_kind { ANSWER_NUMBER, ANSWER_MORE, ANSWER_BACK, ANSWER_STOP, ANSWER_WRONG } answer_kind;

static answer_kind read_answer(const char *answer, size_t count, size_t *number) {
  if (answer == NULL) {
    return ANSWER_STOP;
  }
  while (*answer == ' ' || *answer == '\t') {
    answer++;
  }
  size_t length = strcspn(answer, " \t\r#"), rest = length + strspn(answer + length, " \t\r");
  if (answer[rest] != '\0' && answer[rest] != '#') {
    return ANSWER_WRONG; /* two words */
  }
  const struct {
    const char *word;
    answer_kind kind;
  } words[] = {{"q", ANSWER_STOP}, {"quit", ANSWER_STOP}, {"more", ANSWER_MORE}, {"back", ANSWER_BACK}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strlen(words[i].word) == length && strncmp(answer, words[i].word, length) == 0) {
      return words[i].kind;
    }
  }
  char *end = NULL;
  errno = 0;
  unsigned long value = *answer >= '1' && *answer <= '9' ? strtoul(answer, &end, 10) : 0;
  if (value == 0 || errno != 0 || end != answer + length || value > count) {
    return ANSWER_WRONG;
  }
  *number = value;
  return ANSWER_NUMBER;
}

/* Asks until the answer makes sense. */
static hd_status ask_for_choice(const dialogue *dlg, const hdi_paper_difference *d, hdi_draft *const *offers,
                                size_t count, hd_arena *arena, answer_kind *kind, size_t *number) {
  size_t shown = OFFERS_SHOWN;
  const char *complaint = "";
  for (;;) {
    hd_buffer text = {0};
    hd_buffer_add_text(&text, complaint);
    hd_status status = write_question(dlg, d, offers, count, shown, arena, &text);
    *kind = status == HD_OK ? read_answer(dlg->ask(dlg->payload, text.data, *complaint != '\0'), count, number)
                            : ANSWER_STOP;
    hd_buffer_free(&text);
    if (*kind == ANSWER_MORE) {
      shown = count;
      complaint = "";
    } else if (*kind == ANSWER_WRONG || (*kind == ANSWER_BACK && dlg->depth == 0)) {
      complaint = "\nThat is not one of the choices.\n";
    } else {
      return status;
    }
  }
}

/* One difference; *over: there is none left, or the user stopped. */
static hd_status take_step(dialogue *dlg, bool *over, bool *done) {
  hd_arena *arena = hd_arena_new();
  const hdi_paper_difference *d = NULL;
  hdi_draft **offers = NULL;
  size_t count = 0, number = 0;
  hd_status status =
      arena == NULL ? HD_E_NOMEM : hdi_repair_offer(dlg->query, dlg->chosen[dlg->depth], arena, &d, &offers, &count);
  *over = true;
  if (status == HD_OK && d == NULL) {
    *done = true;
  } else if (status == HD_OK && count != 0 && dlg->depth < STEPS_MAX) {
    answer_kind kind = ANSWER_STOP;
    status = ask_for_choice(dlg, d, offers, count, arena, &kind, &number);
    *over = kind == ANSWER_STOP;
    if (kind == ANSWER_NUMBER) {
      dlg->chosen[++dlg->depth] = offers[number - 1];
      offers[number - 1] = NULL;
    } else if (kind == ANSWER_BACK) {
      hdi_draft_free(dlg->chosen[dlg->depth--]);
    }
  }
  for (size_t i = 0; i < count; i++) {
    hdi_draft_free(offers[i]);
  }
  free(offers);
  hd_arena_free(arena);
  return status;
}

hd_status hdi_repair_dialogue(const hdi_repair_query *query, hdi_repair_ask ask, void *payload, hdi_draft **draft,
                              bool *done) {
  dialogue dlg = {.query = query, .ask = ask, .payload = payload};
  *draft = NULL;
  *done = false;
  hd_status status = hdi_draft_open(query->file, query->block, query->costs, &dlg.chosen[0]);
  for (bool over = false; status == HD_OK && !over;) {
    status = take_step(&dlg, &over, done);
  }
  if (status == HD_OK) {
    *draft = dlg.chosen[dlg.depth];
    dlg.chosen[dlg.depth] = NULL;
  }
  for (size_t i = 0; i <= dlg.depth; i++) {
    hdi_draft_free(dlg.chosen[i]);
  }
  return status;
}
