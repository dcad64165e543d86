/* Keeps every chunk of a search instead of giving it back.
 *
 *   epochs:  | level 0, sub 0 | level 0, sub 1 | level 1, sub 0 | ...
 *   chunks:  | c c c          | c              | c c            | ...      each as long as its states
 *
 * A sub-level is the set of states first reached with a given number of weight-0 steps after a given number of
 * weight-1 steps. Chunks are cut to their contents, so that 10^6 levels of one state cost some tens of bytes each.
 * Threads: written by worker 0 while the others wait; read-only afterwards. */
#include "core/explore/history.h"

#include <string.h>

hd_status hdi_history_begin(hdi_history *history, uint64_t level, uint32_t sub) {
  return hdi_epochs_push(&history->epochs, (hdi_epoch){.level = level, .sub = sub, .first = history->chunks.count});
}

hd_status hdi_history_add(hdi_history *history, hdi_list *list, hdi_pool *pool) {
  size_t more = 0;
  for (const hdi_chunk *chunk = list->first; chunk != NULL; chunk = chunk->next) {
    more++;
  }
  if (hdi_chunks_reserve(&history->chunks, history->chunks.count + more) != HD_OK) {
    return HD_E_NOMEM;
  }
  hdi_epoch *epoch = &history->epochs.data[history->epochs.count - 1];
  hdi_chunk **link = &list->first;
  while (*link != NULL) {
    *link = hdi_pool_keep(pool, *link);
    list->last = *link;
    history->chunks.data[history->chunks.count++] = *link;
    epoch->states += (*link)->count;
    epoch->chunk_count++;
    link = &(*link)->next;
  }
  return HD_OK;
}

void hdi_history_clear(hdi_history *history, hdi_pool *pool) {
  for (size_t i = 0; i < history->chunks.count; i++) {
    hdi_pool_destroy(pool, history->chunks.data[i]);
  }
  hdi_chunks_free(&history->chunks);
  hdi_epochs_free(&history->epochs);
}
