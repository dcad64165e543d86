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
#include "frontends/choreography/contract_tokens.h"

#include <stdlib.h>
#include <string.h>

typedef enum direction { EITHER, IN, OUT } direction;

typedef struct message {
  hd_span name;
  direction way;
} message;

typedef struct act {
  hd_span name;
  uint32_t word;  /* the same for the same name */
  direction mark; /* EITHER: none */
} act;

/* States between messages have names that show the way to them, as far as so many messages from a named one. */
enum { PATH_ACTS_MAX = 3 };

/* One sequence of a state: acts[first .. first + count). */
typedef struct sequence {
  uint32_t state, first, count;
  uint32_t twins[PATH_ACTS_MAX]; /* earlier sequences of the state that begin with the same 1, 2, 3 names */
} sequence;

typedef struct state {
  hd_span name;
  uint32_t contract;
} state;

typedef struct contract {
  hd_span name;
  uint32_t first_state;         /* into the reader's table */
  uint32_t states_at, close_at; /* offsets of its first `state` and of its `}` */
  uint32_t headers;             /* states with a header in the .chor text */
} contract;

/* A word of the text, in a scope: what is declared where, and which names are the same. */
typedef struct scoped_word {
  const char *text;
  uint32_t length, scope;
} scoped_word;

#define HD_MAP_NAME word_numbers
#define HD_MAP_KEY scoped_word
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) (hd_hash_bytes((key).text, (key).length) + (key).scope * UINT64_C(0x9e3779b97f4a7c15))
#define HD_MAP_EQUAL(a, b) \
  ((a).length == (b).length && (a).scope == (b).scope && memcmp((a).text, (b).text, (a).length) == 0)
#include "core/base/map.h"

/* The first words of a sequence; the rest of the array is HD_NONE. */
typedef struct beginning {
  uint32_t state, words[PATH_ACTS_MAX];
} beginning;

#define HD_MAP_NAME beginnings
#define HD_MAP_KEY beginning
#define HD_MAP_VALUE uint32_t
#define HD_MAP_HASH(key) hd_hash_bytes(&(key), sizeof(key))
#define HD_MAP_EQUAL(a, b) (memcmp(&(a), &(b), sizeof(a)) == 0)
#include "core/base/map.h"

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
  hdi_contract_tokens t;
  hd_diag *diag;
  bool wrong;       /* something was reported */
  hd_status status; /* memory */
  messages messages;
  acts acts;
  sequences sequences;
  states states;
  contracts contracts;
  spans arc_spans, state_spans; /* of the .chor text, in its order */
  word_numbers words;
  beginnings beginnings;
} reader;

/* Scopes of words: contracts, names in sequences, then messages and states of each contract. */
enum { CONTRACT_NAMES = 0, ACT_NAMES = 1, FIRST_SCOPE = 2 };

static uint32_t messages_of(uint32_t c) {
  return FIRST_SCOPE + 2 * c;
}

static uint32_t states_of(uint32_t c) {
  return FIRST_SCOPE + 2 * c + 1;
}

static bool keep(reader *r, hd_status status) {
  r->status = r->status == HD_OK ? status : r->status;
  return status == HD_OK;
}

static scoped_word word_of(const reader *r, hd_span name, uint32_t scope) {
  return (scoped_word){r->t.text->data + name.begin, name.end - name.begin, scope};
}

/* Gives the word of a scope a number unless it has one; *fresh: it had none. */
static bool number_word(reader *r, hd_span name, uint32_t scope, size_t number, bool *fresh) {
  return keep(r, word_numbers_put(&r->words, word_of(r, name, scope), (uint32_t)number, NULL, fresh));
}

/* HD_NONE: the scope has no such word. */
static uint32_t find_word(const reader *r, hd_span name, uint32_t scope) {
  const uint32_t *number = word_numbers_get(&r->words, word_of(r, name, scope));
  return number == NULL ? HD_NONE : *number;
}

/* ---- reports ---- */

