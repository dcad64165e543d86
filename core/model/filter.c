/* Step filters: one byte of flags per location, merged with the model's own flags by hd_stepper_new. The model is not
 * touched, so one compiled model serves any number of candidates. */
#include "core/model/internal.h"

hd_filter *hd_filter_new(const hd_model *model) {
  hd_filter *filter = malloc(sizeof *filter);
  uint8_t *flags = calloc(model->locs.count, sizeof *flags);
  if (filter == NULL || flags == NULL) {
    free(filter);
    free(flags);
    return NULL;
  }
  *filter = (hd_filter){.model = model, .flags = flags};
  return filter;
}

void hd_filter_free(hd_filter *filter) {
  if (filter != NULL) {
    free(filter->flags);
    free(filter);
  }
}

static void protect(hd_filter *filter, hd_loc loc, uint32_t flag) {
  HD_REQUIRE(loc.v < filter->model->locs.count && !filter->model->locs.data[loc.v].dead);
  filter->flags[loc.v] = (uint8_t)(filter->flags[loc.v] | flag);
}

void hd_filter_protect_strong(hd_filter *filter, hd_loc loc) {
  protect(filter, loc, HD_LOC_ATOMIC);
}

void hd_filter_protect_weak(hd_filter *filter, hd_loc loc) {
  protect(filter, loc, HD_LOC_ATOMIC_WEAK);
}

void hd_filter_protect_weak_start(hd_filter *filter, hd_loc loc) {
  protect(filter, loc, HD_LOC_WEAK_START);
}
