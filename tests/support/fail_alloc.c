/* The linker's --wrap sends each call of malloc to __wrap_malloc and lets __real_malloc mean the original. The counters
 * are atomic: workers of a team allocate too. */
#include "tests/support/fail_alloc.h"

#include "core/base/atomic.h"
#include "tests/support/hd_test.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_mprotect(void *at, size_t size, int protection);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_mprotect(void *at, size_t size, int protection);

static hd_atomic_u32 armed;
static hd_atomic_u64 made, allowed;
static hd_atomic_u32 keeps_failing;
static hd_atomic_i64 live;

void hd_fail_alloc_after(uint64_t successes, bool for_good) {
  hd_store_seq(&made, 0);
  hd_store_seq(&allowed, successes);
  hd_store_seq(&keeps_failing, for_good ? 1u : 0u);
  hd_store_seq(&armed, 1);
}

uint64_t hd_fail_alloc_stop(void) {
  hd_store_seq(&armed, 0);
  return hd_load_seq(&made);
}

static bool must_fail(void) {
  if (hd_load_seq(&armed) == 0) {
    return false;
  }
  uint64_t number = hd_add_acqrel(&made, 1);
  uint64_t limit = hd_load_seq(&allowed);
  if (number == limit || (number > limit && hd_load_seq(&keeps_failing) != 0)) {
    errno = ENOMEM;
    return true;
  }
  return false;
}

/* `block` is what an allocator gave. */
static void *counted(void *block) {
  hd_fail_alloc_note(block != NULL);
  return block;
}

void *__wrap_malloc(size_t size) {
  return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return must_fail() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
  if (must_fail()) {
    return NULL;
  }
  void *block = __real_realloc(old, size);
  hd_fail_alloc_note(block != NULL && old == NULL);
  return block;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return must_fail() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *block) {
  hd_fail_alloc_note(block == NULL ? 0 : -1);
  __real_free(block);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  return must_fail() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

int __wrap_mprotect(void *at, size_t size, int protection) {
  return must_fail() ? -1 : __real_mprotect(at, size, protection);
}

int64_t hd_fail_alloc_live(void) {
  return hd_load_seq(&live);
}

void hd_fail_alloc_note(int64_t blocks) {
  hd_add_acqrel(&live, blocks);
}

int64_t hd_fail_alloc_sweep(bool (*run)(void *payload, bool *succeeded), void *payload) {
  int64_t failures = 0;
  for (int for_good = 0; for_good <= 1; for_good++) {
    bool happened = true;
    for (uint64_t successes = 0; happened; successes++) {
      int64_t before = hd_fail_alloc_live();
      bool succeeded = false;
      hd_fail_alloc_after(successes, for_good == 1);
      bool behaved = run(payload, &succeeded);
      happened = hd_fail_alloc_stop() > successes;
      if (!behaved || hd_fail_alloc_live() != before || succeeded == happened) {
        return -1;
      }
      failures += happened;
    }
  }
  return failures;
}

void hd_fail_alloc_exhaust(hd_status (*attempt)(uint64_t failing, uint64_t *asked)) {
  hd_status status = HD_E_NOMEM;
  uint64_t failing = 0;
  for (; status != HD_OK; failing++) {
    int64_t before = hd_fail_alloc_live();
    uint64_t asked = 0;
    status = attempt(failing, &asked);
    unsigned long long number = (unsigned long long)failing;
    cr_assert(status == HD_OK || status == HD_E_NOMEM, "allocation %llu: status %d", number, (int)status);
    cr_assert((status == HD_OK) == (asked <= failing), "allocation %llu failed and nobody noticed", number);
    cr_assert(hd_fail_alloc_live() == before, "allocation %llu failed and something was lost", number);
  }
  cr_assert(failing > 4); /* something was made to fail */
}
