/* The tables behind the .chor reader: who is who, what is said twice, and the finished hd_chor_file.
 *
 *   while reading (drafts, file-wide)                          finished (per block)
 *   states  s0 s1 s3 | t0 t1       numbered by first mention   states in the order of their headers, then those
 *   arcs    ......... | ....       in the order of the text    without one by first mention; arcs sorted by from
 *           ^block 0    ^block 1
 *
 * A state has one header at most and its arcs follow it, so the arcs of the text are sorted by from once states are
 * numbered by header: no sort is needed, and printing in that order reads back to the same numbers.
 * Names are interned once for the file; what a name means depends on its block: maps have the key (block, name).
 * Checks that need the whole file (arcs at all, messages of rules, reachability) wait for the end, and for a file
 * without errors, so that one mistake is not reported as another one's consequence too.
 * Threads: one builder, one thread. Cost: O(size of the file) expected. */
#include "frontends/choreography/chor_builder.h"

#include "core/base/check.h"

#include <stdlib.h>
#include <string.h>

bool hdi_chor_builder_open(hdi_chor_builder *builder, hdi_lexer *lexer, uint32_t items_max) {
  *builder = (hdi_chor_builder){.lexer = lexer, .items_max = items_max, .names = hd_names_new()};
  return hdi_keep(lexer, builder->names == NULL ? HD_E_NOMEM : HD_OK);
}

void hdi_chor_builder_close(hdi_chor_builder *builder) {
  hd_names_free(builder->names);
  hdi_peer_drafts_free(&builder->peers);
  hdi_message_drafts_free(&builder->messages);
  hdi_state_drafts_free(&builder->states);
  hdi_arc_drafts_free(&builder->arcs);
  hdi_rule_drafts_free(&builder->rules);
  hdi_block_drafts_free(&builder->blocks);
  hdi_pair_map_free(&builder->peer_of);
  hdi_pair_map_free(&builder->state_of);
  hdi_pair_map_free(&builder->block_of);
  hdi_pair_map_free(&builder->word_of);
  hdi_triple_map_free(&builder->message_of);
  hdi_triple_map_free(&builder->arc_of);
  hdi_triple_map_free(&builder->rule_of);
}

static bool keep(hdi_chor_builder *builder, hd_status status) {
  return hdi_keep(builder->lexer, status);
}

/* Is there room for one more in a table of `count`? */
static bool has_room(hdi_chor_builder *builder, size_t count, const char *what, hd_span span) {
  if (count < builder->items_max) {
    return true;
  }
  hdi_report(builder->lexer, HDI_TOO_MANY, span, hdi_show_number(builder->items_max).text, what);
  return false;
}

static bool intern(hdi_chor_builder *builder, const hdi_token *token, hd_name *name) {
  return keep(builder, hd_names_add(builder->names, token->data, token->length, name));
}

static uint32_t current_block(const hdi_chor_builder *builder) {
  HD_ASSERT(builder->blocks.count > 0);
  return (uint32_t)(builder->blocks.count - 1);
}

static void report_name(hdi_chor_builder *builder, hdi_message message, const hdi_token *token, hd_span other) {
  hdi_report(builder->lexer, message, token->span, hdi_show(token->data, token->length).text,
             hdi_show_line(builder->lexer, other).text);
}

bool hdi_chor_add_block(hdi_chor_builder *builder, const hdi_token *name, hd_span span) {
  hdi_block_draft block = {.name = HD_NO_NAME,
                           .span = span,
                           .initial = HD_NONE,
                           .state_start = (uint32_t)builder->states.count,
                           .header_start = builder->header_count,
                           .arc_start = (uint32_t)builder->arcs.count,
                           .rule_start = (uint32_t)builder->rules.count};
  if (!has_room(builder, builder->blocks.count, "choreographies", span)) {
    return false;
  }
  if (name != NULL) {
    uint32_t *known = NULL;
    bool fresh = false;
    if (!intern(builder, name, &block.name) ||
        !keep(builder, hdi_pair_map_put(&builder->block_of, (hdi_pair){0, block.name.v},
                                        (uint32_t)builder->blocks.count, &known, &fresh))) {
      return false;
    }
    if (!fresh) {
      report_name(builder, HDI_BLOCK_TWICE, name, builder->blocks.data[*known].span);
    }
  }
  return keep(builder, hdi_block_drafts_push(&builder->blocks, block));
}

