/* Reads Singularity channel contracts (contract.h).
 *
 *   file     = { contract }
 *   contract = { modifier | attribute } "contract" NAME "{" { message | state } "}" [ ";" ]
 *   message  = { attribute } [ "in" | "out" ] "message" NAME [ "(" ... ")" ] ";"
 *   state    = "state" NAME ":" [ "one" ] ( "{" { sequence ";" } "}" [ ";" ] | sequence ";" )
 *   sequence = act { "->" act } [ "->" STATE ]         act = NAME [ "?" | "!" ]
 *
 * The contract is seen from the server: `M?` and an `in` message go from client to server, `M!` and an `out` message
 * back. A name without a mark is the state that the sequence goes on with when it is the last one and a state is called
 * so, otherwise a message that must be declared. Messages with a mark need no declaration. The initial state is the one
 * called Start or START, without one the first.
 *
 * What was read is written as .chor text and read by read_chor.c, which checks the whole; spans then get the places in
 * the contract, since both have their states and transitions in the same order. A mistake is told where it is, and
 * reading goes on behind the next `;` or `}`.
 * Threads: any number of readings at once. Cost: O(size) expected, names compared one by one. */
#include "frontends/choreography/contract.h"

#include "core/base/buffer.h"

#include <stdlib.h>
#include <string.h>

typedef enum token_kind {
  WORD,
  ARROW,
  OPEN,
  CLOSE,
  PAREN,
  THESIS,
  SQUARE,
  COLON,
  SEMICOLON,
  QUERY,
  BANG,
  ODD,
  END
} token_kind;

typedef struct token {
  token_kind kind;
  hd_span span;
} token;

typedef enum direction { EITHER, IN, OUT } direction;

typedef struct message {
  hd_span name;
  direction way;
} message;

typedef struct act {
  hd_span name;
  direction mark; /* EITHER: none */
} act;

/* One sequence of a state: acts[first .. first + count). */
typedef struct sequence {
  uint32_t state, first, count;
} sequence;

typedef struct state {
  hd_span name;
  uint32_t contract;
} state;

typedef struct contract {
  hd_span name;
  uint32_t first_state, first_message; /* into the reader's tables */
  uint32_t states_at, close_at;        /* offsets of its first `state` and of its `}` */
  uint32_t headers;                    /* states with a header in the .chor text */
} contract;

#define HD_ARRAY_NAME messages
#define HD_ARRAY_TYPE message
#include "core/base/array.h"
#define HD_ARRAY_NAME acts
#define HD_ARRAY_TYPE act
#include "core/base/array.h"
#define HD_ARRAY_NAME sequences
#define HD_ARRAY_TYPE sequence
#include "core/base/array.h"
#define HD_ARRAY_NAME states
#define HD_ARRAY_TYPE state
#include "core/base/array.h"
#define HD_ARRAY_NAME contracts
#define HD_ARRAY_TYPE contract
#include "core/base/array.h"
#define HD_ARRAY_NAME spans
#define HD_ARRAY_TYPE hd_span
#include "core/base/array.h"

typedef struct reader {
  const hd_text *text;
  hd_diag *diag;
  uint32_t at;
  token now;
  bool wrong;       /* something was reported */
  hd_status status; /* memory */
  messages messages;
  acts acts;
  sequences sequences;
  states states;
  contracts contracts;
  spans arc_spans, state_spans; /* of the .chor text, in its order */
} reader;

/* ---- tokens ---- */

