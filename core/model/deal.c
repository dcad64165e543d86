/* Which parts of the packed words belong together, for stores that halve states (hashing/tree_set.c).
 *
 *     chunks   16 bits each, four a word         process p changes the bits b(p, c) of chunk c
 *     halves   { chunks } | { chunks }           seen(half) = sum over p of min(own(p), sum of b(p, c), c in the half)
 *
 * A store of halves is small when there are few different halves, that is, when each half says little about what
 * processes did. A process that changes bits in both halves is seen in both: philosophers whose forks lie apart from
 * them are told twice, once by where they are and once by what they hold. What can be seen of a process is never more
 * than its own bits, those of the widest field that nobody else changes, since its other fields follow it for the most
 * part; a bit that many change says little of each of them and is shared out among them. So chunks are dealt out such
 * that the greater one of seen(left) and seen(right) is least, then their sum, and each half is dealt out again, down
 * to leaves of four chunks. Each deal begins with the chunks dealt out in turn and, once more, in their order, and
 * swaps two chunks as long as that makes it better; the better end is taken.
 *
 * Nothing but the size of the store depends on it. It needs to know who changes what (depend.h); where that is not
 * known, or the model is large, there is no deal. Runs once per search. Cost: at most WORK_MAX sums over processes for
 * a round of swaps, and few rounds.
 * Source of the swaps: B. Kernighan, S. Lin, An efficient heuristic procedure for partitioning graphs, 1970. */
#include "core/base/check.h"
#include "core/model/depend.h"
#include "core/model/model.h"

#include <string.h>

#define CHUNK_BITS 16u
#define WORD_CHUNKS (64u / CHUNK_BITS)
#define LEAF_CHUNKS 4u
#define CHUNKS_MAX 256u
#define WORK_MAX ((size_t)1 << 24)
#define ROUNDS_MAX 64u
#define LED_MAX 2048u /* edges of a model whose receivers are looked through for their senders */
#define SHARE 64u     /* of a bit, so that writers can have parts of it */

typedef struct dealer {
  const hd_model *model;
  uint32_t processes, chunks;
  uint32_t *bits; /* owned: processes * chunks, in parts of a bit */
  uint32_t *own;  /* owned: per process */
  uint32_t *seen; /* owned: per side and process, of the deal at hand */
} dealer;

/* What a deal is judged by. */
typedef struct worth {
  uint64_t most, sum;
} worth;

static bool is_better(worth a, worth b) {
  return a.most != b.most ? a.most < b.most : a.sum < b.sum;
}

/* ---- who changes what ---- */

/* Cells behind a resource: a queue is named by its head's field. */
static void measure_cells(const hd_model *model, uint32_t *cells) {
  for (size_t f = 0; f < model->fields.count; f++) {
    cells[f] = 1;
  }
  for (size_t q = 0; q < model->queues.count; q++) {
    cells[model->queues.data[q].field] = model->queues.data[q].capacity;
  }
}

typedef struct writer {
  uint32_t field, process;
} writer;

#define HD_ARRAY_NAME writers
#define HD_ARRAY_TYPE writer
#include "core/base/array.h"

static int compare_writers(const void *left, const void *right) {
  const writer *a = left, *b = right;
  if (a->field != b->field) {
    return a->field < b->field ? -1 : 1;
  }
  return a->process < b->process ? -1 : a->process > b->process;
}

/* Notes that `process` changes what the half writes. */
static hd_status add_writes(const hdi_depend *depend, const hdi_half *half, uint32_t process, const uint32_t *cells,
                            writers *list) {
  hd_status status = HD_OK;
  for (uint32_t t = 0; t < half->touch_count; t++) {
    const hdi_touch *touch = &depend->touches.data[half->touches + t];
    uint32_t count = (touch->kinds & ~HDI_TOUCH_READ) == 0 ? 0 : cells[touch->resource];
    for (uint32_t c = 0; c < count && status == HD_OK; c++) {
      status = writers_push(list, (writer){touch->resource + c, process});
    }
  }
  return status;
}

