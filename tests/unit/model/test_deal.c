/* Chunks of states dealt out to the halves of a tree: what belongs together stays together. */
#include "core/model/internal.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

#include <stdlib.h>

enum { PAIRS = 4, WIDE = 15 };

/* Process i fills one chunk, its location and a local, and changes one global of 16 bits, which is its alone. */
static hd_model *with_globals(uint32_t pairs, uint32_t flags) {
  hd_builder *b = hd_builder_new();
  for (uint32_t i = 0; i < pairs; i++) {
    hd_process p = add_process(b, "p", 1, 1);
    hd_loc from = add_loc(b, p, flags), to = add_loc(b, p, 0);
    hd_var own = add_local(b, p, "own", 0, (1 << WIDE) - 1, 0);
    hd_var other = add_var(b, "other", 0, (1 << 16) - 1, 0);
    hd_stmt both[2] = {set(b, own, 3), set(b, other, 7)};
    add_edge(b, from, to, HD_NO_EXPR, both, 2);
  }
  return finish(b);
}

/* The number of the receiver that is built as the i-th: no deal by order alone puts it together with its sender. */
static uint32_t receiver_at(uint32_t i) {
  return i ^ 1u;
}

/* Sender i and receiver i fill a chunk each; the receiver moves when the sender does. */
static hd_model *with_receivers(void) {
  hd_builder *b = hd_builder_new();
  for (uint32_t side = 0; side < 2; side++) {
    for (uint32_t i = 0; i < PAIRS; i++) {
      hd_process p = add_process(b, side == 0 ? "sender" : "receiver", 1, 1);
      hd_loc from = add_loc(b, p, 0), to = add_loc(b, p, 0);
      hd_var own = add_local(b, p, "own", 0, (1 << WIDE) - 1, 0);
      if (side == 0) {
        add_send(b, from, to, num(b, i), num(b, 0));
        add_do(b, to, from, HD_NO_EXPR, set(b, own, 1));
      } else {
        hd_stmt take = set(b, own, 5);
        add_receive(b, from, to, num(b, receiver_at(i)), &take, 1);
        add_receive(b, to, from, num(b, receiver_at(i)), NULL, 0);
      }
    }
  }
  return finish(b);
}

/* Deals out the model's chunks and checks that every chunk is dealt out once; leaf_of[c] is the leaf of chunk c. */
static bool deal_checked(const hd_model *model, uint32_t *leaf_of) {
  uint32_t chunks = 4 * hd_model_words(model);
  uint32_t *order = calloc(chunks, sizeof *order);
  cr_assert_not_null(order);
  bool dealt = false;
  cr_assert_eq(hd_model_deal_chunks(model, order, &dealt), HD_OK);
  for (uint32_t c = 0; c < chunks; c++) {
    leaf_of[c] = UINT32_MAX;
  }
  for (uint32_t i = 0; dealt && i < chunks; i++) {
    cr_assert(order[i] < chunks && leaf_of[order[i]] == UINT32_MAX);
    leaf_of[order[i]] = i / 4;
  }
  free(order);
  return dealt;
}

static uint32_t chunk_of(const hd_model *model, uint32_t var) {
  const hdi_field *field = &model->fields.data[model->vars.data[var].field];
  return field->word * 4 + field->shift / 16u;
}

Test(deal, a_process_and_its_globals_stay_together) {
  hd_model *model = with_globals(PAIRS, 0);
  cr_assert_eq(hd_model_words(model), 2u);
  uint32_t leaf_of[8];
  cr_assert(deal_checked(model, leaf_of));
  for (uint32_t i = 0; i < PAIRS; i++) { /* variables are built in turn: own, other */
    cr_assert_eq(leaf_of[chunk_of(model, 2 * i)], leaf_of[chunk_of(model, 2 * i + 1)], "pair %u", i);
  }
  hd_model_free(model);
}

Test(deal, receivers_stay_with_their_senders) {
  hd_model *model = with_receivers();
  cr_assert_eq(hd_model_words(model), 2u);
  uint32_t leaf_of[8];
  cr_assert(deal_checked(model, leaf_of));
  for (uint32_t i = 0; i < PAIRS; i++) {
    cr_assert_eq(leaf_of[chunk_of(model, receiver_at(i))], leaf_of[chunk_of(model, PAIRS + i)], "pair %u", i);
  }
  hd_model_free(model);
}

Test(deal, every_width_is_dealt_out_whole) {
  for (uint32_t pairs = 3; pairs <= 40; pairs += pairs < 12 ? 1 : 7) {
    hd_model *model = with_globals(pairs, 0);
    uint32_t leaf_of[4 * 64];
    cr_assert(hd_model_words(model) <= 64 && deal_checked(model, leaf_of));
    hd_model_free(model);
  }
}

Test(deal, there_is_none_where_it_is_not_known_who_changes_what) {
  hd_model *model = with_globals(PAIRS, HD_LOC_EXCLUSIVE);
  uint32_t leaf_of[8];
  cr_assert(!deal_checked(model, leaf_of));
  hd_model_free(model);
}

static hd_model *failing_model;

static hd_status deal_with_failure(uint64_t failing, uint64_t *asked) {
  uint32_t order[8];
  bool dealt = true;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_model_deal_chunks(failing_model, order, &dealt);
  *asked = hd_fail_alloc_stop();
  cr_assert_eq(dealt, status == HD_OK);
  return status;
}

Test(deal, every_allocation_may_fail) {
  failing_model = with_globals(PAIRS, 0);
  hd_fail_alloc_exhaust(deal_with_failure);
  hd_model_free(failing_model);
}
