/* Unified diffs by Myers' greedy algorithm.
 *
 *   before, after --split at \n--> lines --common ends cut off--> Myers --> keep[] per line of both sides --> hunks
 *
 * keep[i] is true for the lines that both texts share, in order. The furthest-reaching points of each number of changes
 * are stored (a triangle of D^2 / 2 numbers), and the path is walked backwards through them. When D passes CHANGES_MAX
 * nothing of the region between the common ends is kept: a correct diff, only a longer one.
 *
 * Threads: no state. Memory: O(lines + D^2). */
#include "core/report/diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3, CHANGES_MAX = 2000 };

typedef struct side {
  const char *data;
  size_t size_bytes;
  size_t *starts; /* count + 1 offsets; line i is data[starts[i] .. starts[i + 1]) with its \n, if it has one */
  size_t count;
  bool *keep; /* the line stands on both sides */
} side;

static bool split(side *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->size_bytes; i++) {
    count += s->data[i] == '\n' || i + 1 == s->size_bytes ? 1 : 0;
  }
  s->count = count;
  s->starts = calloc(count + 1, sizeof *s->starts);
  s->keep = calloc(count + 1, sizeof *s->keep);
  if (s->starts == NULL || s->keep == NULL) {
    return false;
  }
  size_t line = 0;
  for (size_t i = 0; i < s->size_bytes; i++) {
    if (s->data[i] == '\n' || i + 1 == s->size_bytes) {
      s->starts[++line] = i + 1;
    }
  }
  return true;
}

static bool equal(const side *a, size_t i, const side *b, size_t j) {
  size_t length = a->starts[i + 1] - a->starts[i];
  return length == b->starts[j + 1] - b->starts[j] &&
         memcmp(a->data + a->starts[i], b->data + b->starts[j], length) == 0;
}

/* The region between the common ends: lines [from, a_count) of one side, [from, b_count) of the other. */
typedef struct region {
  size_t from, a_count, b_count;
} region;

static region cut_ends(side *a, side *b) {
  region r = {0, a->count, b->count};
  while (r.from < r.a_count && r.from < r.b_count && equal(a, r.from, b, r.from)) {
    a->keep[r.from] = b->keep[r.from] = true;
    r.from++;
  }
  while (r.a_count > r.from && r.b_count > r.from && equal(a, r.a_count - 1, b, r.b_count - 1)) {
    a->keep[--r.a_count] = true;
    b->keep[--r.b_count] = true;
  }
  return r;
}

/* Walks back from the end with `changes` changes. Row d of `rows` has the furthest x on the diagonals -d, -d+2 .. d. */
static void walk_back(side *a, side *b, const region *r, size_t **rows, ptrdiff_t changes) {
  ptrdiff_t x = (ptrdiff_t)(r->a_count - r->from), y = (ptrdiff_t)(r->b_count - r->from);
  for (ptrdiff_t d = changes; d >= 0; d--) {
    ptrdiff_t k = x - y, before_x = 0, before_y = 0;
    if (d > 0) {
      const size_t *row = rows[d - 1];
      bool down = k == -d || (k != d && row[(k - 1 + d - 1) / 2] < row[(k + 1 + d - 1) / 2]);
      ptrdiff_t before_k = down ? k + 1 : k - 1;
      before_x = (ptrdiff_t)row[(before_k + d - 1) / 2];
      before_y = before_x - before_k;
    }
    while (x > before_x && y > before_y) {
      x--;
      y--;
      a->keep[r->from + (size_t)x] = b->keep[r->from + (size_t)y] = true;
    }
    x = before_x;
    y = before_y;
  }
}

/* One more change on every diagonal; true when the end of both sides is reached. */
static bool advance(const side *a, const side *b, const region *r, size_t *const *rows, ptrdiff_t d) {
  size_t a_lines = r->a_count - r->from, b_lines = r->b_count - r->from;
  for (ptrdiff_t k = -d; k <= d; k += 2) {
    size_t x = 0;
    if (d > 0) {
      const size_t *row = rows[d - 1];
      bool down = k == -d || (k != d && row[(k - 1 + d - 1) / 2] < row[(k + 1 + d - 1) / 2]);
      x = down ? row[(k + 1 + d - 1) / 2] : row[(k - 1 + d - 1) / 2] + 1;
    }
    ptrdiff_t height = (ptrdiff_t)x - k; /* may leave the table on outer diagonals */
    size_t y = height < 0 ? 0 : (size_t)height;
    while (height >= 0 && x < a_lines && y < b_lines && equal(a, r->from + x, b, r->from + y)) {
      x++;
      y++;
    }
    rows[d][(k + d) / 2] = x;
    if (height >= 0 && x == a_lines && y == b_lines) {
      return true;
    }
  }
  return false;
}

/* Marks what of the region both sides keep. */
static bool compare(side *a, side *b, const region *r) {
  size_t most = r->a_count - r->from + r->b_count - r->from;
  size_t rows_max = (most < CHANGES_MAX ? most : CHANGES_MAX) + 1;
  size_t **rows = calloc(rows_max, sizeof *rows);
  bool made = rows != NULL, reached = false;
  for (size_t d = 0; made && !reached && d < rows_max; d++) {
    rows[d] = calloc(d + 1, sizeof **rows);
    made = rows[d] != NULL;
    if (made && advance(a, b, r, rows, (ptrdiff_t)d)) {
      walk_back(a, b, r, rows, (ptrdiff_t)d);
      reached = true;
    }
  }
  for (size_t d = 0; rows != NULL && d < rows_max; d++) {
    free(rows[d]);
  }
  free(rows);
  return made;
}

