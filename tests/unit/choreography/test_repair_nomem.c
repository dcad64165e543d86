/* Drafts, patches and the published algorithm when memory runs out: the nth allocation fails, for every n. Each must
 * say so, leave the draft as it was where the header promises that, and lose nothing. */
#include "frontends/choreography/paper.h"
#include "tests/support/chor_equal.h"
#include "tests/support/chor_input.h"
#include "tests/support/chor_layout.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

static chor_input given;
static hdi_draft *edited; /* of given's block 0 */

static void open_edited(void) {
  chor_input_open(
      &given,
      "# c\nstate a:\n  A -> B : x => b\n  B -> A : y => c # d\nstate b:\n  A -> B : z => b\n\nstate c:\n  B -> A "
      ": w => a\n");
  cr_assert_eq(hdi_draft_open(given.file, 0, NULL, &edited), HD_OK);
  chor_random_edits(edited, 5, 6);
}

static void close_edited(void) {
  hdi_draft_free(edited);
  chor_input_close(&given);
}

static hd_status try_opening(uint64_t failing, uint64_t *asked) {
  hdi_draft *draft = NULL, *clone = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_draft_open(given.file, 0, NULL, &draft);
  cr_assert((draft != NULL) == (status == HD_OK));
  status = status == HD_OK ? hdi_draft_clone(draft, &clone) : status;
  *asked = hd_fail_alloc_stop();
  cr_assert((clone != NULL) == (status == HD_OK));
  hdi_draft_free(draft);
  hdi_draft_free(clone);
  return status;
}

static hd_status try_the_file(uint64_t failing, uint64_t *asked) {
  hd_chor_file *file = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_draft_file(edited, false, &file);
  *asked = hd_fail_alloc_stop();
  cr_assert((file != NULL) == (status == HD_OK));
  hd_chor_file_free(file);
  return status;
}

static hd_status try_patching(uint64_t failing, uint64_t *asked) {
  hd_buffer out = {0};
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_draft_patch(given.file, &edited, &out);
  *asked = hd_fail_alloc_stop();
  hd_buffer_free(&out);
  return status;
}

static hd_status try_drawing(uint64_t failing, uint64_t *asked) {
  hd_buffer out = {0};
  hd_fail_alloc_after(failing, false);
  hdi_draft_print_dot(edited, &out);
  *asked = hd_fail_alloc_stop();
  hd_status status = out.failed ? HD_E_NOMEM : HD_OK;
  hd_buffer_free(&out);
  return status;
}

Test(repair_nomem, drafts_and_what_is_made_of_them) {
  open_edited();
  hd_fail_alloc_exhaust(try_the_file);
  hd_fail_alloc_exhaust(try_patching);
  hd_fail_alloc_exhaust(try_drawing);
  close_edited();
  /* a block whose tables do not fit an arena's first block */
  hd_buffer text = {0};
  hd_buffer_add_text(&text, "state s0:\n");
  for (uint32_t i = 0; i < 3000; i++) {
    hd_buffer_printf(&text, " A -> B : m%u => s1\n", i);
  }
  chor_input_open(&given, text.data);
  hd_fail_alloc_exhaust(try_opening);
  chor_input_close(&given);
  hd_buffer_free(&text);
}

/* One change of each kind; NULL-terminated by the end of the enumeration. */
typedef enum { ADD_STATE, ADD_ARC, ADD_MESSAGE, SPLIT, COPY, SYNC, BEGIN, CHANGE_COUNT } change;

