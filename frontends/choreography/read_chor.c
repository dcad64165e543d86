/* Reads .chor text: the grammar. What it finds goes to chor_builder.c, which knows the names and checks the whole.
 *
 *   file   = { line }
 *   line   = [ "choreography" [ NAME ] | "peers" NAME { "," NAME } | "never" NAME ( "," | ".." ) NAME
 *            | { "initial" | "final" } "state" NAME ":" [ arc ] | arc ] end-of-line
 *   arc    = NAME "->" NAME ":" NAME "=>" NAME
 *
 * A line whose second token is `->` is an arc, whatever its first word, so the keywords are not reserved. The first
 * block needs no `choreography` line. After an error reading goes on at the next line; when the line was a state's
 * header, the arcs below it are parsed but dropped, so that one mistake gives one report.
 * Threads: any number of readings at once, each on its own text and sink. Cost: O(size) expected. */
#include "frontends/choreography/chor_builder.h"

#include "core/base/check.h"

typedef struct chor_reader {
  hdi_lexer lexer;
  hdi_chor_builder builder;
  bool in_state;  /* some header was seen in the current block, good or bad */
  uint32_t state; /* where arcs start; HD_NONE: nowhere, the header was bad */
  bool go_on;     /* false: memory is out or a limit is passed */
} chor_reader;

static hd_span span_from(const hdi_token *first, const hdi_token *last) {
  return (hd_span){first->span.begin, last->span.end};
}

/* The first statement of a file may do without `choreography`. */
static bool open_block(chor_reader *reader, hd_span span) {
  if (reader->builder.blocks.count == 0) {
    reader->go_on = hdi_chor_add_block(&reader->builder, NULL, span);
  }
  return reader->go_on;
}

static bool take_line_end(chor_reader *reader) {
  return hdi_lexer_take(&reader->lexer, HDI_LINE_END, HDI_EXPECT_LINE_END, NULL);
}

static bool read_block(chor_reader *reader, const hdi_token *keyword) {
  hdi_token name = reader->lexer.token;
  bool named = name.kind == HDI_WORD;
  reader->in_state = false;
  reader->state = HD_NONE;
  if (named) {
    hdi_lexer_next(&reader->lexer);
  }
  hd_span span = named ? span_from(keyword, &name) : keyword->span;
  reader->go_on = hdi_chor_add_block(&reader->builder, named ? &name : NULL, span);
  return reader->go_on && take_line_end(reader);
}

static bool read_peer_list(chor_reader *reader) {
  hdi_lexer *lexer = &reader->lexer;
  for (;;) {
    hdi_token name;
    if (!hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_PEER, &name)) {
      return false;
    }
    reader->go_on = hdi_chor_declare_peer(&reader->builder, &name);
    if (!reader->go_on) {
      return false;
    }
    if (lexer->token.kind == HDI_LINE_END) {
      return take_line_end(reader);
    }
    if (!hdi_lexer_take(lexer, HDI_COMMA, HDI_EXPECT_COMMA, NULL)) {
      return false;
    }
  }
}

static bool read_peers(chor_reader *reader, const hdi_token *keyword) {
  if (reader->in_state) {
    hdi_report(&reader->lexer, HDI_LATE_PEERS, keyword->span, NULL, NULL);
    return false;
  }
  bool complete = read_peer_list(reader);
  if (!complete) {
    hdi_chor_doubt_peers(&reader->builder);
  }
  return complete;
}

static bool read_rule(chor_reader *reader, const hdi_token *keyword) {
  hdi_lexer *lexer = &reader->lexer;
  hdi_token first, second;
  if (!hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_MESSAGE, &first)) {
    return false;
  }
  bool anywhere = lexer->token.kind == HDI_DOTS;
  if (!hdi_lexer_take(lexer, anywhere ? HDI_DOTS : HDI_COMMA, HDI_EXPECT_RULE_MARK, NULL) ||
      !hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_MESSAGE, &second) || !take_line_end(reader)) {
    return false;
  }
  reader->go_on = hdi_chor_add_rule(&reader->builder, &first, &second, anywhere, span_from(keyword, &second));
  return reader->go_on;
}

/* The rest of an arc; `sender` is taken already. */
static bool read_arc(chor_reader *reader, const hdi_token *sender) {
  hdi_lexer *lexer = &reader->lexer;
  hdi_arc_words arc = {.from = *sender};
  if (!hdi_lexer_take(lexer, HDI_ARROW, HDI_EXPECT_ARROW, NULL) ||
      !hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_RECEIVER, &arc.to) ||
      !hdi_lexer_take(lexer, HDI_COLON, HDI_EXPECT_COLON, NULL) ||
      !hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_MESSAGE, &arc.message) ||
      !hdi_lexer_take(lexer, HDI_FAT_ARROW, HDI_EXPECT_FAT_ARROW, NULL) ||
      !hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_TARGET, &arc.target) || !take_line_end(reader)) {
    return false;
  }
  if (!reader->in_state) {
    hdi_report(lexer, HDI_ARC_OUTSIDE, span_from(&arc.from, &arc.target), NULL, NULL);
    reader->in_state = true; /* said once: what follows may be meant for the same missing state */
    reader->state = HD_NONE;
  }
  reader->go_on = hdi_chor_add_arc(&reader->builder, reader->state, &arc);
  return reader->go_on;
}