static bool is_name_byte(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* Moves behind blanks and comments. */
static void skip_blanks(reader *r) {
  const char *data = r->text->data;
  uint32_t end = (uint32_t)r->text->size_bytes;
  for (;;) {
    while (r->at < end && (data[r->at] == ' ' || (data[r->at] >= '\t' && data[r->at] <= '\r'))) {
      r->at++;
    }
    if (r->at + 1 < end && data[r->at] == '/' && data[r->at + 1] == '/') {
      while (r->at < end && data[r->at] != '\n') {
        r->at++;
      }
    } else if (r->at + 1 < end && data[r->at] == '/' && data[r->at + 1] == '*') {
      r->at += 2;
      while (r->at < end && !(data[r->at - 1] == '*' && data[r->at] == '/')) {
        r->at++;
      }
      r->at += r->at < end ? 1 : 0;
    } else {
      return;
    }
  }
}

static void next(reader *r) {
  skip_blanks(r);
  const char *data = r->text->data;
  uint32_t end = (uint32_t)r->text->size_bytes, begin = r->at;
  static const char marks[] = "{}()[:;?!";
  static const token_kind kinds[] = {OPEN, CLOSE, PAREN, THESIS, SQUARE, COLON, SEMICOLON, QUERY, BANG};
  r->now = (token){END, {begin, begin}};
  if (begin >= end) {
    return;
  }
  const char *mark = data[begin] == '\0' ? NULL : strchr(marks, data[begin]);
  r->at = begin + 1;
  r->now.kind = ODD;
  if (mark != NULL) {
    r->now.kind = kinds[mark - marks];
  } else if (data[begin] == '-' && r->at < end && data[r->at] == '>') {
    r->at++;
    r->now.kind = ARROW;
  } else if (is_name_byte(data[begin], true)) {
    while (r->at < end && is_name_byte(data[r->at], false)) {
      r->at++;
    }
    r->now.kind = WORD;
  }
  r->now.span.end = r->at;
}

static bool is_word(const reader *r, hd_span span, const char *word) {
  size_t length = span.end - span.begin;
  return strlen(word) == length && memcmp(r->text->data + span.begin, word, length) == 0;
}

static bool at_word(const reader *r, const char *word) {
  return r->now.kind == WORD && is_word(r, r->now.span, word);
}

static bool same_name(const reader *r, hd_span a, hd_span b) {
  return a.end - a.begin == b.end - b.begin &&
         memcmp(r->text->data + a.begin, r->text->data + b.begin, a.end - a.begin) == 0;
}

static bool keep(reader *r, hd_status status) {
  r->status = r->status == HD_OK ? status : r->status;
  return status == HD_OK;
}

/* ---- reports ---- */

static bool unexpected(reader *r, const char *expected) {
  r->wrong = true;
  hd_span span = r->now.span;
  if (r->now.kind == END) {
    hd_diag_add(r->diag, HD_DIAG_SYNTAX, r->text, span, expected, "unexpected end of the file");
  } else {
    int length = span.end - span.begin > 60 ? 60 : (int)(span.end - span.begin);
    hd_diag_add(r->diag, HD_DIAG_SYNTAX, r->text, span, expected, "unexpected '%.*s'", length,
                r->text->data + span.begin);
  }
  return false;
}

static bool wrong_name(reader *r, hd_span span, const char *hint, const char *what) {
  r->wrong = true;
  int length = span.end - span.begin > 60 ? 60 : (int)(span.end - span.begin);
  hd_diag_add(r->diag, HD_DIAG_NAME, r->text, span, hint, "'%.*s' %s", length, r->text->data + span.begin, what);
  return false;
}

static bool take(reader *r, token_kind kind, const char *expected, hd_span *span) {
  if (r->now.kind != kind) {
    return unexpected(r, expected);
  }
  if (span != NULL) {
    *span = r->now.span;
  }
  next(r);
  return true;
}

/* Behind the next `;` or `}` that closes what is open; before a `}` that does not. */
static void recover(reader *r) {
  uint32_t depth = 0;
  for (; r->now.kind != END; next(r)) {
    if (r->now.kind == OPEN) {
      depth++;
    } else if (r->now.kind == CLOSE) {
      if (depth == 0) {
        return;
      }
      if (--depth == 0) {
        next(r);
        return;
      }
    } else if (r->now.kind == SEMICOLON && depth == 0) {
      next(r);
      return;
    }
  }
}

/* [ ... ] groups before a declaration; nothing in them matters here. */
static bool skip_attributes(reader *r) {
  while (r->now.kind == SQUARE) {
    const char *data = r->text->data;
    bool quoted = false; /* a bracket in a string ends nothing */
    while (r->at < r->text->size_bytes && (quoted || data[r->at] != ']')) {
      quoted = data[r->at] == '"' ? !quoted : quoted;
      r->at++;
    }
    if (r->at >= r->text->size_bytes) {
      return unexpected(r, "expected ']' at the end of the attribute");
    }
    r->at++;
    next(r);
  }
  return true;
}

static bool skip_parameters(reader *r) {
  if (r->now.kind != PAREN) {
    return true;
  }
  uint32_t depth = 0;
  do {
    depth += r->now.kind == PAREN ? 1 : 0;
    depth -= r->now.kind == THESIS ? 1 : 0;
    if (r->now.kind == END) {
      return unexpected(r, "expected ')' at the end of the parameters");
    }
    next(r);
  } while (depth > 0);
  return true;
}

/* ---- the grammar ---- */

static bool read_message(reader *r) {
  message m = {.way = at_word(r, "in") ? IN : at_word(r, "out") ? OUT : EITHER};
  if (m.way != EITHER) {
    next(r);
  }
  if (!at_word(r, "message")) {
    return unexpected(r, "expected 'message'");
  }
  next(r);
  if (!take(r, WORD, "expected the name of a message", &m.name) || !skip_parameters(r) ||
      !take(r, SEMICOLON, "expected ';' after the message", NULL)) {
    return false;
  }
  uint32_t first = r->contracts.data[r->contracts.count - 1].first_message;
  for (size_t i = first; i < r->messages.count; i++) {
    if (same_name(r, r->messages.data[i].name, m.name)) {
      return wrong_name(r, m.name, "expected one declaration for each message", "is declared twice");
    }
  }
  return keep(r, messages_push(&r->messages, m));
}

static bool read_sequence(reader *r, uint32_t of_state) {
  sequence s = {.state = of_state, .first = (uint32_t)r->acts.count};
  for (;;) {
    act a = {.mark = EITHER};
    if (!take(r, WORD, "expected a message, or the name of a state at the end", &a.name)) {
      return false;
    }
    if (r->now.kind == QUERY || r->now.kind == BANG) {
      a.mark = r->now.kind == QUERY ? IN : OUT;
      next(r);
    }
    if (!keep(r, acts_push(&r->acts, a))) {
      return false;
    }
    s.count++;
    if (r->now.kind != ARROW) {
      break;
    }
    next(r);
  }
  return take(r, SEMICOLON, "expected '->', or ';' at the end of the sequence", NULL) &&
         keep(r, sequences_push(&r->sequences, s));
}

static bool read_state(reader *r) {
  state s = {.contract = (uint32_t)r->contracts.count - 1};
  next(r);
  if (!take(r, WORD, "expected the name of a state", &s.name) ||
      !take(r, COLON, "expected ':' after the state", NULL)) {
    return false;
  }
  for (size_t i = r->contracts.data[s.contract].first_state; i < r->states.count; i++) {
    if (same_name(r, r->states.data[i].name, s.name)) {
      return wrong_name(r, s.name, "expected one definition for each state", "is defined twice");
    }
  }
  uint32_t number = (uint32_t)r->states.count;
  if (!keep(r, states_push(&r->states, s))) {
    return false;
  }
  if (at_word(r, "one")) {
    next(r);
  }
  if (r->now.kind != OPEN) {
    return read_sequence(r, number);
  }
  next(r);
  while (r->now.kind != CLOSE) {
    if (!read_sequence(r, number)) {
      if (r->now.kind == END || r->status != HD_OK) {
        return false;
      }
      recover(r);
    }
  }
  next(r);
  if (r->now.kind == SEMICOLON) {
    next(r);
  }
  return true;
}

static bool read_contract(reader *r) {
  static const char *const modifiers[] = {"public", "private", "protected", "internal", "sealed", NULL};
  if (!skip_attributes(r)) {
    return false;
  }
  for (size_t i = 0; modifiers[i] != NULL; i++) {
    if (at_word(r, modifiers[i])) {
      next(r);
      i = (size_t)-1;
    }
  }
  if (!at_word(r, "contract")) {
    return unexpected(r, "expected 'contract'");
  }
  next(r);
  contract c = {.first_state = (uint32_t)r->states.count, .first_message = (uint32_t)r->messages.count};
  if (!take(r, WORD, "expected the name of the contract", &c.name) ||
      !take(r, OPEN, "expected '{' after the contract's name (contracts that extend others are not read)", NULL)) {
    return false;
  }
  for (size_t i = 0; i < r->contracts.count; i++) {
    if (same_name(r, r->contracts.data[i].name, c.name)) {
      return wrong_name(r, c.name, "expected another name", "is defined twice");
    }
  }
  if (!keep(r, contracts_push(&r->contracts, c))) {
    return false;
  }
  contract *mine = &r->contracts.data[r->contracts.count - 1];
  while (r->now.kind != CLOSE && r->now.kind != END && r->status == HD_OK) {
    if (mine->states_at == 0 && at_word(r, "state")) {
      mine->states_at = r->now.span.begin;
    }
    bool good = skip_attributes(r) && (at_word(r, "state") ? read_state(r) : read_message(r));
    if (!good) {
      recover(r);
    }
  }
  mine->close_at = r->now.span.begin;
  if (!take(r, CLOSE, "expected '}' at the end of the contract", NULL)) {
    return false;
  }
  if (r->now.kind == SEMICOLON) {
    next(r);
  }
  if (r->states.count == c.first_state && !r->wrong) {
    return wrong_name(r, c.name, "expected a state", "has no state");
  }
  return true;
}

/* ---- names and directions ---- */

static uint32_t end_of_contract(const reader *r, uint32_t c, bool of_states) {
  bool last = c + 1 == r->contracts.count;
  if (of_states) {
    return last ? (uint32_t)r->states.count : r->contracts.data[c + 1].first_state;
  }
  return last ? (uint32_t)r->messages.count : r->contracts.data[c + 1].first_message;
}

static uint32_t find_state(const reader *r, uint32_t c, hd_span name) {
  for (uint32_t s = r->contracts.data[c].first_state; s < end_of_contract(r, c, true); s++) {
    if (same_name(r, r->states.data[s].name, name)) {
      return s;
    }
  }
  return HD_NONE;
}

/* Settles a message's direction in act->mark. */
static bool settle_direction(reader *r, uint32_t c, act *a) {
  for (uint32_t m = r->contracts.data[c].first_message; m < end_of_contract(r, c, false); m++) {
    const message *known = &r->messages.data[m];
    if (!same_name(r, known->name, a->name)) {
      continue;
    }
    if (a->mark == EITHER && known->way == EITHER) {
      return wrong_name(r, a->name, "expected '?' (client to server) or '!' (server to client)", "needs a direction");
    }
    if (a->mark != EITHER && known->way != EITHER && a->mark != known->way) {
      return wrong_name(r, a->name, known->way == IN ? "expected '?'" : "expected '!'",
                        known->way == IN ? "is an 'in' message" : "is an 'out' message");
    }
    a->mark = a->mark == EITHER ? known->way : a->mark;
    return true;
  }
  return a->mark != EITHER || wrong_name(r, a->name, "expected a message that is declared, or one with '?' or '!'",
                                         "is neither a message nor a state");
}

/* ---- the same as .chor ---- */

static void add_name(const reader *r, hd_span name, hd_buffer *out) {
  hd_buffer_add(out, r->text->data + name.begin, name.end - name.begin);
}

/* The name of the state before act `upto` of the sequence: its state, then the messages so far. A state between two
 * messages is shared by the sequences of one state that begin alike only when they end alike too, so the number of the
 * sequence is part of its name where two begin alike. */
static void add_place(const reader *r, const sequence *s, uint32_t upto, hd_buffer *out) {
  add_name(r, r->states.data[s->state].name, out);
  for (uint32_t i = 0; i < upto; i++) {
    hd_buffer_add_text(out, ".");
    add_name(r, r->acts.data[s->first + i].name, out);
  }
  if (upto == 0) {
    return;
  }
  uint32_t twins = 0;
  for (const sequence *other = r->sequences.data; other < s; other++) {
    bool alike = other->state == s->state && other->count >= upto;
    for (uint32_t i = 0; i < upto && alike; i++) {
      alike = same_name(r, r->acts.data[other->first + i].name, r->acts.data[s->first + i].name);
    }
    twins += alike ? 1 : 0;
  }
  if (twins > 0) {
    hd_buffer_printf(out, ".%u", twins);
  }
}

static void add_peer(const reader *r, uint32_t c, char peer, hd_buffer *out) {
  hd_buffer_add(out, &peer, 1);
  if (r->contracts.count > 1) {
    hd_buffer_add_text(out, ".");
    add_name(r, r->contracts.data[c].name, out);
  }
}

static bool add_arc(reader *r, uint32_t c, const sequence *s, uint32_t i, bool named_end, hd_buffer *out) {
  const act *a = &r->acts.data[s->first + i];
  uint32_t acts_of = s->count - (named_end ? 1 : 0);
  hd_buffer_add_text(out, "  ");
  add_peer(r, c, a->mark == IN ? 'C' : 'S', out);
  hd_buffer_add_text(out, " -> ");
  add_peer(r, c, a->mark == IN ? 'S' : 'C', out);
  hd_buffer_add_text(out, " : ");
  add_name(r, a->name, out);
  hd_buffer_add_text(out, " => ");
  if (i + 1 == acts_of && named_end) {
    add_name(r, r->acts.data[s->first + acts_of].name, out);
  } else {
    add_place(r, s, i + 1, out);
  }
  hd_buffer_add_text(out, "\n");
  return keep(r, spans_push(&r->arc_spans, a->name));
}

/* Is the last act of the sequence the state that it goes on with? Errors are told. */
static bool check_sequence(reader *r, uint32_t c, const sequence *s, bool *named_end) {
  act *last = &r->acts.data[s->first + s->count - 1];
  *named_end = last->mark == EITHER && find_state(r, c, last->name) != HD_NONE;
  if (*named_end && s->count == 1) {
    return wrong_name(r, last->name, "expected a message first", "is a state");
  }
  bool good = true;
  for (uint32_t i = 0; i < s->count - (*named_end ? 1 : 0); i++) {
    good = settle_direction(r, c, &r->acts.data[s->first + i]) && good;
  }
  return good;
}

static bool add_header(reader *r, uint32_t c, hd_span span, hd_buffer *out) {
  hd_buffer_add_text(out, ":\n");
  r->contracts.data[c].headers++;
  return keep(r, spans_push(&r->state_spans, span));
}

static bool is_start(const reader *r, uint32_t s) {
  return is_word(r, r->states.data[s].name, "Start") || is_word(r, r->states.data[s].name, "START");
}

/* The states of one contract: first the named ones, each with its sequences' first messages, then those between. */
static void write_contract(reader *r, uint32_t c, hd_buffer *out) {
  hd_buffer_add_text(out, "choreography ");
  add_name(r, r->contracts.data[c].name, out);
  hd_buffer_add_text(out, "\npeers ");
  add_peer(r, c, 'C', out);
  hd_buffer_add_text(out, ", ");
  add_peer(r, c, 'S', out);
  hd_buffer_add_text(out, "\n");
  for (uint32_t s = r->contracts.data[c].first_state; s < end_of_contract(r, c, true); s++) {
    hd_buffer_add_text(out, is_start(r, s) && s != r->contracts.data[c].first_state ? "initial state " : "state ");
    add_name(r, r->states.data[s].name, out);
    add_header(r, c, r->states.data[s].name, out);
    for (size_t q = 0; q < r->sequences.count; q++) {
      const sequence *sequence_of = &r->sequences.data[q];
      bool named_end = false;
      if (sequence_of->state == s && check_sequence(r, c, sequence_of, &named_end)) {
        add_arc(r, c, sequence_of, 0, named_end, out);
      }
    }
  }
  for (size_t q = 0; q < r->sequences.count; q++) {
    const sequence *s = &r->sequences.data[q];
    bool named_end = s->count > 0 && r->acts.data[s->first + s->count - 1].mark == EITHER;
    for (uint32_t i = 1; r->states.data[s->state].contract == c && i < s->count - (named_end ? 1 : 0); i++) {
      hd_buffer_add_text(out, "state ");
      add_place(r, s, i, out);
      add_header(r, c, r->acts.data[s->first + i].name, out);
      add_arc(r, c, s, i, named_end, out);
    }
  }
}

/* Gives the file, read from the text that was written, the contract's text and places. */
static void move_spans(const reader *r, hd_chor_file *file) {
  uint32_t arc = 0, named = 0;
  for (uint32_t b = 0; b < file->block_count; b++) {
    hd_chor *chor = &file->blocks[b];
    chor->span = r->contracts.data[b].name;
    for (uint32_t s = 0; s < chor->state_count; s++) { /* those with headers come first, in the order of the headers */
      chor->states[s].span = s < r->contracts.data[b].headers ? r->state_spans.data[named++] : chor->span;
    }
    for (uint32_t a = 0; a < chor->arc_count; a++) {
      chor->arcs[a].span = r->arc_spans.data[arc++];
    }
  }
  for (uint32_t m = 0; m < file->alphabet.message_count; m++) {
    file->alphabet.messages[m].first = r->contracts.data[0].name;
  }
  for (uint32_t b = file->block_count; b > 0; b--) {
    const hd_chor *chor = &file->blocks[b - 1];
    for (uint32_t a = chor->arc_count; a > 0; a--) {
      file->alphabet.messages[chor->arcs[a - 1].message.v].first = chor->arcs[a - 1].span;
    }
  }
  file->text = r->text;
}

static hd_status convert(reader *r, hd_chor_file **out) {
  hd_buffer chor = {0};
  for (uint32_t c = 0; c < r->contracts.count; c++) {
    write_contract(r, c, &chor);
  }
  hd_text *text = NULL;
  hd_diag *diag = hd_diag_new();
  hd_status status = r->status != HD_OK ? r->status
                     : r->wrong         ? HD_E_INPUT
                     : chor.failed || diag == NULL
                         ? HD_E_NOMEM
                         : hd_text_from_bytes(r->text->name, chor.data, chor.size_bytes, &text);
  if (status == HD_OK) {
    status = hd_chor_read(text, diag, out);
    if (status == HD_E_INPUT) { /* what only the whole shows, a contract without messages for instance */
      for (size_t i = 0; i < hd_diag_count(diag); i++) {
        const hd_diagnostic *told = hd_diag_get(diag, i);
        hd_diag_add(r->diag, told->code, r->text, r->contracts.data[0].name, told->hint, "%s", told->message);
      }
    }
  }
  if (status == HD_OK) {
    move_spans(r, *out);
  }
  hd_diag_free(diag);
  hd_text_free(text);
  hd_buffer_free(&chor);
  return status;
}

static void free_reader(reader *r) {
  messages_free(&r->messages);
  acts_free(&r->acts);
  sequences_free(&r->sequences);
  states_free(&r->states);
  contracts_free(&r->contracts);
  spans_free(&r->arc_spans);
  spans_free(&r->state_spans);
}

hd_status hd_contract_read(const hd_text *text, hd_diag *diag, hd_chor_file **out) {
  reader r = {.text = text, .diag = diag};
  *out = NULL;
  next(&r);
  bool good = r.now.kind != END || unexpected(&r, "expected 'contract'");
  while (good && r.now.kind != END && r.status == HD_OK) {
    good = read_contract(&r);
  }
  hd_status status = r.status != HD_OK ? r.status : r.wrong ? HD_E_INPUT : HD_OK;
  if (status == HD_OK) {
    status = convert(&r, out);
  }
  free_reader(&r);
  return status;
}

hd_status hdi_contract_places(const hd_text *text, uint32_t index, uint32_t *states_at, uint32_t *close_at) {
  reader r = {.text = text};
  next(&r);
  while (r.now.kind != END && r.status == HD_OK && r.contracts.count <= index && read_contract(&r)) {}
  if (r.contracts.count > index) {
    *states_at = r.contracts.data[index].states_at;
    *close_at = r.contracts.data[index].close_at;
  }
  hd_status status = r.status != HD_OK ? r.status : r.contracts.count > index ? HD_OK : HD_E_INTERNAL;
  free_reader(&r);
  return status;
}

bool hd_contract_sniff(const hd_text *text) {
  reader r = {.text = text};
  next(&r);
  while (r.now.kind == SQUARE && skip_attributes(&r)) {}
  while (at_word(&r, "public") || at_word(&r, "private") || at_word(&r, "internal")) {
    next(&r);
  }
  return at_word(&r, "contract");
}
