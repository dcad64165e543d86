/* Fields in words: widths, no straddling, as few words as possible, values that survive packing. */
#include "core/model/internal.h"
#include "tests/support/hd_test.h"
#include "tests/unit/model/walk.h"

static uint32_t width_of(uint64_t top) {
  uint32_t width = 0;
  while (top != 0) {
    width++;
    top >>= 1;
  }
  return width;
}

/* Widths, places and overlaps of all fields. */
static void check_fields(const hd_model *model) {
  uint64_t *used = calloc(model->words, sizeof *used);
  uint32_t bits = 0;
  for (size_t i = 0; i < model->fields.count; i++) {
    const hdi_field *f = &model->fields.data[i];
    cr_assert_eq(f->width, width_of(f->top));
    bits += f->width;
    if (f->width == 0) {
      continue;
    }
    cr_assert(f->word < model->words && f->shift + f->width <= 64, "field %zu straddles", i);
    uint64_t mask = f->mask << f->shift;
    cr_assert_eq(used[f->word] & mask, 0, "field %zu overlaps another", i);
    used[f->word] |= mask;
  }
  cr_assert_eq(hd_model_bits(model), bits);
  free(used);
}

Test(layout, widths) {
  static const struct {
    int64_t lo, hi;
    uint32_t bits;
  } rows[] = {{0, 0, 0},
              {5, 5, 0},
              {0, 1, 1},
              {-1, 1, 2},
              {0, 3, 2},
              {0, 4, 3},
              {INT32_MIN, INT32_MAX, 32},
              {0, UINT32_MAX, 32},
              {0, INT64_MAX, 63},
              {INT64_MIN, -1, 63},
              {INT64_MIN, INT64_MIN, 0},
              {INT64_MAX - 1, INT64_MAX, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hd_builder *b = hd_builder_new();
    hd_var var = add_var(b, "x", rows[i].lo, rows[i].hi, rows[i].hi);
    hd_model *model = finish(b);
    const uint64_t *initial = NULL;
    cr_assert_eq(hd_model_initial(model, &initial), 1);
    cr_assert_eq(hd_model_bits(model), rows[i].bits);
    cr_assert_eq(hd_model_words(model), 1, "a state has at least one word");
    cr_assert_eq(hd_model_value(model, initial, var, 0, 0), rows[i].hi);
    hd_model_free(model);
  }
}

Test(layout, dead_location_takes_no_value_unless_someone_can_be_dead) {
  for (int dies = 0; dies < 2; dies++) {
    hd_builder *b = hd_builder_new();
    hd_process p = add_process(b, "p", 3, 3);
    hd_loc l0 = add_loc(b, p, 0);
    hd_loc l1 = add_loc(b, p, 0);
    add_skip(b, l0, l1);
    if (dies) {
      add_skip(b, l1, hd_build_dead(b, p));
    }
    hd_model *model = finish(b);
    cr_assert_eq(hd_model_bits(model), dies ? 6 : 3);
    hd_model_free(model);
  }
}

Test(layout, queue_cells_are_neighbours) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 1, 1);
  add_loc(b, p, 0);
  add_var(b, "x", 0, 1000, 0);
  hd_queue small = hd_build_queue(b, &(hd_queue_desc){.capacity = 5, .letters = 6, .owner = p});
  hd_queue large = hd_build_queue(b, &(hd_queue_desc){.capacity = 30, .letters = 7, .owner = HD_NO_PROCESS});
  hd_model *model = finish(b);
  check_fields(model);
  const hdi_queue *q = &model->queues.data[small.v];
  cr_assert(q->one_word);
  for (uint32_t i = 0; i + 1 < q->capacity; i++) {
    const hdi_field *cell = &model->fields.data[q->field + i];
    cr_assert_eq(cell[1].word, cell[0].word);
    cr_assert_eq(cell[1].shift, cell[0].shift + 3, "the head is the lowest cell");
  }
  cr_assert(!model->queues.data[large.v].one_word);
  cr_assert_eq(hd_model_words(model), 2);
  hd_model_free(model);
}

Test(layout, an_instance_stays_in_one_word) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 8, 8);
  hd_loc l0 = add_loc(b, p, 0);
  hd_loc l1 = add_loc(b, p, 0);
  add_skip(b, l0, l1);
  hd_var x = add_local(b, p, "x", 0, 7, 0);
  hd_var y = add_local(b, p, "y", 0, 4095, 0);
  hd_model *model = finish(b);
  check_fields(model);
  cr_assert_eq(hd_model_words(model), 2, "16 bits for each of 8 instances");
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t word = model->fields.data[model->instances.data[i].loc_field].word;
    cr_assert_eq(hdi_var_field(model, &model->vars.data[x.v], i, 0)->word, word);
    cr_assert_eq(hdi_var_field(model, &model->vars.data[y.v], i, 0)->word, word);
  }
  hd_model_free(model);
}

/* The least number of words for these widths, by trying everything. */
static uint32_t fewest_words(const uint32_t *widths, size_t count, uint32_t *room, uint32_t open, uint32_t best) {
  if (open >= best) {
    return best;
  }
  if (count == 0) {
    return open;
  }
  for (uint32_t i = 0; i < open; i++) {
    if (room[i] >= widths[0]) {
      room[i] -= widths[0];
      best = fewest_words(widths + 1, count - 1, room, open, best);
      room[i] += widths[0];
    }
  }
  room[open] = 64 - widths[0];
  return fewest_words(widths + 1, count - 1, room, open + 1, best);
}