static bool unexpected(reader *r, const char *expected) {
  r->wrong = true;
  hd_span span = r->t.now.span;
  if (r->t.now.kind == HDI_CONTRACT_END) {
    hd_diag_add(r->diag, HD_DIAG_SYNTAX, r->t.text, span, expected, "unexpected end of the file");
  } else {
    int length = span.end - span.begin > 60 ? 60 : (int)(span.end - span.begin);
    hd_diag_add(r->diag, HD_DIAG_SYNTAX, r->t.text, span, expected, "unexpected '%.*s'", length,
                r->t.text->data + span.begin);
  }
  return false;
}

static bool wrong_name(reader *r, hd_span span, const char *hint, const char *what) {
  r->wrong = true;
  int length = span.end - span.begin > 60 ? 60 : (int)(span.end - span.begin);
  hd_diag_add(r->diag, HD_DIAG_NAME, r->t.text, span, hint, "'%.*s' %s", length, r->t.text->data + span.begin, what);
  return false;
}

static bool take(reader *r, hdi_contract_kind kind, const char *expected, hd_span *span) {
  if (r->t.now.kind != kind) {
    return unexpected(r, expected);
  }
  if (span != NULL) {
    *span = r->t.now.span;
  }
  hdi_contract_next(&r->t);
  return true;
}

/* Behind the next `;` or `}` that closes what is open; before a `}` that does not. */
static void recover(reader *r) {
  uint32_t depth = 0;
  for (; r->t.now.kind != HDI_CONTRACT_END; hdi_contract_next(&r->t)) {
    if (r->t.now.kind == HDI_CONTRACT_OPEN) {
      depth++;
    } else if (r->t.now.kind == HDI_CONTRACT_CLOSE) {
      if (depth == 0) {
        return;
      }
      if (--depth == 0) {
        hdi_contract_next(&r->t);
        return;
      }
    } else if (r->t.now.kind == HDI_CONTRACT_SEMICOLON && depth == 0) {
      hdi_contract_next(&r->t);
      return;
    }
  }
}

/* [ ... ] groups before a declaration; nothing in them matters here. */
static bool skip_attributes(reader *r) {
  while (r->t.now.kind == HDI_CONTRACT_SQUARE) {
    const char *data = r->t.text->data;
    bool quoted = false; /* a bracket in a string ends nothing */
    while (r->t.at < r->t.text->size_bytes && (quoted || data[r->t.at] != ']')) {
      quoted = data[r->t.at] == '"' ? !quoted : quoted;
      r->t.at++;
    }
    if (r->t.at >= r->t.text->size_bytes) {
      return unexpected(r, "expected ']' at the end of the attribute");
    }
    r->t.at++;
    hdi_contract_next(&r->t);
  }
  return true;
}

static bool skip_parameters(reader *r) {
  if (r->t.now.kind != HDI_CONTRACT_PAREN) {
    return true;
  }
  uint32_t depth = 0;
  do {
    depth += r->t.now.kind == HDI_CONTRACT_PAREN ? 1 : 0;
    depth -= r->t.now.kind == HDI_CONTRACT_THESIS ? 1 : 0;
    if (r->t.now.kind == HDI_CONTRACT_END) {
      return unexpected(r, "expected ')' at the end of the parameters");
    }
    hdi_contract_next(&r->t);
  } while (depth > 0);
  return true;
}

/* ---- the grammar ---- */

static bool read_message(reader *r) {
  message m = {.way = hdi_contract_at_word(&r->t, "in") ? IN : hdi_contract_at_word(&r->t, "out") ? OUT : EITHER};
  if (m.way != EITHER) {
    hdi_contract_next(&r->t);
  }
  if (!hdi_contract_at_word(&r->t, "message")) {
    return unexpected(r, "expected 'message'");
  }
  hdi_contract_next(&r->t);
  if (!take(r, HDI_CONTRACT_WORD, "expected the name of a message", &m.name) || !skip_parameters(r) ||
      !take(r, HDI_CONTRACT_SEMICOLON, "expected ';' after the message", NULL)) {
    return false;
  }
  bool fresh = false;
  if (!number_word(r, m.name, messages_of((uint32_t)r->contracts.count - 1), r->messages.count, &fresh)) {
    return false;
  }
  return fresh ? keep(r, messages_push(&r->messages, m))
               : wrong_name(r, m.name, "expected one declaration for each message", "is declared twice");
}