/* What a receiver changes is the sender's doing: he begins the step. */
static hd_status add_senders(const hdi_depend *depend, const hdi_half *half, const uint32_t *cells, writers *list) {
  hd_status status = HD_OK;
  for (size_t h = 0; h < depend->halves.count && status == HD_OK; h++) {
    const hdi_half *other = &depend->halves.data[h];
    if (other->side == HD_SIDE_SEND && (!other->channel_fixed || other->channel == half->channel)) {
      status = add_writes(depend, half, other->instance, cells, list);
    }
  }
  return status;
}

/* Lists who writes which field, sorted, each pair once. */
static hd_status list_writers(const hd_model *model, const uint32_t *cells, writers *list) {
  const hdi_depend *depend = model->depend;
  hd_status status = HD_OK;
  for (size_t h = 0; h < depend->halves.count && status == HD_OK; h++) {
    const hdi_half *half = &depend->halves.data[h];
    bool led = half->side == HD_SIDE_RECEIVE && half->channel_fixed && depend->halves.count <= LED_MAX;
    status = led ? add_senders(depend, half, cells, list) : add_writes(depend, half, half->instance, cells, list);
  }
  if (status == HD_OK && list->count > 0) {
    qsort(list->data, list->count, sizeof *list->data, compare_writers);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; i++) {
      if (compare_writers(&list->data[i], &list->data[kept - 1]) != 0) {
        list->data[kept++] = list->data[i];
      }
    }
    list->count = kept;
  }
  return status;
}

/* Adds the field's bits, `share` parts each, to those that `process` changes. */
static void add_bits(dealer *d, const hdi_field *field, uint32_t process, uint32_t share) {
  for (uint32_t bit = field->shift; bit < (uint32_t)field->shift + field->width; bit++) {
    d->bits[(size_t)process * d->chunks + field->word * WORD_CHUNKS + bit / CHUNK_BITS] += share;
  }
}

static void take_writers(dealer *d, const writers *list) {
  for (size_t i = 0, next; i < list->count; i = next) {
    const hdi_field *field = &d->model->fields.data[list->data[i].field];
    for (next = i + 1; next < list->count && list->data[next].field == list->data[i].field;) {
      next++;
    }
    uint32_t share = next - i >= SHARE ? 1 : SHARE / (uint32_t)(next - i);
    for (size_t w = i; w < next; w++) {
      add_bits(d, field, list->data[w].process, share);
    }
    uint32_t width = next - i == 1 ? field->width * SHARE : 0, *own = &d->own[list->data[i].process];
    *own = width > *own ? width : *own;
  }
  for (uint32_t p = 0; p < d->processes; p++) {
    d->own[p] = d->own[p] == 0 ? UINT32_MAX : d->own[p]; /* it has only what others change too */
  }
}

static hd_status find_bits(dealer *d) {
  writers list = {0};
  uint32_t *cells = calloc(d->model->fields.count + 1, sizeof *cells);
  hd_status status = HD_E_NOMEM;
  if (cells != NULL) {
    measure_cells(d->model, cells);
    status = list_writers(d->model, cells, &list);
  }
  if (status == HD_OK) {
    take_writers(d, &list);
  }
  writers_free(&list);
  free(cells);
  return status;
}

/* ---- dealing ---- */

static void count_seen(dealer *d, const uint32_t *order, uint32_t begin, uint32_t end, uint32_t *seen) {
  memset(seen, 0, d->processes * sizeof *seen);
  for (uint32_t i = begin; i < end; i++) {
    for (uint32_t p = 0; p < d->processes; p++) {
      seen[p] += d->bits[(size_t)p * d->chunks + order[i]];
    }
  }
}

