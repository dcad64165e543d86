/* What a choreography and a system of machines can be asked without reading or printing: ends, and their release.
 *
 * Both structures live in the arena they own, the struct itself included, so that freeing is freeing the arena.
 * Threads: any, as the structures are constant once made. */
#include "frontends/choreography/choreography.h"

#include "core/base/check.h"

bool hd_chor_is_end(const hd_chor *chor, uint32_t state) {
  HD_REQUIRE(state < chor->state_count);
  return chor->has_final ? chor->states[state].final : chor->first_arc[state] == chor->first_arc[state + 1];
}

void hd_chor_file_free(hd_chor_file *file) {
  if (file != NULL) {
    hd_arena_free(file->arena);
  }
}

void hd_system_free(hd_system *system) {
  if (system != NULL) {
    hd_arena_free(system->arena);
  }
}