/* The peer called so, made when it is new. */
static bool find_peer(hdi_chor_builder *builder, const hdi_token *token, hd_peer *out, bool *fresh) {
  uint32_t *known = NULL;
  hd_name name;
  if (!intern(builder, token, &name) ||
      !keep(builder, hdi_pair_map_put(&builder->peer_of, (hdi_pair){0, name.v}, (uint32_t)builder->peers.count, &known,
                                      fresh))) {
    return false;
  }
  *out = (hd_peer){*known};
  uint32_t block = current_block(builder);
  if (*fresh) {
    hdi_peer_draft draft = {.name = name, .block = block, .blamed_in = HD_NONE, .span = token->span};
    return has_room(builder, builder->peers.count, "peers", token->span) &&
           keep(builder, hdi_peer_drafts_push(&builder->peers, draft));
  }
  hdi_peer_draft *peer = &builder->peers.data[out->v];
  if (peer->block != block && peer->blamed_in != block) {
    peer->blamed_in = block;
    report_name(builder, HDI_PEER_SHARED, token, peer->span);
  }
  return true;
}

bool hdi_chor_declare_peer(hdi_chor_builder *builder, const hdi_token *name) {
  hd_peer peer;
  bool fresh = false;
  builder->blocks.data[current_block(builder)].has_peers = true;
  if (!find_peer(builder, name, &peer, &fresh)) {
    return false;
  }
  const hdi_peer_draft *known = &builder->peers.data[peer.v];
  if (!fresh && known->block == current_block(builder)) {
    report_name(builder, HDI_PEER_TWICE, name, known->span);
  }
  return true;
}

void hdi_chor_doubt_peers(hdi_chor_builder *builder) {
  builder->blocks.data[current_block(builder)].peers_unsure = true;
}

static bool mention_peer(hdi_chor_builder *builder, const hdi_token *name, hd_peer *out) {
  bool fresh = false;
  if (!find_peer(builder, name, out, &fresh)) {
    return false;
  }
  const hdi_block_draft *block = &builder->blocks.data[current_block(builder)];
  if (fresh && block->has_peers && !block->peers_unsure) {
    hdi_report(builder->lexer, HDI_PEER_UNDECLARED, name->span, hdi_show(name->data, name->length).text, NULL);
  }
  return true;
}

/* The block's state called so, made when it is new. */
static bool find_state(hdi_chor_builder *builder, const hdi_token *token, uint32_t *out) {
  uint32_t *known = NULL;
  bool fresh = false;
  hd_name name;
  if (!intern(builder, token, &name) ||
      !keep(builder, hdi_pair_map_put(&builder->state_of, (hdi_pair){current_block(builder), name.v},
                                      (uint32_t)builder->states.count, &known, &fresh))) {
    return false;
  }
  *out = *known;
  if (!fresh) {
    return true;
  }
  hdi_state_draft draft = {.name = name, .header = HD_NONE, .span = token->span};
  return has_room(builder, builder->states.count, "states", token->span) &&
         keep(builder, hdi_state_drafts_push(&builder->states, draft));
}

bool hdi_chor_add_header(hdi_chor_builder *builder, const hdi_header *header, uint32_t *state) {
  if (!find_state(builder, &header->name, state)) {
    return false;
  }
  hdi_block_draft *block = &builder->blocks.data[current_block(builder)];
  hdi_state_draft *draft = &builder->states.data[*state];
  if (draft->header != HD_NONE) {
    report_name(builder, HDI_STATE_TWICE, &header->name, draft->span);
    *state = HD_NONE;
    return true;
  }
  draft->header = builder->header_count++;
  draft->final = header->final;
  draft->span = header->name.span;
  if (header->initial && block->has_initial) {
    report_name(builder, HDI_INITIAL_TWICE, &header->name, block->initial_span);
  } else if (header->initial || block->initial == HD_NONE) {
    block->has_initial = header->initial;
    block->initial = *state;
    block->initial_span = header->name.span;
  }
  return true;
}

/* The message from -> to : token, made when it is new. */
static bool find_message(hdi_chor_builder *builder, hd_peer from, hd_peer to, const hdi_token *token, hd_span span,
                         hd_message *out) {
  uint32_t *known = NULL;
  bool fresh = false;
  hd_name name;
  if (!intern(builder, token, &name) ||
      !keep(builder, hdi_triple_map_put(&builder->message_of, (hdi_triple){from.v, to.v, name.v},
                                        (uint32_t)builder->messages.count, &known, &fresh))) {
    return false;
  }
  *out = (hd_message){*known};
  if (!fresh) {
    return true;
  }
  hdi_message_draft draft = {.from = from, .to = to, .name = name, .span = span};
  return keep(builder,
              hdi_pair_map_put(&builder->word_of, (hdi_pair){current_block(builder), name.v}, out->v, NULL, NULL)) &&
         keep(builder, hdi_message_drafts_push(&builder->messages, draft));
}

