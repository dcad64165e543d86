/* The interpreter of tier 2 (bytecode_run.h), on states of which only some bits are known: what diagram.c finds out
 * with it holds for every state that has these bits. */
#define HDI_RUN_PARTIAL 1
#include "core/model/bytecode_run.h"

hdi_ran hdi_machine_run_partial(hdi_machine *machine, uint32_t code, int64_t *value) {
  return run_code(machine, code, value);
}