static bool needs_quotes(const char *name) {
  for (const char *c = name; *c != '\0'; c++) {
    if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7F || *c == '"' || *c == '\\') {
      return true;
    }
  }
  return false;
}

static void print_name(const char *mark, const char *prefix, const char *name, hd_buffer *out) {
  hd_buffer_add_text(out, mark);
  if (!needs_quotes(name)) {
    hd_buffer_add_text(out, prefix);
    hd_buffer_add_text(out, name);
    /* patch ends a name at a blank; a tab says that the name goes on up to it. */
    hd_buffer_add_text(out, strchr(name, ' ') != NULL ? "\t\n" : "\n");
    return;
  }
  hd_buffer_printf(out, "\"%s", prefix);
  for (const char *c = name; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') {
      hd_buffer_printf(out, "\\%c", *c);
    } else if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7F) {
      hd_buffer_printf(out, "\\%03o", (unsigned)(unsigned char)*c);
    } else {
      hd_buffer_add(out, c, 1);
    }
  }
  hd_buffer_add_text(out, "\"\n");
}

static void print_line(char mark, const side *s, size_t line, hd_buffer *out) {
  size_t start = s->starts[line], end = s->starts[line + 1];
  hd_buffer_add(out, &mark, 1);
  hd_buffer_add(out, s->data + start, end - start);
  if (s->data[end - 1] != '\n') {
    hd_buffer_add_text(out, "\n\\ No newline at end of file\n");
  }
}

static void print_range(char mark, size_t start, size_t count, hd_buffer *out) {
  /* An empty range is named by the line before it. */
  hd_buffer_printf(out, "%c%zu", mark, count == 0 ? start : start + 1);
  if (count != 1) {
    hd_buffer_printf(out, ",%zu", count);
  }
}

/* Lines [a_from, a_to) against [b_from, b_to). */
static void print_hunk(const side *a, const side *b, size_t a_from, size_t a_to, size_t b_from, size_t b_to,
                       hd_buffer *out) {
  hd_buffer_add_text(out, "@@ ");
  print_range('-', a_from, a_to - a_from, out);
  hd_buffer_add_text(out, " ");
  print_range('+', b_from, b_to - b_from, out);
  hd_buffer_add_text(out, " @@\n");
  size_t i = a_from, j = b_from;
  while (i < a_to || j < b_to) {
    if (i < a_to && !a->keep[i]) {
      print_line('-', a, i++, out);
    } else if (j < b_to && !b->keep[j]) {
      print_line('+', b, j++, out);
    } else {
      print_line(' ', a, i++, out);
      j++;
    }
  }
}

/* Groups changes that are at most two contexts apart. */
static void print_hunks(const side *a, const side *b, hd_buffer *out) {
  size_t i = 0, j = 0;
  while (i < a->count || j < b->count) {
    if (i < a->count && a->keep[i] && j < b->count && b->keep[j]) {
      i++;
      j++;
      continue;
    }
    size_t lead = i < CONTEXT ? i : CONTEXT;
    size_t a_from = i - lead, b_from = j - lead, quiet = 0;
    while ((i < a->count || j < b->count) && quiet <= (size_t)2 * CONTEXT) {
      if (i < a->count && !a->keep[i]) {
        i++;
        quiet = 0;
      } else if (j < b->count && !b->keep[j]) {
        j++;
        quiet = 0;
      } else {
        i++;
        j++;
        quiet++;
      }
    }
    size_t back = quiet > CONTEXT ? quiet - CONTEXT : 0;
    i -= back;
    j -= back;
    print_hunk(a, b, a_from, i, b_from, j, out);
  }
}

static const char *without_root(const char *name) {
  while (*name == '/' || (name[0] == '.' && name[1] == '/')) {
    name += *name == '/' ? 1 : 2;
  }
  return name;
}

hd_status hd_diff_print(const char *name, const char *before, size_t before_bytes, const char *after,
                        size_t after_bytes, hd_buffer *out) {
  if (before_bytes == after_bytes && (before_bytes == 0 || memcmp(before, after, before_bytes) == 0)) {
    return out->failed ? HD_E_NOMEM : HD_OK;
  }
  side a = {.data = before, .size_bytes = before_bytes}, b = {.data = after, .size_bytes = after_bytes};
  bool made = split(&a) && split(&b);
  if (made) {
    region r = cut_ends(&a, &b);
    made = compare(&a, &b, &r);
  }
  if (made) {
    print_name("--- ", "a/", without_root(name), out);
    print_name("+++ ", "b/", without_root(name), out);
    print_hunks(&a, &b, out);
  } else {
    out->failed = 1;
  }
  free(a.starts);
  free(a.keep);
  free(b.starts);
  free(b.keep);
  return out->failed ? HD_E_NOMEM : HD_OK;
}