bool hdi_chor_add_arc(hdi_chor_builder *builder, uint32_t state, const hdi_arc_words *words) {
  if (state == HD_NONE) {
    return true;
  }
  hd_peer from, to;
  if (!mention_peer(builder, &words->from, &from) || !mention_peer(builder, &words->to, &to)) {
    return false;
  }
  if (from.v == to.v) {
    hdi_report(builder->lexer, HDI_SELF_MESSAGE, (hd_span){words->from.span.begin, words->to.span.end},
               hdi_show(words->from.data, words->from.length).text, NULL);
    return true;
  }
  hd_span message_span = {words->from.span.begin, words->message.span.end};
  hdi_arc_draft arc = {.from = state, .span = {words->from.span.begin, words->target.span.end}};
  uint32_t *known = NULL;
  bool fresh = false;
  if (!has_room(builder, builder->arcs.count, "arcs", arc.span) ||
      !find_message(builder, from, to, &words->message, message_span, &arc.message) ||
      !find_state(builder, &words->target, &arc.to) ||
      !keep(builder, hdi_triple_map_put(&builder->arc_of, (hdi_triple){arc.from, arc.message.v, arc.to},
                                        (uint32_t)builder->arcs.count, &known, &fresh))) {
    return false;
  }
  if (!fresh) {
    hdi_report(builder->lexer, HDI_ARC_TWICE, arc.span,
               hdi_show_line(builder->lexer, builder->arcs.data[*known].span).text, NULL);
    return true;
  }
  return keep(builder, hdi_arc_drafts_push(&builder->arcs, arc));
}

bool hdi_chor_add_rule(hdi_chor_builder *builder, const hdi_token *first, const hdi_token *second, bool anywhere,
                       hd_span span) {
  uint32_t *known = NULL;
  bool fresh = false;
  hd_name a, b;
  uint32_t block = current_block(builder);
  if (!has_room(builder, builder->rules.count, "rules", span) || !intern(builder, first, &a) ||
      !intern(builder, second, &b) ||
      !keep(builder, hdi_triple_map_put(&builder->rule_of, (hdi_triple){a.v, b.v, 2 * block + (anywhere ? 1 : 0)},
                                        (uint32_t)builder->rules.count, &known, &fresh))) {
    return false;
  }
  if (!fresh) {
    hdi_report(builder->lexer, HDI_RULE_TWICE, span,
               hdi_show_line(builder->lexer, builder->rules.data[*known].span).text, NULL);
    return true;
  }
  hdi_rule_draft rule = {.first = *first, .second = *second, .anywhere = anywhere, .span = span};
  return keep(builder, hdi_rule_drafts_push(&builder->rules, rule));
}

/* Where the block after `block` starts in each table. */
static hdi_block_draft block_end(const hdi_chor_builder *builder, uint32_t block) {
  if (block + 1 < builder->blocks.count) {
    return builder->blocks.data[block + 1];
  }
  return (hdi_block_draft){.state_start = (uint32_t)builder->states.count,
                           .header_start = builder->header_count,
                           .arc_start = (uint32_t)builder->arcs.count,
                           .rule_start = (uint32_t)builder->rules.count};
}

static void check_rule_word(hdi_chor_builder *builder, uint32_t block, const hdi_token *word) {
  hd_name name = hd_names_find(builder->names, word->data, word->length);
  if (hdi_pair_map_get(&builder->word_of, (hdi_pair){block, name.v}) == NULL) {
    hdi_report(builder->lexer, HDI_RULE_UNKNOWN, word->span, hdi_show(word->data, word->length).text, NULL);
  }
}

/* Rules speak of message names, whoever the peers are: makes word_of, then looks every name up. */
static bool check_rules(hdi_chor_builder *builder) {
  if (builder->rules.count == 0) {
    return true;
  }
  for (uint32_t m = 0; m < builder->messages.count; m++) {
    const hdi_message_draft *message = &builder->messages.data[m];
    hdi_pair key = {builder->peers.data[message->from.v].block, message->name.v};
    if (!keep(builder, hdi_pair_map_put(&builder->word_of, key, m, NULL, NULL))) {
      return false;
    }
  }
  for (uint32_t i = 0; i < builder->blocks.count; i++) {
    hdi_block_draft end = block_end(builder, i);
    for (uint32_t r = builder->blocks.data[i].rule_start; r < end.rule_start; r++) {
      check_rule_word(builder, i, &builder->rules.data[r].first);
      check_rule_word(builder, i, &builder->rules.data[r].second);
    }
  }
  return true;
}

