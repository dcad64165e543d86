/* Fuzz target: any bytes through the .cw reader, and what it accepts through the making of the model. Read, print, read
 * again must give the same program, and a refusal must come with an error (see cw_reading_fault). */
#include "frontends/cwhile/lower.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/cw_equal.h"

/* Larger programs only take time. */
#define LOWERED_BYTES_MAX 4096u

static void lower(const char *data, size_t size_bytes) {
  hd_text *text = NULL;
  hd_cw_program *program = NULL;
  if (hd_text_from_bytes("input.cw", data, size_bytes, &text) == HD_OK && hd_cw_read(text, NULL, &program) == HD_OK &&
      program->statement_count < 200) {
    for (int access = 0; access < 2; access++) {
      hd_cw_lower_options options = {.keep_err = true, .access = access != 0, .count_switches = access != 0};
      hd_cw_lowering *lowering = NULL;
      hd_status status = hd_cw_lower(program, &options, &lowering);
      fuzz_demand(status == HD_OK || status == HD_E_LIMIT || status == HD_E_NOMEM ? NULL : "a program without a model");
      hd_cw_lowering_free(lowering);
    }
  }
  hd_cw_program_free(program);
  hd_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  fuzz_demand(cw_reading_fault((const char *)data, size_bytes));
  if (size_bytes <= LOWERED_BYTES_MAX) {
    lower((const char *)data, size_bytes);
  }
  return 0;
}
