/* The analysis when memory runs out: the nth allocation fails, for every n. Linked with --wrap for the allocator, so it
 * is the library's own calls that fail. Each step must say so, give nothing and lose nothing (which the address
 * sanitizer's leak check sees). */
#include "tests/support/chor_input.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool counting; /* only while the analysis runs */
static unsigned calls, failing_call;

static bool fails_now(void) {
  return counting && ++calls == failing_call;
}
void *__wrap_malloc(size_t size) {
  return fails_now() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  return fails_now() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size) {
  return fails_now() ? NULL : __real_realloc(old, size);
}

static chor_input given;

static hd_status try_projecting(void) {
  hd_system *system = NULL;
  counting = true;
  hd_status status = hd_project(given.file, &(hd_subset_limits){.states_max = 1000}, &system);
  counting = false;
  cr_assert((system != NULL) == (status == HD_OK));
  hd_system_free(system);
  return status;
}

static hd_status try_determinising(void) {
  hd_arena *arena = hd_arena_new();
  hd_dfa dfa;
  counting = true;
  hd_status status = hd_chor_determinise(&given.file->blocks[0], arena, &(hd_subset_limits){.states_max = 1000}, &dfa);
  counting = false;
  hd_arena_free(arena);
  return status;
}

static hd_status try_deciding(void) {
  hd_arena *arena = hd_arena_new();
  hd_realizability_query query = chor_input_query(&given, 2, HD_P2P, 1);
  hd_realizability answer;
  counting = true;
  hd_status status = hd_realizability_decide(&query, arena, &answer);
  counting = false;
  if (status == HD_OK && !answer.complete) {
    status = answer.end_status;
  }
  hd_arena_free(arena);
  return status;
}

static hd_status try_certifying(void) {
  hd_realizability answer = chor_input_decide(&given, 1, HD_MAILBOX, 1);
  for (uint32_t p = 0; p < given.file->alphabet.peer_count; p++) {
    answer.lag_free = answer.lag_free_peers[p] = false; /* leaves all the work to the diamond */
  }
  answer.realizable = true;
  hd_realizability_query query = chor_input_query(&given, 1, HD_MAILBOX, 1);
  hd_certificate certificate = HD_CERTIFICATE_LAG;
  counting = true;
  hd_status status = hd_certify(&query, &answer, false, &certificate);
  counting = false;
  cr_assert(status == HD_OK || certificate == HD_CERTIFICATE_NONE);
  return status;
}

static hd_status try_the_diamond(void) {
  bool holds = true;
  counting = true;
  hd_status status = hd_diamond_holds(given.file, given.system, given.dfas, HD_P2P, &holds);
  counting = false;
  cr_assert(status == HD_OK || !holds);
  return status;
}

/* Runs `attempt` with a longer and longer life before the first failure, until it lives. */
static void exhaust(hd_status (*attempt)(void)) {
  hd_status status = HD_E_NOMEM;
  for (failing_call = 1; status != HD_OK; failing_call++) {
    calls = 0;
    status = attempt();
    cr_assert(status == HD_OK || status == HD_E_NOMEM, "call %u: status %d", failing_call, (int)status);
    cr_assert((status == HD_OK) == (calls < failing_call), "call %u failed and nobody noticed", failing_call);
  }
  cr_assert(failing_call > 5); /* something was made to fail */
}

Test(analysis_nomem, every_step_on_a_realizable_choreography) {
  chor_input_open(&given,
                  "peers A, B, C, Idle\nstate a:\n A -> B : x => b\nstate b:\n B -> C : y => c\n C -> B : z => d\n"
                  "state c:\n C -> B : z => e\nstate d:\n B -> C : y => e\nstate e:\n C -> A : w => a\n");
  exhaust(try_projecting);
  exhaust(try_determinising);
  exhaust(try_deciding);
  exhaust(try_the_diamond);
  exhaust(try_certifying);
  chor_input_close(&given);
}

Test(analysis_nomem, a_witness_and_its_twin) {
  chor_input_open_case(&given, "tpm");
  exhaust(try_deciding);
  chor_input_close(&given);
}
