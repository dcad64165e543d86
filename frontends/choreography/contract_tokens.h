/* Tokens of channel contracts. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_CONTRACT_TOKENS_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_CONTRACT_TOKENS_H

#include "core/base/text.h"

#include <stdbool.h>

typedef enum hdi_contract_kind {
  HDI_CONTRACT_WORD,
  HDI_CONTRACT_ARROW,
  HDI_CONTRACT_OPEN,
  HDI_CONTRACT_CLOSE,
  HDI_CONTRACT_PAREN,
  HDI_CONTRACT_THESIS,
  HDI_CONTRACT_SQUARE,
  HDI_CONTRACT_COLON,
  HDI_CONTRACT_SEMICOLON,
  HDI_CONTRACT_QUERY,
  HDI_CONTRACT_BANG,
  HDI_CONTRACT_ODD,
  HDI_CONTRACT_END,
} hdi_contract_kind;

typedef struct hdi_contract_token {
  hdi_contract_kind kind; /* PAREN, THESIS: ( and ); SQUARE: [; ODD: a byte that starts no token */
  hd_span span;
} hdi_contract_token;

/* One reading of one text; zero but for `text` before the first hdi_contract_next. */
typedef struct hdi_contract_tokens {
  const hd_text *text; /* borrowed */
  uint32_t at;         /* byte after the current token */
  hdi_contract_token now;
} hdi_contract_tokens;

/* Moves to the next token, over blanks and comments; at the end of the file it stays there. */
void hdi_contract_next(hdi_contract_tokens *r);
/* Is this span, or the current token, the word? */
bool hdi_contract_is_word(const hdi_contract_tokens *tokens, hd_span span, const char *word);
bool hdi_contract_at_word(const hdi_contract_tokens *tokens, const char *word);

#endif