/* The sequence goes on with this word: how many before it began with the same ones? */
static bool count_twins(reader *r, sequence *s, uint32_t word) {
  uint32_t at = s->count++;
  if (at >= PATH_ACTS_MAX) {
    return true;
  }
  beginning key = {.state = s->state};
  for (uint32_t i = 0; i < PATH_ACTS_MAX; i++) {
    key.words[i] = i < at ? r->acts.data[s->first + i].word : i == at ? word : HD_NONE;
  }
  uint32_t *before = NULL;
  if (!keep(r, beginnings_put(&r->beginnings, key, 0, &before, NULL))) {
    return false;
  }
  s->twins[at] = (*before)++;
  return true;
}

static bool read_sequence(reader *r, uint32_t of_state) {
  sequence s = {.state = of_state, .first = (uint32_t)r->acts.count};
  for (;;) {
    act a = {.mark = EITHER};
    if (!take(r, HDI_CONTRACT_WORD, "expected a message, or the name of a state at the end", &a.name)) {
      return false;
    }
    if (r->t.now.kind == HDI_CONTRACT_QUERY || r->t.now.kind == HDI_CONTRACT_BANG) {
      a.mark = r->t.now.kind == HDI_CONTRACT_QUERY ? IN : OUT;
      hdi_contract_next(&r->t);
    }
    bool fresh = false;
    bool known = number_word(r, a.name, ACT_NAMES, r->acts.count, &fresh);
    a.word = known ? find_word(r, a.name, ACT_NAMES) : HD_NONE;
    if (!known || !keep(r, acts_push(&r->acts, a)) || !count_twins(r, &s, a.word)) {
      return false;
    }
    if (r->t.now.kind != HDI_CONTRACT_ARROW) {
      break;
    }
    hdi_contract_next(&r->t);
  }
  return take(r, HDI_CONTRACT_SEMICOLON, "expected '->', or ';' at the end of the sequence", NULL) &&
         keep(r, sequences_push(&r->sequences, s));
}

static bool read_state(reader *r) {
  state s = {.contract = (uint32_t)r->contracts.count - 1};
  hdi_contract_next(&r->t);
  if (!take(r, HDI_CONTRACT_WORD, "expected the name of a state", &s.name) ||
      !take(r, HDI_CONTRACT_COLON, "expected ':' after the state", NULL)) {
    return false;
  }
  uint32_t number = (uint32_t)r->states.count;
  bool fresh = false;
  if (!number_word(r, s.name, states_of(s.contract), number, &fresh)) {
    return false;
  }
  if (!fresh) {
    return wrong_name(r, s.name, "expected one definition for each state", "is defined twice");
  }
  if (!keep(r, states_push(&r->states, s))) {
    return false;
  }
  if (hdi_contract_at_word(&r->t, "one")) {
    hdi_contract_next(&r->t);
  }
  if (r->t.now.kind != HDI_CONTRACT_OPEN) {
    return read_sequence(r, number);
  }
  hdi_contract_next(&r->t);
  while (r->t.now.kind != HDI_CONTRACT_CLOSE) {
    if (!read_sequence(r, number)) {
      if (r->t.now.kind == HDI_CONTRACT_END || r->status != HD_OK) {
        return false;
      }
      recover(r);
    }
  }
  hdi_contract_next(&r->t);
  if (r->t.now.kind == HDI_CONTRACT_SEMICOLON) {
    hdi_contract_next(&r->t);
  }
  return true;
}