static hd_status apply(hdi_draft *draft, change what) {
  uint32_t state, arc = draft->arc_count - 1;
  hd_message message = draft->arcs[arc].message;
  switch (what) {
    case ADD_STATE:
      return hdi_draft_add_state(draft, HD_NONE, false, &state);
    case ADD_ARC:
      return hdi_draft_add_arc(draft, 0, message, 0, HD_NONE);
    case ADD_MESSAGE:
      return hdi_draft_add_message(draft, (hd_peer){0}, (hd_peer){1}, &message);
    case SPLIT:
      return hdi_draft_split(draft, draft->arcs[arc].to, &arc, 1, &state);
    case COPY:
      return hdi_draft_copy_from(draft, 0, 1u << 20, &state);
    case SYNC:
      return hdi_draft_sync(draft, arc, true, message);
    case BEGIN:
      return hdi_draft_begin(draft, HDI_EDIT_ADD_ARC, HDI_CASE_NONE, (hd_span){0, 1}, "%s", "words");
    case CHANGE_COUNT:
      break;
  }
  return HD_E_INTERNAL;
}

/* Applies the change again and again to a clone until its arena has to grow many times, one allocation refused. */
static void exhaust_change(change what) {
  uint32_t refused = 0;
  for (uint64_t failing = 0; failing < 4; failing++) {
    hdi_draft *draft = NULL;
    cr_assert_eq(hdi_draft_clone(edited, &draft), HD_OK);
    hd_status status = HD_OK;
    hd_chor_file *before = NULL, *after = NULL;
    uint32_t cost = 0, edits = 0, messages = 0;
    for (uint32_t i = 0; i < 2000 && status == HD_OK && draft->state_count < 20000; i++) {
      cost = draft->cost;
      edits = draft->edit_count;
      messages = draft->alphabet.message_count;
      hd_chor_file_free(before);
      before = NULL;
      if (i % 16 == 0 || what == COPY) {
        cr_assert_eq(hdi_draft_file(draft, false, &before), HD_OK);
      }
      hd_fail_alloc_after(failing, false);
      status = apply(draft, what);
      uint64_t asked = hd_fail_alloc_stop();
      cr_assert_eq(status, asked > failing ? HD_E_NOMEM : HD_OK);
    }
    if (status == HD_E_NOMEM) {
      refused++;
      cr_assert_eq(draft->cost, cost);
      cr_assert_eq(draft->edit_count, edits);
      cr_assert_eq(draft->alphabet.message_count, messages);
      if (before != NULL) {
        cr_assert_eq(hdi_draft_file(draft, false, &after), HD_OK);
        const char *difference = chor_difference(before, after);
        cr_assert_null(difference, "change %d: %s", (int)what, difference);
      }
      cr_assert_eq(apply(draft, what), HD_OK, "the draft is as good as before");
    }
    hd_chor_file_free(before);
    hd_chor_file_free(after);
    hdi_draft_free(draft);
  }
  cr_assert_gt(refused, 0u, "change %d", (int)what);
}

Test(repair_nomem, a_change_that_fails_leaves_the_draft_as_it_was) {
  open_edited();
  for (int what = 0; what < CHANGE_COUNT; what++) {
    exhaust_change((change)what);
  }
  close_edited();
}

static hdi_paper_mechanism preferred;

static hd_status try_the_algorithm(uint64_t failing, uint64_t *asked) {
  hdi_paper_query query = {.file = given.file, .limits = {.states_max = 1000}, .steps_max = 12, .prefer = preferred};
  hdi_paper_run run;
  hd_fail_alloc_after(failing, false);
  hd_status status = hdi_paper_repair(&query, &run);
  *asked = hd_fail_alloc_stop();
  if (status == HD_OK) {
    hdi_paper_run_clear(&run);
  }
  return status;
}

Test(repair_nomem, the_published_algorithm) {
  static const char *const cases[] = {"branch_into_cycle", "independent_sequence", "relaxation_runs_for_ever"};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int m = HDI_PAPER_RELAX; m <= HDI_PAPER_RESTRICT; m++) {
      preferred = (hdi_paper_mechanism)m;
      chor_input_open_case(&given, cases[i]);
      hd_fail_alloc_exhaust(try_the_algorithm);
      chor_input_close(&given);
    }
  }
}
