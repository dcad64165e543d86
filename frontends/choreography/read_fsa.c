/* Reads .fsa (also .fsm) text: the grammar. What it finds goes to fsa_builder.c, which knows the names.
 *
 *   file   = { block }
 *   block  = ".outputs" [ NAME ] { transition | ".state" "graph" | ".marking" STATE | final } ".end"     one item a
 * line final  = "--@" "final" { STATE } transition = STATE PARTNER ( "!" | "?" ) MESSAGE STATE
 *
 * This is the text form of communicating finite-state machines that GMC, KMC and Chorgram read. A partner made of
 * digits is a block number counted from 0, any other word is a block's name, and so is everything in quotes. A block
 * without a name is called M and its number. `final` is ours, and written so that the others see a comment; any other
 * `--` begins one here too. After an error reading goes on at the next line.
 * Threads: any number of readings at once, each on its own text and sink. Cost: O(size log size). */
#include "frontends/choreography/fsa_builder.h"

#include "core/base/check.h"

typedef struct fsa_reader {
  hdi_lexer lexer;
  hdi_fsa_builder builder;
  bool in_block;
  bool lost;  /* a line outside any block was reported: nothing more is said before the next block */
  bool go_on; /* false: memory is out or a limit is passed */
} fsa_reader;

static bool take_line_end(fsa_reader *reader) {
  return hdi_lexer_take(&reader->lexer, HDI_LINE_END, HDI_EXPECT_LINE_END, NULL);
}

static bool read_outputs(fsa_reader *reader, const hdi_token *keyword) {
  hdi_lexer *lexer = &reader->lexer;
  hdi_token name = lexer->token;
  bool named = name.kind == HDI_WORD;
  if (named) {
    hdi_lexer_next(lexer);
  }
  reader->in_block = true;
  reader->lost = false;
  reader->go_on = hdi_fsa_add_machine(&reader->builder, named ? &name : NULL, keyword->span);
  return reader->go_on && take_line_end(reader);
}

static bool read_graph(fsa_reader *reader, const hdi_token *keyword) {
  if (!hdi_lexer_at_word(&reader->lexer, "graph")) {
    hdi_lexer_unexpected(&reader->lexer, HDI_EXPECT_GRAPH);
    return false;
  }
  hdi_fsa_set_graph(&reader->builder, (hd_span){keyword->span.begin, reader->lexer.token.span.end});
  hdi_lexer_next(&reader->lexer);
  return take_line_end(reader);
}

static bool read_marking(fsa_reader *reader) {
  hdi_token state;
  if (!hdi_lexer_take(&reader->lexer, HDI_WORD, HDI_EXPECT_INITIAL, &state)) {
    return false;
  }
  reader->go_on = hdi_fsa_set_initial(&reader->builder, &state);
  return reader->go_on && take_line_end(reader);
}

/* `--@` is the current token. */
static bool read_pragma(fsa_reader *reader) {
  hdi_lexer *lexer = &reader->lexer;
  hdi_lexer_next(lexer);
  if (!hdi_lexer_at_word(lexer, "final")) {
    hdi_lexer_unexpected(lexer, HDI_EXPECT_FINAL);
    return false;
  }
  hdi_fsa_set_finals(&reader->builder);
  hdi_lexer_next(lexer);
  while (lexer->token.kind == HDI_WORD) {
    reader->go_on = hdi_fsa_add_final(&reader->builder, &lexer->token);
    if (!reader->go_on) {
      return false;
    }
    hdi_lexer_next(lexer);
  }
  return hdi_lexer_take(lexer, HDI_LINE_END, HDI_EXPECT_FINAL_STATE, NULL);
}

static bool read_end(fsa_reader *reader, const hdi_token *keyword) {
  reader->in_block = false;
  hdi_fsa_end_machine(&reader->builder, keyword->span);
  return take_line_end(reader);
}

