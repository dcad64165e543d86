/* Bump allocation: many small objects with one lifetime. Not thread-safe: one arena per owner or worker. */
#ifndef HEDDLE_CORE_BASE_ARENA_H
#define HEDDLE_CORE_BASE_ARENA_H

#include "core/base/compiler.h"

#include <stddef.h>

typedef struct hd_arena hd_arena;

/* A new empty arena, owned by the caller; NULL when memory is out. */
hd_arena *hd_arena_new(void);
/* Frees the arena and everything allocated from it. NULL is allowed. */
void hd_arena_free(hd_arena *arena);
/* `size_bytes` zeroed bytes aligned for any object, valid until the arena is freed or reset; NULL when memory is out.
 * O(1) amortised. */
void *hd_arena_alloc(hd_arena *arena, size_t size_bytes);
/* As hd_arena_alloc for `count` objects of `size_bytes`; NULL on overflow too. */
void *hd_arena_alloc_array(hd_arena *arena, size_t count, size_t size_bytes);
/* A NUL-terminated copy of `length` bytes. */
char *hd_arena_copy_text(hd_arena *arena, const char *text, size_t length);
/* printf into the arena. */
HD_PRINTF(2, 3) char *hd_arena_printf(hd_arena *arena, const char *format, ...);
/* Forgets every object but keeps the largest block for reuse. */
void hd_arena_reset(hd_arena *arena);
/* Bytes obtained from the system so far. */
size_t hd_arena_size_bytes(const hd_arena *arena);

#endif
