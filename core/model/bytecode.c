/* The interpreter of tier 2 (bytecode_run.h), on states all of whose bits are known. One call runs one piece of code: a
 * condition, a channel, a value, or the statements of an edge.
 *
 * Owned by one stepper; the model is only read. Cost: one dispatch per instruction, no allocation. */
#define HDI_RUN_PARTIAL 0
#include "core/model/bytecode_run.h"

hdi_ran hdi_machine_run(hdi_machine *machine, uint32_t code, int64_t *value) {
  return run_code(machine, code, value);
}