/* The worth of the deal whose sides have d->seen, after chunk `out` of the left side was swapped with `in`. */
static worth judge(const dealer *d, uint32_t out, uint32_t in) {
  uint64_t left = 0, right = 0;
  for (uint32_t p = 0; p < d->processes; p++) {
    const uint32_t *bits = d->bits + (size_t)p * d->chunks;
    uint32_t a = d->seen[p] - bits[out] + bits[in], b = d->seen[d->processes + p] - bits[in] + bits[out];
    left += a < d->own[p] ? a : d->own[p];
    right += b < d->own[p] ? b : d->own[p];
  }
  return (worth){.most = left > right ? left : right, .sum = left + right};
}

/* Swaps chunks of the sides order[0 .. left - 1] and order[left .. count - 1] as long as that makes the deal better. */
static worth improve(dealer *d, uint32_t *order, uint32_t left, uint32_t count) {
  count_seen(d, order, 0, left, d->seen);
  count_seen(d, order, left, count, d->seen + d->processes);
  worth now = judge(d, order[0], order[0]);
  for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
    worth best = now;
    uint32_t from = 0, to = 0;
    for (uint32_t i = 0; i < left; i++) {
      for (uint32_t j = left; j < count; j++) {
        worth then = judge(d, order[i], order[j]);
        if (is_better(then, best)) {
          best = then;
          from = i;
          to = j;
        }
      }
    }
    if (!is_better(best, now)) {
      break;
    }
    uint32_t chunk = order[from];
    order[from] = order[to];
    order[to] = chunk;
    count_seen(d, order, 0, left, d->seen);
    count_seen(d, order, left, count, d->seen + d->processes);
    now = best;
  }
  return now;
}

/* Even chunks first, then the odd ones: neighbours go to different sides. */
static void deal_in_turn(const uint32_t *order, uint32_t count, uint32_t *dealt) {
  uint32_t at = 0;
  for (uint32_t parity = 0; parity < 2; parity++) {
    for (uint32_t i = parity; i < count; i += 2) {
      dealt[at++] = order[i];
    }
  }
}

static int compare_chunks(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* Deals out the chunks of `leaves` leaves, and those of the halves again. */
static void deal(dealer *d, uint32_t *order, uint32_t leaves) {
  uint32_t count = leaves * LEAF_CHUNKS, left = leaves / 2 * LEAF_CHUNKS;
  qsort(order, count, sizeof *order, compare_chunks);
  if (leaves == 1) {
    return;
  }
  uint32_t other[CHUNKS_MAX];
  deal_in_turn(order, count, other);
  worth in_turn = improve(d, other, left, count), in_order = improve(d, order, left, count);
  if (!is_better(in_order, in_turn)) {
    memcpy(order, other, count * sizeof *order);
  }
  deal(d, order, leaves / 2);
  deal(d, order + left, leaves - leaves / 2);
}

hd_status hd_model_deal_chunks(const hd_model *model, uint32_t *order, bool *dealt) {
  dealer d = {.model = model, .processes = (uint32_t)model->instances.count, .chunks = model->words * WORD_CHUNKS};
  *dealt = false;
  if (model->depend->refusal != NULL || model->words > CHUNKS_MAX / WORD_CHUNKS ||
      d.processes > WORK_MAX / ((size_t)d.chunks * d.chunks)) {
    return HD_OK;
  }
  for (uint32_t c = 0; c < d.chunks; c++) {
    order[c] = c;
  }
  d.bits = calloc((size_t)d.processes * d.chunks + 1, sizeof *d.bits);
  d.own = calloc((size_t)d.processes + 1, sizeof *d.own);
  d.seen = calloc((size_t)d.processes * 2 + 1, sizeof *d.seen);
  hd_status status = d.bits == NULL || d.own == NULL || d.seen == NULL ? HD_E_NOMEM : find_bits(&d);
  if (status == HD_OK) {
    deal(&d, order, model->words);
    *dealt = true;
  }
  free(d.bits);
  free(d.own);
  free(d.seen);
  return status;
}
