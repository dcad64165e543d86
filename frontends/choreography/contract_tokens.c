/* Splits the text of channel contracts into tokens (contract_tokens.h). Comments are those of C; one that is not closed
 * ends with the file. Threads: no state. Cost: linear. */
#include "frontends/choreography/contract_tokens.h"

#include <string.h>

static bool is_name_byte(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* Moves behind blanks and comments. */
static void skip_blanks(hdi_contract_tokens *r) {
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

void hdi_contract_next(hdi_contract_tokens *r) {
  skip_blanks(r);
  const char *data = r->text->data;
  uint32_t end = (uint32_t)r->text->size_bytes, begin = r->at;
  static const char marks[] = "{}()[:;?!";
  static const hdi_contract_kind kinds[] = {HDI_CONTRACT_OPEN,      HDI_CONTRACT_CLOSE,  HDI_CONTRACT_PAREN,
                                            HDI_CONTRACT_THESIS,    HDI_CONTRACT_SQUARE, HDI_CONTRACT_COLON,
                                            HDI_CONTRACT_SEMICOLON, HDI_CONTRACT_QUERY,  HDI_CONTRACT_BANG};
  r->now = (hdi_contract_token){HDI_CONTRACT_END, {begin, begin}};
  if (begin >= end) {
    return;
  }
  const char *mark = data[begin] == '\0' ? NULL : strchr(marks, data[begin]);
  r->at = begin + 1;
  r->now.kind = HDI_CONTRACT_ODD;
  if (mark != NULL) {
    r->now.kind = kinds[mark - marks];
  } else if (data[begin] == '-' && r->at < end && data[r->at] == '>') {
    r->at++;
    r->now.kind = HDI_CONTRACT_ARROW;
  } else if (is_name_byte(data[begin], true)) {
    while (r->at < end && is_name_byte(data[r->at], false)) {
      r->at++;
    }
    r->now.kind = HDI_CONTRACT_WORD;
  }
  r->now.span.end = r->at;
}

bool hdi_contract_is_word(const hdi_contract_tokens *r, hd_span span, const char *word) {
  size_t length = span.end - span.begin;
  return strlen(word) == length && memcmp(r->text->data + span.begin, word, length) == 0;
}

bool hdi_contract_at_word(const hdi_contract_tokens *r, const char *word) {
  return r->now.kind == HDI_CONTRACT_WORD && hdi_contract_is_word(r, r->now.span, word);
}
