/* Bump allocation out of a list of zeroed blocks.
 *
 *   arena -> current block -> older block -> ...        each block:  | header | used bytes ... | free, all zero ... |
 *
 * Small objects are cut off the current block's front. When it is full, a block of twice the size of the last one is
 * fetched (4 KiB up to 1 MiB), so that n bytes cost O(log n) calls of the system allocator and then O(n / 1 MiB). An
 * object larger than a quarter of the next block gets a block of its own, put behind the current one: the rest of the
 * current block stays in use.
 * Invariants: used <= capacity; bytes at and after `used` are zero; every object starts at a multiple of the
 * strictest alignment because the header and all sizes are rounded up to it.
 * hd_arena_reset keeps the largest block and clears only what was used of it.
 * Threads: none; one arena per owner. Cost: O(1) amortised plus the clearing of fresh memory. */
#include "core/base/arena.h"

#include "core/base/check.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT alignof(max_align_t)
#define BLOCK_MIN ((size_t)4096)
#define BLOCK_MAX ((size_t)1 << 20)

typedef struct block {
  alignas(max_align_t) struct block *next;
  size_t used, capacity; /* of `bytes` */
  alignas(max_align_t) unsigned char bytes[];
} block;

struct hd_arena {
  block *current;    /* NULL until the first allocation */
  size_t next_bytes; /* capacity of the next ordinary block */
  size_t size_bytes; /* held from the system, the arena itself included */
};

hd_arena *hd_arena_new(void) {
  hd_arena *arena = calloc(1, sizeof *arena);
  if (arena != NULL) {
    arena->next_bytes = BLOCK_MIN;
    arena->size_bytes = sizeof *arena;
  }
  return arena;
}

void hd_arena_free(hd_arena *arena) {
  if (arena == NULL) {
    return;
  }
  for (block *b = arena->current; b != NULL;) {
    block *next = b->next;
    free(b);
    b = next;
  }
  free(arena);
}

static block *fetch_block(hd_arena *arena, size_t capacity) {
  if (capacity > SIZE_MAX - sizeof(block)) {
    return NULL;
  }
  block *b = calloc(1, sizeof *b + capacity);
  if (b != NULL) {
    b->capacity = capacity;
    arena->size_bytes += sizeof *b + capacity;
  }
  return b;
}

static void *cut(block *b, size_t size_bytes) {
  HD_ASSERT(size_bytes <= b->capacity - b->used);
  void *object = b->bytes + b->used;
  b->used += size_bytes;
  return object;
}

static void *alloc_in_new_block(hd_arena *arena, size_t size_bytes) {
  if (size_bytes > arena->next_bytes / 4) {
    block *own = fetch_block(arena, size_bytes);
    if (own == NULL) {
      return NULL;
    }
    if (arena->current == NULL) {
      arena->current = own;
    } else {
      own->next = arena->current->next;
      arena->current->next = own;
    }
    return cut(own, size_bytes);
  }
  block *fresh = fetch_block(arena, arena->next_bytes);
  if (fresh == NULL) {
    return NULL;
  }
  if (arena->next_bytes < BLOCK_MAX) {
    arena->next_bytes *= 2;
  }
  fresh->next = arena->current;
  arena->current = fresh;
  return cut(fresh, size_bytes);
}

void *hd_arena_alloc(hd_arena *arena, size_t size_bytes) {
  HD_REQUIRE(arena != NULL);
  if (size_bytes > SIZE_MAX - ALIGNMENT) {
    return NULL;
  }
  /* Objects of size 0 still get an address of their own. */
  size_t rounded = size_bytes == 0 ? ALIGNMENT : (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  block *b = arena->current;
  if (b != NULL && rounded <= b->capacity - b->used) {
    return cut(b, rounded);
  }
  return alloc_in_new_block(arena, rounded);
}

void *hd_arena_alloc_array(hd_arena *arena, size_t count, size_t size_bytes) {
  if (size_bytes != 0 && count > SIZE_MAX / size_bytes) {
    return NULL;
  }
  return hd_arena_alloc(arena, count * size_bytes);
}

char *hd_arena_copy_text(hd_arena *arena, const char *text, size_t length) {
  HD_REQUIRE(text != NULL || length == 0);
  if (length == SIZE_MAX) {
    return NULL;
  }
  char *copy = hd_arena_alloc(arena, length + 1);
  if (copy != NULL && length != 0) {
    memcpy(copy, text, length); /* the final NUL is there: the memory is zeroed */
  }
  return copy;
}

char *hd_arena_printf(hd_arena *arena, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : hd_arena_alloc(arena, (size_t)length + 1);
  if (text != NULL) {
    (void)vsnprintf(text, (size_t)length + 1, format, again);
  }
  va_end(again);
  return text;
}

void hd_arena_reset(hd_arena *arena) {
  HD_REQUIRE(arena != NULL);
  block *largest = arena->current;
  for (block *b = arena->current; b != NULL; b = b->next) {
    if (b->capacity > largest->capacity) {
      largest = b;
    }
  }
  for (block *b = arena->current; b != NULL;) {
    block *next = b->next;
    if (b != largest) {
      arena->size_bytes -= sizeof *b + b->capacity;
      free(b);
    }
    b = next;
  }
  if (largest != NULL) {
    memset(largest->bytes, 0, largest->used);
    largest->used = 0;
    largest->next = NULL;
  }
  arena->current = largest;
}

size_t hd_arena_size_bytes(const hd_arena *arena) {
  return arena->size_bytes;
}
