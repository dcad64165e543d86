/* Twins of the gate and of the mapping of pages, for kernels that run under the explorer. A gate's operations are the
 * explorer's; pages are blocks of the run's own memory. */
#include "tests/interleave/twins.h"

#include "hashing/pages.h"
#include "tests/interleave/internal.h"

#undef malloc
#undef free

void il_free(void *memory);

hd_status hd_gate_init(hd_gate *gate) {
  (void)gate;
  return HD_OK;
}

void hd_gate_clear(hd_gate *gate) {
  (void)gate;
}

static void step(il_kind kind, hd_gate *gate) {
  il_step(&(il_operation){.kind = kind, .address = gate});
}

void hd_gate_lock(hd_gate *gate) {
  step(IL_KIND_LOCK, gate);
}

void hd_gate_unlock(hd_gate *gate) {
  step(IL_KIND_UNLOCK, gate);
}

void hd_gate_wait(hd_gate *gate) {
  step(IL_KIND_WAIT, gate);
  step(IL_KIND_LOCK, gate);
}

void hd_gate_wake_all(hd_gate *gate) {
  step(IL_KIND_WAKE, gate);
}

void hd_gate_wake_one(hd_gate *gate) {
  step(IL_KIND_WAKE_ONE, gate);
}

void *hdi_pages_map(size_t size_bytes) {
  return il_plain_alloc(4096, size_bytes, true);
}

void hdi_pages_unmap(void *pages, size_t size_bytes) {
  (void)size_bytes;
  if (pages != NULL) {
    il_free(pages);
  }
}

void hdi_pages_touch(void *pages, size_t begin_bytes, size_t end_bytes) {
  (void)pages, (void)begin_bytes, (void)end_bytes;
}

size_t hdi_region_most_bytes(size_t size_bytes, size_t memory_max_bytes) {
  (void)memory_max_bytes;
  return size_bytes * 2; /* no run grows twice */
}

hd_status hdi_region_make(hdi_region *region, size_t size_bytes, size_t most_bytes) {
  *region = (hdi_region){.base = hdi_pages_map(most_bytes), .reserved_bytes = most_bytes, .size_bytes = size_bytes};
  return region->base == NULL ? HD_E_NOMEM : HD_OK;
}

hd_status hdi_region_extend(hdi_region *region, size_t size_bytes) {
  if (size_bytes > region->reserved_bytes) {
    return HD_E_NOMEM;
  }
  region->size_bytes = size_bytes;
  return HD_OK;
}

void hdi_region_free(hdi_region *region) {
  hdi_pages_unmap(region->base, region->reserved_bytes);
  *region = (hdi_region){0};
}