/* `from` is taken already. */
static bool read_transition(fsa_reader *reader, const hdi_token *from) {
  hdi_lexer *lexer = &reader->lexer;
  hdi_transition_words words = {.from = *from};
  if (!hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_PARTNER, &words.partner)) {
    return false;
  }
  words.send = lexer->token.kind == HDI_BANG;
  if (!hdi_lexer_take(lexer, words.send ? HDI_BANG : HDI_QUERY, HDI_EXPECT_DIRECTION, NULL) ||
      !hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_MESSAGE, &words.message) ||
      !hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_TARGET, &words.to) || !take_line_end(reader)) {
    return false;
  }
  reader->go_on = hdi_fsa_add_transition(&reader->builder, &words);
  return reader->go_on;
}

/* One line that is not empty. False: the rest of it is to be skipped, or reading must stop. */
static bool read_item(fsa_reader *reader) {
  hdi_lexer *lexer = &reader->lexer;
  if (hdi_lexer_at_word(lexer, ".outputs")) {
    hdi_token keyword = lexer->token;
    if (reader->in_block) {
      hdi_lexer_unexpected(lexer, HDI_EXPECT_END);
    }
    hdi_lexer_next(lexer);
    return read_outputs(reader, &keyword);
  }
  if (!reader->in_block) {
    if (!reader->lost) {
      hdi_lexer_unexpected(lexer, HDI_EXPECT_OUTPUTS);
    }
    reader->lost = true;
    return false;
  }
  if (lexer->token.kind == HDI_PRAGMA) {
    return read_pragma(reader);
  }
  bool directive = lexer->token.kind == HDI_WORD && !lexer->token.quoted && lexer->token.data[0] == '.';
  bool known =
      hdi_lexer_at_word(lexer, ".state") || hdi_lexer_at_word(lexer, ".marking") || hdi_lexer_at_word(lexer, ".end");
  if (directive && !known) {
    hdi_lexer_unexpected(lexer, HDI_EXPECT_FSA_LINE);
    return false;
  }
  hdi_token word;
  if (!hdi_lexer_take(lexer, HDI_WORD, HDI_EXPECT_FSA_LINE, &word)) {
    return false;
  }
  if (hdi_token_is(&word, ".state")) {
    return read_graph(reader, &word);
  }
  if (hdi_token_is(&word, ".marking")) {
    return read_marking(reader);
  }
  return hdi_token_is(&word, ".end") ? read_end(reader, &word) : read_transition(reader, &word);
}

static void read_lines(fsa_reader *reader) {
  hdi_lexer *lexer = &reader->lexer;
  while (reader->go_on && lexer->token.kind != HDI_FILE_END) {
    if (lexer->token.kind == HDI_LINE_END) {
      hdi_lexer_next(lexer);
    } else if (!read_item(reader)) {
      hdi_lexer_skip_line(lexer);
    }
  }
  if (reader->go_on && reader->in_block) {
    hdi_lexer_unexpected(lexer, HDI_EXPECT_END);
  }
}

hd_status hdi_fsa_read_limited(const hd_text *text, hd_diag *diag, uint32_t items_max, hd_system **out) {
  HD_REQUIRE(text != NULL && out != NULL && items_max <= HDI_ITEMS_MAX);
  *out = NULL;
  fsa_reader reader = {.go_on = true};
  if (!hdi_lexer_open(&reader.lexer, text, diag, HDI_FSA)) {
    return HD_E_INPUT;
  }
  if (hdi_fsa_builder_open(&reader.builder, &reader.lexer, items_max)) {
    read_lines(&reader);
    *out = reader.go_on ? hdi_fsa_finish(&reader.builder) : NULL;
  }
  hdi_fsa_builder_close(&reader.builder);
  if (*out != NULL) {
    return HD_OK;
  }
  return reader.lexer.status != HD_OK ? reader.lexer.status : HD_E_INPUT;
}

hd_status hd_fsa_read(const hd_text *text, hd_diag *diag, hd_system **out) {
  return hdi_fsa_read_limited(text, diag, HDI_ITEMS_MAX, out);
}
