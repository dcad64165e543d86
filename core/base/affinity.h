/* On which cores a thread may run. */
#ifndef HEDDLE_CORE_BASE_AFFINITY_H
#define HEDDLE_CORE_BASE_AFFINITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a thread could run before it was bound. Zeroed: it was not. */
typedef struct hd_affinity {
  void *cores; /* owned */
  size_t size_bytes;
} hd_affinity;

/* How many cores the calling thread may run on; 0: not known. */
uint32_t hd_affinity_cores(void);
/* Binds the calling thread to core number `number`, counted from 0, of those it may run on. False when that is not
 * possible (there are fewer; the system refuses or does not know it): then nothing has changed. */
bool hd_affinity_bind(hd_affinity *affinity, uint32_t number);
/* Lets the calling thread, the one that was bound, run where it could before; nothing when it was not bound. */
void hd_affinity_restore(hd_affinity *affinity);

#endif