/* The checks that need every line; nothing is said about a file that already has errors. */
static bool check_whole(hdi_chor_builder *builder) {
  hdi_lexer *lexer = builder->lexer;
  if (lexer->errors != 0) {
    return false;
  }
  if (builder->blocks.count == 0) {
    hdi_report(lexer, HDI_NO_CHOREOGRAPHY, (hd_span){0, 0}, NULL, NULL);
  }
  for (uint32_t i = 0; i < builder->blocks.count; i++) {
    if (builder->blocks.data[i].arc_start == block_end(builder, i).arc_start) {
      hdi_report(lexer, HDI_NO_ARC, builder->blocks.data[i].span, NULL, NULL);
    }
  }
  return lexer->errors == 0 && check_rules(builder) && lexer->errors == 0;
}

static const char *copy_name(const hdi_chor_builder *builder, hd_arena *arena, hd_name name) {
  const char *text = hd_names_text(builder->names, name);
  return hd_arena_copy_text(arena, text, strlen(text));
}

static bool build_alphabet(const hdi_chor_builder *builder, hd_arena *arena, hd_alphabet *out) {
  out->peer_count = (uint32_t)builder->peers.count;
  out->message_count = (uint32_t)builder->messages.count;
  out->peers = hd_arena_alloc_array(arena, out->peer_count, sizeof out->peers[0]);
  out->messages = hd_arena_alloc_array(arena, out->message_count, sizeof out->messages[0]);
  if (out->peers == NULL || out->messages == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < out->peer_count; i++) {
    out->peers[i] = copy_name(builder, arena, builder->peers.data[i].name);
    if (out->peers[i] == NULL) {
      return false;
    }
  }
  for (uint32_t i = 0; i < out->message_count; i++) {
    const hdi_message_draft *draft = &builder->messages.data[i];
    out->messages[i] = (hd_message_info){
        .from = draft->from, .to = draft->to, .name = copy_name(builder, arena, draft->name), .first = draft->span};
    if (out->messages[i].name == NULL) {
      return false;
    }
  }
  return true;
}

/* Numbers the block's states (into `number`, indexed by draft) and fills chor->states. */
static bool build_states(const hdi_chor_builder *builder, uint32_t block, hd_arena *arena, uint32_t *number,
                         hd_chor *chor) {
  const hdi_block_draft *begin = &builder->blocks.data[block];
  hdi_block_draft end = block_end(builder, block);
  uint32_t next = end.header_start - begin->header_start;
  chor->state_count = end.state_start - begin->state_start;
  chor->states = hd_arena_alloc_array(arena, chor->state_count, sizeof chor->states[0]);
  if (chor->states == NULL) {
    return false;
  }
  for (uint32_t i = begin->state_start; i < end.state_start; i++) {
    const hdi_state_draft *draft = &builder->states.data[i];
    number[i] = draft->header != HD_NONE ? draft->header - begin->header_start : next++;
    hd_chor_state *state = &chor->states[number[i]];
    *state =
        (hd_chor_state){.name = copy_name(builder, arena, draft->name), .final = draft->final, .span = draft->span};
    chor->has_final |= draft->final;
    if (state->name == NULL) {
      return false;
    }
  }
  HD_ASSERT(next == chor->state_count);
  chor->initial = number[begin->initial];
  return true;
}

static bool build_arcs(const hdi_chor_builder *builder, uint32_t block, hd_arena *arena, const uint32_t *number,
                       hd_chor *chor) {
  uint32_t begin = builder->blocks.data[block].arc_start;
  chor->arc_count = block_end(builder, block).arc_start - begin;
  chor->arcs = hd_arena_alloc_array(arena, chor->arc_count, sizeof chor->arcs[0]);
  chor->first_arc = hd_arena_alloc_array(arena, (size_t)chor->state_count + 1, sizeof chor->first_arc[0]);
  if (chor->arcs == NULL || chor->first_arc == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < chor->arc_count; i++) {
    const hdi_arc_draft *draft = &builder->arcs.data[begin + i];
    chor->arcs[i] = (hd_chor_arc){
        .from = number[draft->from], .to = number[draft->to], .message = draft->message, .span = draft->span};
    HD_ASSERT(i == 0 || chor->arcs[i - 1].from <= chor->arcs[i].from);
    chor->first_arc[chor->arcs[i].from + 1]++;
  }
  for (uint32_t s = 0; s < chor->state_count; s++) {
    chor->first_arc[s + 1] += chor->first_arc[s];
  }
  return true;
}

