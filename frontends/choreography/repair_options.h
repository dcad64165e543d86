/* The options of `heddle repair` that only choreographies know. Internal to the choreography frontend. */
#ifndef HEDDLE_FRONTENDS_CHOREOGRAPHY_REPAIR_OPTIONS_H
#define HEDDLE_FRONTENDS_CHOREOGRAPHY_REPAIR_OPTIONS_H

#include "core/base/option.h"
#include "frontends/choreography/draft.h"

/* --never 'a, b' and 'a .. b', as in the file; in the arena. HD_E_USAGE with a diagnostic; HD_E_NOMEM. */
hd_status hdi_repair_read_rules(const hd_chor_file *file, const hd_text_list *never, hd_diag *diag, hd_arena *arena,
                                hd_chor_rule **rules, uint32_t *count);

/* --costs transition=N,message=N,state=N, any of them in any order; what is not named costs 1. `text` NULL: none named.
 * HD_E_USAGE with a diagnostic, HD_E_NOMEM. */
hd_status hdi_repair_read_costs(const char *text, hd_diag *diag, hdi_edit_costs *costs);

#endif