static bool read_contract(reader *r) {
  static const char *const modifiers[] = {"public", "private", "protected", "internal", "sealed", NULL};
  if (!skip_attributes(r)) {
    return false;
  }
  for (size_t i = 0; modifiers[i] != NULL; i++) {
    if (hdi_contract_at_word(&r->t, modifiers[i])) {
      hdi_contract_next(&r->t);
      i = (size_t)-1;
    }
  }
  if (!hdi_contract_at_word(&r->t, "contract")) {
    return unexpected(r, "expected 'contract'");
  }
  hdi_contract_next(&r->t);
  contract c = {.first_state = (uint32_t)r->states.count};
  if (!take(r, HDI_CONTRACT_WORD, "expected the name of the contract", &c.name) ||
      !take(r, HDI_CONTRACT_OPEN, "expected '{' after the contract's name (contracts that extend others are not read)",
            NULL)) {
    return false;
  }
  bool fresh = false;
  if (!number_word(r, c.name, CONTRACT_NAMES, r->contracts.count, &fresh)) {
    return false;
  }
  if (!fresh) {
    return wrong_name(r, c.name, "expected another name", "is defined twice");
  }
  if (!keep(r, contracts_push(&r->contracts, c))) {
    return false;
  }
  contract *mine = &r->contracts.data[r->contracts.count - 1];
  while (r->t.now.kind != HDI_CONTRACT_CLOSE && r->t.now.kind != HDI_CONTRACT_END && r->status == HD_OK) {
    if (mine->states_at == 0 && hdi_contract_at_word(&r->t, "state")) {
      mine->states_at = r->t.now.span.begin;
    }
    bool good = skip_attributes(r) && (hdi_contract_at_word(&r->t, "state") ? read_state(r) : read_message(r));
    if (!good) {
      recover(r);
    }
  }
  mine->close_at = r->t.now.span.begin;
  if (!take(r, HDI_CONTRACT_CLOSE, "expected '}' at the end of the contract", NULL)) {
    return false;
  }
  if (r->t.now.kind == HDI_CONTRACT_SEMICOLON) {
    hdi_contract_next(&r->t);
  }
  if (r->states.count == c.first_state && !r->wrong) {
    return wrong_name(r, c.name, "expected a state", "has no state");
  }
  return true;
}

/* ---- names and directions ---- */

/* Behind its last state. */
static uint32_t end_of_contract(const reader *r, uint32_t c) {
  return c + 1 == r->contracts.count ? (uint32_t)r->states.count : r->contracts.data[c + 1].first_state;
}

