/* The complete strategy when memory runs out: the nth allocation fails, for every n of a small search and for a growing
 * stride of n in larger ones. Each run must say so, lose nothing, and the next one answers as if nothing had been. */
#include "frontends/choreography/repair.h"
#include "tests/support/chor_input.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

/* Two pairs that know nothing of each other, one to speak first. */
static const char RACE[] = "state a:\n A -> B : x => b\nstate b:\n C -> D : y => c\n";
/* A choice that the third peer does not learn of. */
static const char CHOICE[] =
    "state a:\n A -> B : x => b\n A -> B : y => c\nstate b:\n C -> B : u => d\nstate c:\n C -> B : v => d\n";

static chor_input given;
static hdi_repair_query query;
static uint32_t found; /* repairs of the last run that was not refused anything */

static void open_query(const char *text, hdi_mechanism mechanism, uint32_t tries) {
  found = 0;
  chor_input_open(&given, text);
  query = (hdi_repair_query){.file = given.file, .bound = 1, .tries_max = tries, .repairs_max = 4, .threads = 1};
  query.wanted[mechanism] = true;
}

static hd_status try_the_block(uint64_t failing, uint64_t *asked) {
  hdi_repair_answer answer;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_repair_block(&query, &answer);
  *asked = hd_fail_alloc_stop();
  cr_assert(status == HD_OK || (answer.repairs == NULL && answer.arena == NULL));
  found = status == HD_OK ? answer.repair_count : found;
  hdi_repair_answer_clear(&answer);
  return status;
}

/* Refuses about `points` of the allocations that an attempt makes, the first ones and then some of all parts. */
static void exhaust_some(hd_status (*attempt)(uint64_t failing, uint64_t *asked), uint64_t points) {
  uint64_t all = 0, asked = 0, refused = 0;
  cr_assert_eq(attempt(UINT64_MAX, &all), HD_OK);
  uint64_t stride = all / points + 1;
  for (uint64_t failing = 0; failing < all; failing += failing < points / 4 ? 1 : stride) {
    int64_t before = hd_fail_alloc_live();
    hd_status status = attempt(failing, &asked);
    cr_assert_eq(status, HD_E_NOMEM, "allocation %d of %d failed: status %d", (int)failing, (int)all, (int)status);
    cr_assert_eq(hd_fail_alloc_live(), before, "allocation %d of %d failed and something was lost", (int)failing,
                 (int)all);
    refused++;
  }
  cr_assert_gt(refused, 4u);
}

Test(strategy_nomem, relaxations) {
  open_query(RACE, HDI_MECHANISM_RELAXATION, 6);
  exhaust_some(try_the_block, HD_TEST_COUNT(800));
  cr_assert_gt(found, 0u);
  chor_input_close(&given);
}

Test(strategy_nomem, relaxations_and_the_one_that_always_exists) {
  open_query(CHOICE, HDI_MECHANISM_RELAXATION, 1);
  exhaust_some(try_the_block, HD_TEST_COUNT(800));
  cr_assert_gt(found, 0u);
  chor_input_close(&given);
}

Test(strategy_nomem, restrictions) {
  open_query(RACE, HDI_MECHANISM_RESTRICTION, 12);
  exhaust_some(try_the_block, HD_TEST_COUNT(800));
  cr_assert_gt(found, 0u);
  chor_input_close(&given);
}

Test(strategy_nomem, restrictions_and_the_one_that_always_exists) {
  open_query(CHOICE, HDI_MECHANISM_RESTRICTION, 1);
  exhaust_some(try_the_block, HD_TEST_COUNT(800));
  cr_assert_gt(found, 0u);
  chor_input_close(&given);
}

Test(strategy_nomem, mixtures_on_two_threads) {
  open_query(RACE, HDI_MECHANISM_MIXTURE, 8);
  query.threads = 2;
  exhaust_some(try_the_block, HD_TEST_COUNT(60));
  chor_input_close(&given);
}

static hd_status try_the_least(uint64_t failing, uint64_t *asked) {
  hdi_draft *draft = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_least_relaxation(&query, &draft);
  *asked = hd_fail_alloc_stop();
  cr_assert((draft != NULL) == (status == HD_OK));
  hdi_draft_free(draft);
  return status;
}

static hd_status try_the_fallbacks(uint64_t failing, uint64_t *asked) {
  hdi_draft *draft = NULL;
  hdi_sync_site *sites = NULL;
  size_t count = 0;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_fallback_relaxation(&query, &draft);
  cr_assert((draft != NULL) == (status == HD_OK));
  hd_arena *arena = status == HD_OK ? hd_arena_new() : NULL;
  if (status == HD_OK) {
    status = arena == NULL ? HD_E_NOMEM : hdi_fallback_sites(&query, arena, &sites, &count);
  }
  *asked = hd_fail_alloc_stop();
  hd_arena_free(arena);
  hdi_draft_free(draft);
  return status;
}

Test(strategy_nomem, what_always_exists_and_the_least) {
  open_query(CHOICE, HDI_MECHANISM_RELAXATION, 1);
  hd_fail_alloc_exhaust(try_the_least);
  hd_fail_alloc_exhaust(try_the_fallbacks);
  chor_input_close(&given);
  /* many arcs, so that the tables do not fit what an arena has at first */
  hd_buffer text = {0};
  hd_buffer_add_text(&text, "state s0:\n");
  for (uint32_t i = 0; i < 300; i++) {
    hd_buffer_printf(&text, " A -> B : m%u => s1\n", i);
  }
  open_query(text.data, HDI_MECHANISM_RELAXATION, 1);
  exhaust_some(try_the_least, 80);
  hd_fail_alloc_exhaust(try_the_fallbacks);
  chor_input_close(&given);
  hd_buffer_free(&text);
}

/* Answers of the user, one after another. */
static const char *const SCRIPT[] = {"more", "nonsense", "1", "back", "2", "1", "1", "q"};
static size_t said;

static const char *answer_next(void *payload, const char *text, bool again) {
  cr_assert(payload == NULL && strlen(text) > 0 && again == (strstr(text, "not one of the choices") != NULL));
  return said < sizeof SCRIPT / sizeof SCRIPT[0] ? SCRIPT[said++] : NULL;
}

static hd_status try_the_dialogue(uint64_t failing, uint64_t *asked) {
  hdi_draft *draft = NULL;
  bool done = false;
  said = 0;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_repair_dialogue(&query, answer_next, NULL, &draft, &done);
  *asked = hd_fail_alloc_stop();
  cr_assert((draft != NULL) == (status == HD_OK));
  hdi_draft_free(draft);
  return status;
}

Test(strategy_nomem, the_dialogue) {
  open_query(CHOICE, HDI_MECHANISM_RELAXATION, 1);
  exhaust_some(try_the_dialogue, HD_TEST_COUNT(400));
  cr_assert_gt(said, 4u);
  chor_input_close(&given);
}
