/* Fuzz target: any bytes through the reader of contracts. What it accepts keeps the promises of choreography.h and is
 * patched, unchanged and rewritten, into text that is accepted again; a refusal comes with an error. */
#include "core/base/diag.h"
#include "frontends/choreography/contract.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/chor_equal.h"

#include <string.h>

/* The whole file rewritten by an empty edit of its first block reads back to the same choreography. */
static const char *rewrite(const hd_chor_file *file) {
  hdi_draft **drafts = calloc(file->block_count, sizeof(hdi_draft *));
  hd_buffer text = {0};
  const char *fault = NULL;
  if (drafts != NULL && hdi_draft_open(file, 0, NULL, &drafts[0]) == HD_OK) {
    hd_text *again = NULL;
    hd_chor_file *read = NULL;
    hd_diag *diag = hd_diag_new();
    if (hd_contract_patch(file, drafts, &text) != HD_OK ||
        hd_text_from_bytes("again", text.data, text.size_bytes, &again) != HD_OK) {
      fault = "a contract that was read cannot be written";
    } else if (hd_contract_read(again, diag, &read) != HD_OK) {
      fault = "a contract that was written cannot be read";
    } else if (read->block_count != file->block_count) {
      fault = "a contract was lost in writing";
    }
    hd_chor_file_free(read);
    hd_text_free(again);
    hd_diag_free(diag);
    hdi_draft_free(drafts[0]);
  }
  free(drafts);
  hd_buffer_free(&text);
  return fault;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  hd_text *text = NULL;
  hd_diag *diag = hd_diag_new();
  if (diag == NULL || hd_text_from_bytes("fuzz", (const char *)data, size_bytes, &text) != HD_OK) {
    hd_diag_free(diag);
    return 0;
  }
  hd_chor_file *file = NULL;
  hd_status status = hd_contract_read(text, diag, &file);
  const char *fault = NULL;
  if (status == HD_OK) {
    fault = chor_fault(file, size_bytes);
    fault = fault == NULL ? rewrite(file) : fault;
  } else if (status == HD_E_INPUT && hd_diag_errors(diag) == 0) {
    fault = "a refusal without an error";
  }
  hd_chor_file_free(file);
  hd_text_free(text);
  hd_diag_free(diag);
  fuzz_demand(fault);
  return 0;
}