static bool build_rules(const hdi_chor_builder *builder, uint32_t block, hd_arena *arena, hd_chor *chor) {
  uint32_t begin = builder->blocks.data[block].rule_start;
  chor->rule_count = block_end(builder, block).rule_start - begin;
  chor->rules = hd_arena_alloc_array(arena, chor->rule_count, sizeof chor->rules[0]);
  if (chor->rules == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < chor->rule_count; i++) {
    const hdi_rule_draft *draft = &builder->rules.data[begin + i];
    hd_chor_rule *rule = &chor->rules[i];
    *rule = (hd_chor_rule){.first = hd_arena_copy_text(arena, draft->first.data, draft->first.length),
                           .second = hd_arena_copy_text(arena, draft->second.data, draft->second.length),
                           .anywhere = draft->anywhere,
                           .span = draft->span};
    if (rule->first == NULL || rule->second == NULL) {
      return false;
    }
  }
  return true;
}

/* Warns of every state that no run reaches. */
static bool check_reachable(hdi_chor_builder *builder, const hd_chor *chor) {
  bool *seen = calloc(chor->state_count, sizeof seen[0]);
  uint32_t *queue = malloc(chor->state_count * sizeof queue[0]);
  bool made = seen != NULL && queue != NULL;
  uint32_t count = 0;
  if (made) {
    seen[chor->initial] = true;
    queue[count++] = chor->initial;
  }
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t a = chor->first_arc[queue[i]]; a < chor->first_arc[queue[i] + 1]; a++) {
      uint32_t to = chor->arcs[a].to;
      if (!seen[to]) {
        seen[to] = true;
        queue[count++] = to;
      }
    }
  }
  const char *initial = chor->states[chor->initial].name;
  for (uint32_t s = 0; made && count < chor->state_count && s < chor->state_count; s++) {
    const char *name = chor->states[s].name;
    if (!seen[s]) {
      hdi_report(builder->lexer, HDI_UNREACHABLE, chor->states[s].span, hdi_show(name, strlen(name)).text,
                 hdi_show(initial, strlen(initial)).text);
    }
  }
  free(seen);
  free(queue);
  return made;
}

static bool build_block(hdi_chor_builder *builder, uint32_t block, hd_arena *arena, uint32_t *number, hd_chor *chor) {
  const hdi_block_draft *draft = &builder->blocks.data[block];
  chor->span = draft->span;
  if (draft->name.v != HD_NO_NAME.v) {
    chor->name = copy_name(builder, arena, draft->name);
    if (chor->name == NULL) {
      return false;
    }
  }
  return build_states(builder, block, arena, number, chor) && build_arcs(builder, block, arena, number, chor) &&
         build_rules(builder, block, arena, chor) && check_reachable(builder, chor);
}

/* The whole file in its own arena; NULL when memory is out. */
static hd_chor_file *build_file(hdi_chor_builder *builder, uint32_t *number) {
  hd_arena *arena = hd_arena_new();
  hd_chor_file *file = arena == NULL ? NULL : hd_arena_alloc(arena, sizeof *file);
  if (file == NULL) {
    hd_arena_free(arena);
    return NULL;
  }
  file->arena = arena;
  file->text = builder->lexer->text;
  file->block_count = (uint32_t)builder->blocks.count;
  file->blocks = hd_arena_alloc_array(arena, file->block_count, sizeof file->blocks[0]);
  bool made = file->blocks != NULL && build_alphabet(builder, arena, &file->alphabet);
  for (uint32_t i = 0; made && i < file->block_count; i++) {
    made = build_block(builder, i, arena, number, &file->blocks[i]);
  }
  if (!made) {
    hd_arena_free(arena);
    return NULL;
  }
  return file;
}

hd_chor_file *hdi_chor_finish(hdi_chor_builder *builder) {
  if (!check_whole(builder)) {
    return NULL;
  }
  uint32_t *number = malloc(builder->states.count * sizeof number[0]);
  hd_chor_file *file = number == NULL ? NULL : build_file(builder, number);
  free(number);
  (void)keep(builder, file == NULL ? HD_E_NOMEM : HD_OK);
  return file;
}