/* Settles a message's direction in act->mark. */
static bool settle_direction(reader *r, uint32_t c, act *a) {
  uint32_t m = find_word(r, a->name, messages_of(c));
  if (m == HD_NONE) {
    return a->mark != EITHER || wrong_name(r, a->name, "expected a message that is declared, or one with '?' or '!'",
                                           "is neither a message nor a state");
  }
  const message *known = &r->messages.data[m];
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

/* ---- the same as .chor ---- */

static void add_name(const reader *r, hd_span name, hd_buffer *out) {
  hd_buffer_add(out, r->t.text->data + name.begin, name.end - name.begin);
}

/* The name of the state before act `upto` of the sequence: its state, then the messages so far, and, since sequences of
 * one state that begin alike share no state, the number of the sequence where there are some. Far from a named state it
 * is the state, the number of the act in the file, and the last message: constant in length, and no other name has a
 * number in the middle. */
static void add_place(const reader *r, const sequence *s, uint32_t upto, hd_buffer *out) {
  add_name(r, r->states.data[s->state].name, out);
  if (upto > PATH_ACTS_MAX) {
    hd_buffer_printf(out, ".%u.", (unsigned)(s->first + upto));
    add_name(r, r->acts.data[s->first + upto - 1].name, out);
    return;
  }
  for (uint32_t i = 0; i < upto; i++) {
    hd_buffer_add_text(out, ".");
    add_name(r, r->acts.data[s->first + i].name, out);
  }
  if (upto > 0 && s->twins[upto - 1] > 0) {
    hd_buffer_printf(out, ".%u", (unsigned)s->twins[upto - 1]);
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
  *named_end = last->mark == EITHER && find_word(r, last->name, states_of(c)) != HD_NONE;
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
  return hdi_contract_is_word(&r->t, r->states.data[s].name, "Start") ||
         hdi_contract_is_word(&r->t, r->states.data[s].name, "START");
}

/* The states of one contract: first the named ones, each with its sequences' first messages, then those between. */
static void write_contract(reader *r, uint32_t c, size_t *next_sequence, hd_buffer *out) {
  hd_buffer_add_text(out, "choreography ");
  add_name(r, r->contracts.data[c].name, out);
  hd_buffer_add_text(out, "\npeers ");
  add_peer(r, c, 'C', out);
  hd_buffer_add_text(out, ", ");
  add_peer(r, c, 'S', out);
  hd_buffer_add_text(out, "\n");
  size_t first = *next_sequence, q = first; /* sequences stand in the order of their states */
  for (uint32_t s = r->contracts.data[c].first_state; s < end_of_contract(r, c); s++) {
    hd_buffer_add_text(out, is_start(r, s) && s != r->contracts.data[c].first_state ? "initial state " : "state ");
    add_name(r, r->states.data[s].name, out);
    add_header(r, c, r->states.data[s].name, out);
    for (; q < r->sequences.count && r->sequences.data[q].state == s; q++) {
      bool named_end = false;
      if (check_sequence(r, c, &r->sequences.data[q], &named_end)) {
        add_arc(r, c, &r->sequences.data[q], 0, named_end, out);
      }
    }
  }
  *next_sequence = q;
  for (q = first; q < *next_sequence; q++) {
    const sequence *s = &r->sequences.data[q];
    bool named_end = s->count > 0 && r->acts.data[s->first + s->count - 1].mark == EITHER;
    for (uint32_t i = 1; i < s->count - (named_end ? 1 : 0); i++) {
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
  file->text = r->t.text;
}

static hd_status convert(reader *r, hd_chor_file **out) {
  hd_buffer chor = {0};
  size_t next_sequence = 0;
  for (uint32_t c = 0; c < r->contracts.count; c++) {
    write_contract(r, c, &next_sequence, &chor);
  }
  hd_text *text = NULL;
  hd_diag *diag = hd_diag_new();
  hd_status status = r->status != HD_OK ? r->status
                     : r->wrong         ? HD_E_INPUT
                     : chor.failed || diag == NULL
                         ? HD_E_NOMEM
                         : hd_text_from_bytes(r->t.text->name, chor.data, chor.size_bytes, &text);
  if (status == HD_OK) {
    status = hd_chor_read(text, diag, out);
    if (status == HD_E_INPUT) { /* what only the whole shows, a contract without messages for instance */
      for (size_t i = 0; i < hd_diag_count(diag); i++) {
        const hd_diagnostic *told = hd_diag_get(diag, i);
        hd_diag_add(r->diag, told->code, r->t.text, r->contracts.data[0].name, told->hint, "%s", told->message);
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
  word_numbers_free(&r->words);
  beginnings_free(&r->beginnings);
}

/* What is no text is refused at its first byte that is none, comments included, as in .chor. */
static bool is_text(reader *r) {
  for (uint32_t i = 0; i < r->t.text->size_bytes; i++) {
    unsigned char byte = (unsigned char)r->t.text->data[i];
    if ((byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      r->wrong = true;
      hd_diag_add(r->diag, HD_DIAG_NOT_TEXT, r->t.text, (hd_span){i, i + 1}, "expected a text file",
                  "the control byte 0x%02x is not text", byte);
      return false;
    }
  }
  return true;
}

hd_status hd_contract_read(const hd_text *text, hd_diag *diag, hd_chor_file **out) {
  reader r = {.t.text = text, .diag = diag};
  *out = NULL;
  hdi_contract_next(&r.t);
  bool good = is_text(&r) && (r.t.now.kind != HDI_CONTRACT_END || unexpected(&r, "expected 'contract'"));
  while (good && r.t.now.kind != HDI_CONTRACT_END && r.status == HD_OK) {
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
  reader r = {.t.text = text};
  hdi_contract_next(&r.t);
  while (r.t.now.kind != HDI_CONTRACT_END && r.status == HD_OK && r.contracts.count <= index && read_contract(&r)) {}
  if (r.contracts.count > index) {
    *states_at = r.contracts.data[index].states_at;
    *close_at = r.contracts.data[index].close_at;
  }
  hd_status status = r.status != HD_OK ? r.status : r.contracts.count > index ? HD_OK : HD_E_INTERNAL;
  free_reader(&r);
  return status;
}

bool hd_contract_sniff(const hd_text *text) {
  reader r = {.t.text = text};
  hdi_contract_next(&r.t);
  while (r.t.now.kind == HDI_CONTRACT_SQUARE && skip_attributes(&r)) {}
  while (hdi_contract_at_word(&r.t, "public") || hdi_contract_at_word(&r.t, "private") ||
         hdi_contract_at_word(&r.t, "internal")) {
    hdi_contract_next(&r.t);
  }
  return hdi_contract_at_word(&r.t, "contract");
}
