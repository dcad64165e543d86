/* Go's build constraints: the ends of file names, the line `//go:build EXPRESSION`, and the older lines `// +build`.
 *
 *   name_linux.go   name_amd64.go   name_linux_amd64_test.go
 *   expression      or: and { || and }    and: not { && not }    not: ! not | ( or ) | tag
 *
 * Only the comments before the package clause count. An expression is evaluated while it is read; nesting is bounded.
 * Pure functions. Cost: O(bytes before the package clause). */
#include "frontends/minigo/constraint.h"

#include <string.h>

#define NESTING_MAX 100u

static const char *const systems[] = {"aix",     "android", "darwin",  "dragonfly", "freebsd", "hurd",
                                      "illumos", "ios",     "js",      "linux",     "nacl",    "netbsd",
                                      "openbsd", "plan9",   "solaris", "wasip1",    "windows", "zos"};
static const char *const processors[] = {"386",         "amd64",   "amd64p32", "arm",    "arm64",    "arm64be",
                                         "armbe",       "loong64", "mips",     "mips64", "mips64le", "mips64p32",
                                         "mips64p32le", "mipsle",  "ppc",      "ppc64",  "ppc64le",  "riscv",
                                         "riscv64",     "s390",    "s390x",    "sparc",  "sparc64",  "wasm"};
static const char *const holding[] = {"linux", "amd64", "gc", "unix"};

typedef struct piece {
  const char *at, *end;
} piece;

static bool is(piece word, const char *text) {
  return (size_t)(word.end - word.at) == strlen(text) && memcmp(word.at, text, strlen(text)) == 0;
}

static bool among(piece word, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (is(word, list[i])) {
      return true;
    }
  }
  return false;
}

#define AMONG(word, list) among(word, list, sizeof(list) / sizeof(list)[0])

/* ---- names ---- */

/* Cuts the part behind the last underscore off; empty when there is none. */
static piece cut_last(piece *name) {
  for (const char *at = name->end; at > name->at; at--) {
    if (at[-1] == '_') {
      piece last = {at, name->end};
      name->end = at - 1;
      return last;
    }
  }
  return (piece){name->end, name->end};
}

bool hdi_go_name_fits(const char *name) {
  size_t length = strlen(name);
  piece rest = {name, name + (length >= 3 ? length - 3 : length)};
  piece last = cut_last(&rest);
  if (is(last, "test")) {
    last = cut_last(&rest);
  }
  if (AMONG(last, processors)) {
    piece before = cut_last(&rest);
    return is(last, "amd64") && (!AMONG(before, systems) || is(before, "linux"));
  }
  return !AMONG(last, systems) || is(last, "linux");
}

/* ---- expressions ---- */

typedef struct expr_reader {
  piece rest;
  uint32_t depth;
  bool wrong;
} expr_reader;

static bool is_tag_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool holds(piece tag) {
  bool release = tag.end - tag.at > 4 && memcmp(tag.at, "go1.", 4) == 0;
  return release || AMONG(tag, holding);
}

static void skip_blanks(expr_reader *reader) {
  while (reader->rest.at < reader->rest.end && (*reader->rest.at == ' ' || *reader->rest.at == '\t')) {
    reader->rest.at++;
  }
}

static bool take(expr_reader *reader, const char *sign) {
  size_t length = strlen(sign);
  skip_blanks(reader);
  bool there = (size_t)(reader->rest.end - reader->rest.at) >= length && memcmp(reader->rest.at, sign, length) == 0;
  reader->rest.at += there ? length : 0;
  return there;
}

static bool read_or(expr_reader *reader);

static bool read_not(expr_reader *reader) {
  if (reader->depth >= NESTING_MAX) {
    reader->wrong = true;
    return true;
  }
  bool value = false;
  reader->depth++;
  if (take(reader, "!")) {
    value = !read_not(reader);
  } else if (take(reader, "(")) {
    value = read_or(reader);
    reader->wrong = !take(reader, ")") || reader->wrong;
  } else {
    piece tag = {reader->rest.at, reader->rest.at};
    while (tag.end < reader->rest.end && is_tag_byte(*tag.end)) {
      tag.end++;
    }
    reader->rest.at = tag.end;
    reader->wrong = tag.at == tag.end || reader->wrong;
    value = holds(tag);
  }
  reader->depth--;
  return value;
}

