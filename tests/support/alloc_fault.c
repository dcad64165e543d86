/* The wrappers behind alloc_fault.h. The linker renames calls of f to __wrap_f and offers the original as __real_f. */
#include "tests/support/alloc_fault.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static long left; /* allocations until the failing one; 0: disarmed */
static bool keep_failing, fired;
static long live;

static bool refuse(void) {
  if (fired) {
    return keep_failing;
  }
  if (left == 0 || --left != 0) {
    return false;
  }
  fired = true;
  return true;
}

void *__wrap_malloc(size_t size) {
  void *block = refuse() ? NULL : __real_malloc(size);
  live += block != NULL;
  return block;
}

void *__wrap_calloc(size_t count, size_t size) {
  void *block = refuse() ? NULL : __real_calloc(count, size);
  live += block != NULL;
  return block;
}

void *__wrap_realloc(void *old, size_t size) {
  void *block = refuse() ? NULL : __real_realloc(old, size);
  live += block != NULL && old == NULL;
  return block;
}

void __wrap_free(void *block) {
  live -= block != NULL;
  __real_free(block);
}

void alloc_fault_arm(long nth, bool all_later) {
  left = nth;
  keep_failing = all_later;
  fired = false;
}

bool alloc_fault_disarm(void) {
  bool happened = fired;
  left = 0;
  fired = keep_failing = false;
  return happened;
}

long alloc_fault_live(void) {
  return live;
}

void alloc_fault_note(long blocks) {
  live += blocks;
}

long alloc_fault_sweep(bool (*run)(void *payload, bool *succeeded), void *payload) {
  long failures = 0;
  for (int all_later = 0; all_later <= 1; all_later++) {
    bool happened = true;
    for (long nth = 1; happened; nth++) {
      long before = live;
      bool succeeded = false;
      alloc_fault_arm(nth, all_later != 0);
      bool behaved = run(payload, &succeeded);
      happened = alloc_fault_disarm();
      if (!behaved || live != before || succeeded == happened) {
        return -1;
      }
      failures += happened;
    }
  }
  return failures;
}
