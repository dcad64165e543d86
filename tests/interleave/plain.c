/* The run's own memory, and the watch over plain accesses to it, for the explorer of tests/interleave.
 *
 * Memory is cut off one static area from its beginning on, anew in every run, so that a run repeated with the same
 * choices uses the same addresses; nothing is reused within a run. A block remembers who made it and when, and whether
 * it was freed: an access from a moment that its making does not happen before, one behind its end, or one after the
 * free is an error.
 *
 * The kernels and harnesses are compiled with -fsanitize=thread and linked without its run-time: the calls that the
 * compiler puts before plain accesses arrive here. Per byte the last write and each thread's last read are kept with
 * their times; two accesses of which one writes and neither happens before the other are a race (FastTrack: Flanagan,
 * Freund 2009). A race does not depend on which of the equivalent interleavings is looked at, so the explorer need not
 * stop at plain accesses. Single threaded like all of the explorer; cost: a table look-up per byte. */
#include "tests/interleave/internal.h"

#include <stdalign.h>
#include <string.h>

enum { AREA_BYTES = 1 << 25, BLOCKS = 8192, SHADOWS = 1 << 15, WORD = 8, NOBODY = IL_THREADS };

typedef struct block {
  const unsigned char *begin;
  size_t size_bytes;
  uint32_t thread, time; /* who made it; NOBODY: before the threads */
  bool freed;
} block;

typedef struct shadow {
  uint32_t writer[WORD], written[WORD];
  uint32_t read[IL_THREADS][WORD];
} shadow;

static alignas(4096) unsigned char area[AREA_BYTES];
static size_t used_bytes;
static block blocks[BLOCKS];
static uint32_t block_count;
static uint32_t shadow_of[AREA_BYTES / WORD]; /* shadow + 1; 0: none */
static shadow shadows[SHADOWS];
static uint32_t shadow_word[SHADOWS]; /* where in shadow_of it is entered */
static uint32_t shadow_count;

void il_plain_reset(void) {
  while (shadow_count > 0) {
    shadow_of[shadow_word[--shadow_count]] = 0;
  }
  used_bytes = block_count = 0;
}

void *il_plain_alloc(size_t alignment, size_t size_bytes, bool zeroed) {
  alignment = alignment < 16 ? 16 : alignment;
  size_t begin = (used_bytes + alignment - 1) / alignment * alignment;
  if (size_bytes > AREA_BYTES - begin || block_count == BLOCKS) {
    il_fail("the run's memory is used up");
  }
  /* A gap behind every block: what lies there belongs to nobody. */
  used_bytes = begin + size_bytes + 1;
  memset(&area[begin], zeroed ? 0 : 0xA5, size_bytes);
  block *b = &blocks[block_count++];
  *b = (block){.begin = &area[begin], .size_bytes = size_bytes, .thread = NOBODY};
  if (il_concurrent) {
    b->thread = il_self;
    b->time = il_memory_clock(il_self)->of[il_self];
  }
  return &area[begin];
}

static bool in_area(const void *address) {
  uintptr_t place = (uintptr_t)address, begin = (uintptr_t)area;
  return place >= begin && place < begin + AREA_BYTES;
}

static block *block_at(const void *address) {
  uint32_t low = 0, high = block_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if ((uintptr_t)blocks[middle].begin <= (uintptr_t)address) {
      low = middle;
    } else {
      high = middle;
    }
  }
  block *b = &blocks[low];
  bool inside =
      high > 0 && (uintptr_t)address >= (uintptr_t)b->begin && (uintptr_t)address < (uintptr_t)b->begin + b->size_bytes;
  return inside ? b : NULL;
}

static const block *check_block(const void *address, size_t size_bytes) {
  const block *b = block_at(address);
  if (b == NULL || size_bytes > b->size_bytes - (size_t)((const unsigned char *)address - b->begin)) {
    il_fail("an access of %zu bytes outside of any block", size_bytes);
  }
  if (b->freed) {
    il_fail("an access to memory that has been freed");
  }
  if (b->thread != NOBODY && b->time > il_memory_clock(il_self)->of[b->thread]) {
    il_fail("thread %u uses memory that thread %u has made, and does not see it made", il_self, b->thread);
  }
  return b;
}

void il_plain_check_alive(const void *address) {
  if (il_concurrent && in_area(address)) {
    (void)check_block(address, 1);
  }
}

static shadow *shadow_at(size_t word, const block *b) {
  if (shadow_of[word] == 0) {
    if (shadow_count == SHADOWS) {
      il_fail("more than %d words in use", SHADOWS);
    }
    shadow *s = &shadows[shadow_count];
    shadow_word[shadow_count] = (uint32_t)word;
    shadow_of[word] = ++shadow_count;
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < WORD; i++) {
      s->writer[i] = b->thread == NOBODY ? 0 : b->thread;
      s->written[i] = b->thread == NOBODY ? 0 : b->time;
    }
  }
  return &shadows[shadow_of[word] - 1];
}

