/* Finds again in the text what the reader made of each line (draft_lines.h).
 *
 * The reader numbers a block's states by their headers and leaves arcs in the order of the text (chor_builder.c). So
 * the nth header of a block is state n and arcs are met in the order of their numbers; an arc that is not the next one
 * by its span repeats an earlier one of its state. The text was read without errors, so the grammar of read_chor.c is
 * only followed here, not checked. Threads: any. Cost: see the header. */
#include "frontends/choreography/draft_lines.h"

#include "core/base/check.h"
#include "frontends/choreography/lexer.h"

#include <string.h>

typedef struct scanner {
  const hd_chor_file *file;
  hdi_lexer lexer;
  hdi_line *lines;
  uint32_t count;
  uint32_t number;        /* of the current line of the text */
  uint32_t block;         /* HD_NONE before the first statement */
  uint32_t headers, arcs; /* of the block, met so far */
} scanner;

static hdi_token take(scanner *s) {
  hdi_token token = s->lexer.token;
  hdi_lexer_next(&s->lexer);
  return token;
}

static bool is_called(const hdi_token *token, const char *name) {
  return strlen(name) == token->length && memcmp(token->data, name, token->length) == 0;
}

/* The arc of the current state that these words say, met before. */
static uint32_t find_repeated(const scanner *s, const hdi_token words[4]) {
  const hd_chor *chor = &s->file->blocks[s->block];
  const hd_alphabet *alphabet = &s->file->alphabet;
  for (uint32_t a = chor->first_arc[s->headers - 1]; a < s->arcs; a++) {
    const hd_message_info *message = &alphabet->messages[chor->arcs[a].message.v];
    if (is_called(&words[0], alphabet->peers[message->from.v]) &&
        is_called(&words[1], alphabet->peers[message->to.v]) && is_called(&words[2], message->name) &&
        is_called(&words[3], chor->states[chor->arcs[a].to].name)) {
      return a;
    }
  }
  return HD_NONE;
}

/* `from -> to : message => target`; `from` is taken, the arrow is next. */
static void scan_arc(scanner *s, hdi_token from, hdi_line *line) {
  const hd_chor *chor = &s->file->blocks[s->block];
  hdi_token words[4] = {from};
  for (uint32_t i = 1; i < 4; i++) {
    (void)take(s); /* -> : => */
    words[i] = take(s);
  }
  line->arc_span = (hd_span){from.span.begin, words[3].span.end};
  bool next = s->arcs < chor->arc_count && chor->arcs[s->arcs].span.begin == from.span.begin;
  line->repeated = !next;
  line->arc = next ? s->arcs++ : find_repeated(s, words);
  HD_ASSERT(line->arc != HD_NONE);
}

/* A header whose first word is taken. */
static void scan_header(scanner *s, hdi_token word, hdi_line *line) {
  while (!hdi_token_is(&word, "state")) {
    bool initial = hdi_token_is(&word, "initial");
    if (initial) {
      line->initial_word = (hd_span){word.span.begin, s->lexer.token.span.begin};
    }
    word = take(s);
  }
  (void)take(s); /* the name */
  line->state = s->headers++;
  line->header_end = take(s).span.end;
  if (s->lexer.token.kind == HDI_WORD) {
    hdi_token from = take(s);
    scan_arc(s, from, line);
  }
}

static void scan_rule(scanner *s, hdi_line *line) {
  line->is_rule = true;
  line->rule[0] = take(s).span;
  (void)take(s); /* , or .. */
  line->rule[1] = take(s).span;
}

static void scan_statement(scanner *s, hdi_line *line) {
  hdi_token word = take(s);
  bool arc = s->lexer.token.kind == HDI_ARROW;
  bool begins = !arc && hdi_token_is(&word, "choreography");
  if (begins || s->block == HD_NONE) {
    s->block = s->block == HD_NONE ? 0 : s->block + 1;
    s->headers = s->arcs = 0;
  }
  line->block = s->block;
  if (arc) {
    scan_arc(s, word, line);
  } else if (hdi_token_is(&word, "never")) {
    scan_rule(s, line);
  } else if (!begins && !hdi_token_is(&word, "peers")) {
    scan_header(s, word, line);
  }
  while (s->lexer.token.kind != HDI_LINE_END) {
    hdi_lexer_next(&s->lexer);
  }
  line->last = s->lexer.token.span.begin;
}

static void scan_line(scanner *s) {
  const hd_text *text = s->file->text;
  uint32_t word = s->lexer.token.span.begin, size = (uint32_t)text->size_bytes;
  while (s->number + 1 < text->line_count && text->line_starts[s->number + 1] <= word) {
    s->number++;
  }
  hdi_line *line = &s->lines[s->count++];
  *line = (hdi_line){.number = s->number, .word = word, .state = HD_NONE, .arc = HD_NONE};
  line->begin = text->line_starts[s->number];
  if (s->number == 0 && strncmp(text->data, "\xEF\xBB\xBF", 3) == 0) {
    line->begin = 3;
  }
  line->next = s->number + 1 < text->line_count ? text->line_starts[s->number + 1] : size;
  scan_statement(s, line);
}

hd_status hdi_lines_scan(const hd_chor_file *file, hd_arena *arena, hdi_line **lines, uint32_t *count) {
  scanner s = {.file = file, .block = HD_NONE};
  s.lines = hd_arena_alloc_array(arena, file->text->line_count, sizeof s.lines[0]);
  if (s.lines == NULL) {
    return HD_E_NOMEM;
  }
  bool readable = hdi_lexer_open(&s.lexer, file->text, NULL, HDI_CHOR);
  HD_REQUIRE(readable);
  while (s.lexer.token.kind != HDI_FILE_END) {
    if (s.lexer.token.kind == HDI_LINE_END) {
      hdi_lexer_next(&s.lexer);
    } else {
      scan_line(&s);
    }
  }
  HD_ASSERT(s.block + 1 == file->block_count);
  *lines = s.lines;
  *count = s.count;
  return HD_OK;
}