Test(layout, as_few_words_as_possible) {
  uint64_t seed = 11;
  for (int round = 0; round < 300; round++) {
    hd_builder *b = hd_builder_new();
    uint32_t widths[10];
    uint32_t room[11];
    size_t count = 2 + draw_below(&seed, 9);
    for (size_t i = 0; i < count; i++) {
      widths[i] = 1 + draw_below(&seed, round % 3 == 0 ? 63 : round % 3 == 1 ? 32 : 24);
      add_var(b, "x", 0, (int64_t)((UINT64_MAX >> (64 - widths[i]))), 0);
    }
    hd_model *model = finish(b);
    check_fields(model);
    uint32_t best = fewest_words(widths, count, room, 0, UINT32_MAX);
    cr_assert_eq(hd_model_words(model), best, "round %d: %u words, %u are enough", round, hd_model_words(model), best);
    hd_model_free(model);
  }
}

/* First fit decreasing needs three words here, two are enough. */
Test(layout, better_than_first_fit_decreasing) {
  static const uint32_t widths[] = {30, 24, 20, 20, 18, 16};
  hd_builder *b = hd_builder_new();
  for (size_t i = 0; i < 6; i++) {
    add_var(b, "x", 0, (int64_t)(UINT64_MAX >> (64 - widths[i])), 0);
  }
  hd_model *model = finish(b);
  check_fields(model);
  cr_assert_eq(hd_model_words(model), 2);
  hd_model_free(model);
}

Test(layout, random_systems_are_packed_and_read_back) {
  uint64_t seed = 5;
  for (int round = 0; round < 200; round++) {
    hd_builder *b = hd_builder_new();
    hd_process p = add_process(b, "p", 1 + draw_below(&seed, 4), 1);
    add_loc(b, p, 0);
    hd_var vars[12];
    int64_t values[12];
    uint32_t count = 1 + draw_below(&seed, 12);
    for (uint32_t i = 0; i < count; i++) {
      uint64_t top = draw(&seed) >> (1 + draw_below(&seed, 63));
      int64_t lo = (int64_t)(draw(&seed) >> 1) - INT64_MAX;
      lo = (uint64_t)lo + top > (uint64_t)INT64_MAX && lo >= 0 ? 0 : lo;
      values[i] = (int64_t)((uint64_t)lo + (top == 0 ? 0 : draw(&seed) % top));
      hd_var_desc desc = {.lo = lo, .hi = (int64_t)((uint64_t)lo + top), .length = 1 + draw_below(&seed, 3)};
      desc.init_lo = desc.init_hi = values[i];
      desc.process = draw_below(&seed, 2) == 0 ? p : HD_NO_PROCESS;
      vars[i] = hd_build_var(b, &desc);
    }
    hd_build_queue(
        b, &(hd_queue_desc){.capacity = 1 + draw_below(&seed, 9), .letters = 1 + draw_below(&seed, 30), .owner = p});
    hd_model *model = finish(b);
    check_fields(model);
    const uint64_t *state = NULL;
    cr_assert_eq(hd_model_initial(model, &state), 1);
    cr_assert(hd_model_state_is_valid(model, state));
    for (uint32_t i = 0; i < count; i++) {
      for (uint32_t e = 0; e < hd_model_var_length(model, vars[i]); e++) {
        cr_assert_eq(hd_model_value(model, state, vars[i], hd_model_instances(model) - 1, e), values[i]);
      }
    }
    hd_model_free(model);
  }
}

Test(layout, invalid_states_are_told) {
  hd_builder *b = hd_builder_new();
  hd_process p = add_process(b, "p", 2, 1);
  add_loc(b, p, 0);
  add_loc(b, p, 0);
  hd_var x = add_local(b, p, "x", 0, 2, 1);
  hd_queue q = hd_build_queue(b, &(hd_queue_desc){.capacity = 2, .letters = 1, .owner = p});
  hd_model *model = finish(b);
  const uint64_t *initial = NULL;
  (void)hd_model_initial(model, &initial);
  cr_assert_eq(hd_model_words(model), 1);
  uint64_t state = *initial;
  cr_assert(hd_model_state_is_valid(model, &state));
  hdi_field_put(hdi_var_field(model, &model->vars.data[x.v], 0, 0), &state, 3);
  cr_assert(!hd_model_state_is_valid(model, &state), "outside the domain");
  state = *initial;
  hdi_field_put(hdi_var_field(model, &model->vars.data[x.v], 1, 0), &state, 0);
  cr_assert(!hd_model_state_is_valid(model, &state), "a dead instance that is not reset");
  state = *initial;
  hdi_field_put(&model->fields.data[model->queues.data[q.v].field + 1], &state, 1);
  cr_assert(!hd_model_state_is_valid(model, &state), "a gap in a queue");
  state = *initial | (uint64_t)1 << 63;
  cr_assert(!hd_model_state_is_valid(model, &state), "a bit that no field owns");
  hd_model_free(model);
}