static void access_byte(shadow *s, uint32_t byte, bool write, const void *address) {
  const il_clock *now = il_memory_clock(il_self);
  if (s->written[byte] > now->of[s->writer[byte]]) {
    il_fail("a race: thread %u %s what thread %u has written, at %p", il_self, write ? "writes" : "reads",
            s->writer[byte], address);
  }
  if (!write) {
    s->read[il_self][byte] = now->of[il_self];
    return;
  }
  for (uint32_t i = 0; i < IL_THREADS; i++) {
    if (s->read[i][byte] > now->of[i]) {
      il_fail("a race: thread %u writes what thread %u has read, at %p", il_self, i, address);
    }
  }
  s->writer[byte] = il_self;
  s->written[byte] = now->of[il_self];
}

void il_plain_access(const void *address, size_t size_bytes, bool write) {
  if (!il_concurrent || size_bytes == 0 || !in_area(address)) {
    return;
  }
  const block *b = check_block(address, size_bytes);
  size_t begin = (size_t)((const unsigned char *)address - area);
  for (size_t i = begin; i < begin + size_bytes; i++) {
    access_byte(shadow_at(i / WORD, b), i % WORD, write, address);
  }
}

/* ---- the shim's memory ---- */

void *il_malloc(size_t size_bytes);
void *il_calloc(size_t count, size_t size_bytes);
void *il_aligned_alloc(size_t alignment, size_t size_bytes);
void *il_realloc(void *memory, size_t size_bytes);
void il_free(void *memory);
void *il_memcpy(void *to, const void *from, size_t size_bytes);
void *il_memset(void *to, int byte, size_t size_bytes);
int il_memcmp(const void *a, const void *b, size_t size_bytes);

void *il_malloc(size_t size_bytes) {
  return il_plain_alloc(0, size_bytes, false);
}

void *il_calloc(size_t count, size_t size_bytes) {
  return il_plain_alloc(0, count * size_bytes, true);
}

void *il_aligned_alloc(size_t alignment, size_t size_bytes) {
  return il_plain_alloc(alignment, size_bytes, false);
}

void il_free(void *memory) {
  if (memory == NULL) {
    return;
  }
  block *b = block_at(memory);
  if (b == NULL || b->freed || (const void *)b->begin != memory) {
    il_fail("a free of what is no block");
  }
  size_t begin = (size_t)(b->begin - area);
  for (size_t i = begin / WORD; il_concurrent && i * WORD < begin + b->size_bytes; i++) {
    for (uint32_t byte = 0; shadow_of[i] != 0 && byte < WORD; byte++) {
      access_byte(&shadows[shadow_of[i] - 1], byte, true, memory);
    }
  }
  b->freed = true;
}

void *il_realloc(void *memory, size_t size_bytes) {
  void *larger = il_plain_alloc(0, size_bytes, false);
  if (memory != NULL) {
    size_t old_bytes = block_at(memory)->size_bytes;
    il_plain_access(memory, old_bytes, false);
    memcpy(larger, memory, old_bytes < size_bytes ? old_bytes : size_bytes);
    il_free(memory);
  }
  return larger;
}

void *il_memcpy(void *to, const void *from, size_t size_bytes) {
  il_plain_access(from, size_bytes, false);
  il_plain_access(to, size_bytes, true);
  return memcpy(to, from, size_bytes);
}

void *il_memset(void *to, int byte, size_t size_bytes) {
  il_plain_access(to, size_bytes, true);
  return memset(to, byte, size_bytes);
}

int il_memcmp(const void *a, const void *b, size_t size_bytes) {
  il_plain_access(a, size_bytes, false);
  il_plain_access(b, size_bytes, false);
  return memcmp(a, b, size_bytes);
}

/* ---- what the compiler calls ---- */

#define PLAIN_HOOKS(size)                  \
  void __tsan_read##size(void *address);   \
  void __tsan_write##size(void *address);  \
  void __tsan_read##size(void *address) {  \
    il_plain_access(address, size, false); \
  }                                        \
  void __tsan_write##size(void *address) { \
    il_plain_access(address, size, true);  \
  }
PLAIN_HOOKS(1)
PLAIN_HOOKS(2)
PLAIN_HOOKS(4)
PLAIN_HOOKS(8)
PLAIN_HOOKS(16)

#define UNALIGNED_HOOKS(size)                        \
  void __tsan_unaligned_read##size(void *address);   \
  void __tsan_unaligned_write##size(void *address);  \
  void __tsan_unaligned_read##size(void *address) {  \
    il_plain_access(address, size, false);           \
  }                                                  \
  void __tsan_unaligned_write##size(void *address) { \
    il_plain_access(address, size, true);            \
  }
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
UNALIGNED_HOOKS(16)

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_read_range(void *address, size_t size_bytes);
void __tsan_write_range(void *address, size_t size_bytes);
void *__tsan_memcpy(void *to, const void *from, size_t size_bytes);
void *__tsan_memset(void *to, int byte, size_t size_bytes);

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) {
  (void)caller;
}
void __tsan_func_exit(void) {}
void __tsan_read_range(void *address, size_t size_bytes) {
  il_plain_access(address, size_bytes, false);
}
void __tsan_write_range(void *address, size_t size_bytes) {
  il_plain_access(address, size_bytes, true);
}
void *__tsan_memcpy(void *to, const void *from, size_t size_bytes) {
  return il_memcpy(to, from, size_bytes);
}
void *__tsan_memset(void *to, int byte, size_t size_bytes) {
  return il_memset(to, byte, size_bytes);
}