static bool read_and(expr_reader *reader) {
  bool value = read_not(reader);
  while (!reader->wrong && take(reader, "&&")) {
    bool right = read_not(reader);
    value = value && right;
  }
  return value;
}

static bool read_or(expr_reader *reader) {
  bool value = read_and(reader);
  while (!reader->wrong && take(reader, "||")) {
    bool right = read_and(reader);
    value = value || right;
  }
  return value;
}

static bool expression_holds(piece words) {
  expr_reader reader = {.rest = words};
  bool value = read_or(&reader);
  skip_blanks(&reader);
  return reader.wrong || reader.rest.at != reader.rest.end || value;
}

/* `a,!b c`: blanks are or, commas are and. */
static bool old_line_holds(piece words) {
  bool any = false, all = true, in_term = false;
  for (const char *at = words.at; at < words.end;) {
    if (*at == ' ' || *at == '\t') {
      any = any || (in_term && all);
      all = true;
      in_term = false;
      at++;
      continue;
    }
    bool negated = *at == '!';
    piece tag = {at + (negated ? 1 : 0), at + (negated ? 1 : 0)};
    while (tag.end < words.end && is_tag_byte(*tag.end)) {
      tag.end++;
    }
    all = all && holds(tag) != negated;
    in_term = true;
    at = tag.end < words.end && tag.end == at ? tag.end + 1 : tag.end;
    at += at < words.end && *at == ',' ? 1 : 0;
  }
  return any || (in_term && all);
}

/* ---- the lines before the package clause ---- */

/* The next line that is a comment, blanks around it cut; false: something else begins, at *offset. */
static bool next_comment(const hd_text *text, size_t *offset, piece *line) {
  const char *data = text->data, *end = data + text->size_bytes, *at = data + *offset;
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
    at++;
  }
  *offset = (size_t)(at - data);
  if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*')) {
    return false;
  }
  const char *stop = at + 2;
  bool block = at[1] == '*';
  while (stop < end && (block ? !(end - stop >= 2 && stop[0] == '*' && stop[1] == '/') : *stop != '\n')) {
    stop++;
  }
  *offset = (size_t)(stop - data) + (block && stop < end ? 2u : 0u);
  while (stop > at + 2 && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) {
    stop--;
  }
  *line = block ? (piece){at, at} : (piece){at + 2, stop};
  return true;
}

static bool cut_prefix(piece *line, const char *prefix) {
  size_t length = strlen(prefix);
  bool there = (size_t)(line->end - line->at) > length && memcmp(line->at, prefix, length) == 0 &&
               (line->at[length] == ' ' || line->at[length] == '\t');
  line->at += there ? length + 1 : 0;
  return there;
}

bool hdi_go_text_fits(const hd_text *text) {
  size_t offset = 0;
  piece line;
  bool old = true;
  while (next_comment(text, &offset, &line)) {
    if (cut_prefix(&line, "go:build")) {
      return expression_holds(line);
    }
    while (line.at < line.end && (*line.at == ' ' || *line.at == '\t')) {
      line.at++;
    }
    if (cut_prefix(&line, "+build")) {
      old = old && old_line_holds(line);
    }
  }
  return old;
}

hd_span hdi_go_package_clause(const hd_text *text) {
  static const char word[] = "package";
  size_t offset = strncmp(text->data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0, length = sizeof word - 1;
  piece line;
  while (next_comment(text, &offset, &line)) {}
  if (text->size_bytes - offset < length || memcmp(text->data + offset, word, length) != 0) {
    return (hd_span){0, 0};
  }
  offset += length;
  while (next_comment(text, &offset, &line)) {}
  hd_span name = {(uint32_t)offset, (uint32_t)offset};
  while (name.end < text->size_bytes && (is_tag_byte(text->data[name.end]) || (text->data[name.end] & 0x80) != 0)) {
    name.end++;
  }
  return name;
}