/* `state`, `initial state`, `final state` and both; `word` is the first of them and taken already. */
static bool read_header(chor_reader *reader, const hdi_token *word) {
  hdi_lexer *lexer = &reader->lexer;
  hdi_header header = {.final = hdi_token_is(word, "final"), .initial = hdi_token_is(word, "initial")};
  reader->in_state = true;
  reader->state = HD_NONE;
  if (header.final || header.initial) {
    if (hdi_lexer_at_word(lexer, header.final ? "initial" : "final")) {
      header.final = header.initial = true;
      hdi_lexer_next(lexer);
    }
    if (!hdi_lexer_at_word(lexer, "state")) {
      hdi_lexer_unexpected(lexer, HDI_EXPECT_STATE_WORD);
      return false;
    }
    hdi_lexer_next(lexer);
  }
  if (!hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_STATE_NAME, &header.name) ||
      !hdi_lexer_take(lexer, HDI_COLON, HDI_EXPECT_STATE_COLON, NULL)) {
    return false;
  }
  reader->go_on = hdi_chor_add_header(&reader->builder, &header, &reader->state);
  if (!reader->go_on) {
    return false;
  }
  if (lexer->token.kind == HDI_WORD) {
    hdi_token sender = lexer->token;
    hdi_lexer_next(lexer);
    return read_arc(reader, &sender);
  }
  return hdi_lexer_take(lexer, HDI_LINE_END, HDI_EXPECT_ARC, NULL);
}

/* One line that is not empty. False: the rest of it is to be skipped, or reading must stop. */
static bool read_statement(chor_reader *reader) {
  hdi_lexer *lexer = &reader->lexer;
  hdi_token word;
  if (!hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_STATEMENT, &word)) {
    return false;
  }
  bool arc = lexer->token.kind == HDI_ARROW;
  if (!arc && hdi_token_is(&word, "choreography")) {
    return read_block(reader, &word);
  }
  if (!open_block(reader, word.span)) {
    return false;
  }
  if (arc) {
    return read_arc(reader, &word);
  }
  if (hdi_token_is(&word, "peers")) {
    return read_peers(reader, &word);
  }
  if (hdi_token_is(&word, "never")) {
    return read_rule(reader, &word);
  }
  if (hdi_token_is(&word, "state") || hdi_token_is(&word, "initial") || hdi_token_is(&word, "final")) {
    return read_header(reader, &word);
  }
  /* Neither a keyword nor an arc. Inside a state the missing arrow is the likelier mistake. */
  if (reader->in_state) {
    return read_arc(reader, &word);
  }
  if (lexer->token.kind != HDI_BAD) {
    hdi_report(lexer, HDI_UNKNOWN_WORD, word.span, hdi_show(word.data, word.length).text, NULL);
  }
  return false;
}

static void read_lines(chor_reader *reader) {
  hdi_lexer *lexer = &reader->lexer;
  while (reader->go_on && lexer->token.kind != HDI_FILE_END) {
    if (lexer->token.kind == HDI_LINE_END) {
      hdi_lexer_next(lexer);
    } else if (!read_statement(reader)) {
      hdi_lexer_skip_line(lexer);
    }
  }
}

hd_status hdi_chor_read_limited(const hd_text *text, hd_diag *diag, uint32_t items_max, hd_chor_file **out) {
  HD_REQUIRE(text != NULL && out != NULL && items_max <= HDI_ITEMS_MAX);
  *out = NULL;
  chor_reader reader = {.state = HD_NONE, .go_on = true};
  if (!hdi_lexer_open(&reader.lexer, text, diag, HDI_CHOR)) {
    return HD_E_INPUT;
  }
  if (hdi_chor_builder_open(&reader.builder, &reader.lexer, items_max)) {
    read_lines(&reader);
    *out = reader.go_on ? hdi_chor_finish(&reader.builder) : NULL;
  }
  hdi_chor_builder_close(&reader.builder);
  if (*out != NULL) {
    return HD_OK;
  }
  return reader.lexer.status != HD_OK ? reader.lexer.status : HD_E_INPUT;
}

hd_status hd_chor_read(const hd_text *text, hd_diag *diag, hd_chor_file **out) {
  return hdi_chor_read_limited(text, diag, HDI_ITEMS_MAX, out);
}
