/* The analysis when memory runs out: the nth allocation fails, for every n. Each step
 * must say so, give nothing and lose nothing. */
#include "tests/support/chor_input.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>

static chor_input given;

static hd_status try_projecting(uint64_t failing, uint64_t *asked) {
  hd_system *system = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_project(given.file, &(hd_subset_limits){.states_max = 1000}, &system);
  *asked = hd_fail_alloc_stop();
  cr_assert((system != NULL) == (status == HD_OK));
  hd_system_free(system);
  return status;
}

static hd_status try_determinising(uint64_t failing, uint64_t *asked) {
  hd_arena *arena = hd_arena_new();
  hd_dfa dfa;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_chor_determinise(&given.file->blocks[0], arena, &(hd_subset_limits){.states_max = 1000}, &dfa);
  *asked = hd_fail_alloc_stop();
  hd_arena_free(arena);
  return status;
}

static hd_status try_deciding(uint64_t failing, uint64_t *asked) {
  hd_arena *arena = hd_arena_new();
  hd_realizability_query query = chor_input_query(&given, 2, HD_P2P, 1);
  hd_realizability answer;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_realizability_decide(&query, arena, &answer);
  *asked = hd_fail_alloc_stop();
  if (status == HD_OK && !answer.complete) {
    status = answer.end_status;
  }
  hd_arena_free(arena);
  return status;
}

static hd_realizability certified; /* what try_certifying asks a certificate for */

static void decide_for_certifying(void) {
  certified = chor_input_decide(&given, 1, HD_MAILBOX, 1);
  for (uint32_t p = 0; p < given.file->alphabet.peer_count; p++) {
    certified.lag_free = certified.lag_free_peers[p] = false; /* leaves all the work to the diamond */
  }
  certified.realizable = true;
}

static hd_status try_certifying(uint64_t failing, uint64_t *asked) {
  hd_realizability_query query = chor_input_query(&given, 1, HD_MAILBOX, 1);
  hd_certificate certificate = HD_CERTIFICATE_LAG;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_certify(&query, &certified, false, &certificate);
  *asked = hd_fail_alloc_stop();
  cr_assert(status == HD_OK || certificate == HD_CERTIFICATE_NONE);
  return status;
}

static hd_status try_the_diamond(uint64_t failing, uint64_t *asked) {
  bool holds = true;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_diamond_holds(given.file, given.system, given.dfas, HD_P2P, &holds);
  *asked = hd_fail_alloc_stop();
  cr_assert(status == HD_OK || !holds);
  return status;
}

Test(analysis_nomem, every_step_on_a_realizable_choreography) {
  chor_input_open(&given,
                  "peers A, B, C, Idle\nstate a:\n A -> B : x => b\nstate b:\n B -> C : y => c\n C -> B : z => d\n"
                  "state c:\n C -> B : z => e\nstate d:\n B -> C : y => e\nstate e:\n C -> A : w => a\n");
  hd_fail_alloc_exhaust(try_projecting);
  hd_fail_alloc_exhaust(try_determinising);
  hd_fail_alloc_exhaust(try_deciding);
  hd_fail_alloc_exhaust(try_the_diamond);
  decide_for_certifying();
  hd_fail_alloc_exhaust(try_certifying);
  chor_input_close(&given);
}

Test(analysis_nomem, a_witness_and_its_twin) {
  chor_input_open_case(&given, "tpm");
  hd_fail_alloc_exhaust(try_deciding);
  chor_input_close(&given);
}
