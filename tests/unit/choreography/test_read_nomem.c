/* Readers and printers when memory runs out: the nth allocation fails, for every n. A reading
 * must then say so, give nothing and lose nothing. */
#include "frontends/choreography/choreography.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

static const char chor[] =
    "choreography n\npeers A, B\nnever a, b\nstate s:\n  A -> B : a => t\nstate t: A -> B : b => s\nstate u:\n"
    "choreography o\nstate s: C -> D : a => s\n";
static const char fsa[] =
    ".outputs A\nq 1 ! m r\nr 1 ? n q\nu 1 ? n q\n.marking q\n--@ final r\n.end\n.outputs\nq 0 ? m q\nq 0 ! n "
    "q\n.marking q\n.end\n";

static hd_text *given;
static hd_chor_file *given_file;
static hd_system *given_system;

static hd_status try_chor(uint64_t failing, uint64_t *asked) {
  hd_chor_file *file = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_chor_read(given, NULL, &file);
  *asked = hd_fail_alloc_stop();
  cr_assert((file != NULL) == (status == HD_OK));
  hd_chor_file_free(file);
  return status;
}

static hd_status try_fsa(uint64_t failing, uint64_t *asked) {
  hd_system *system = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_fsa_read(given, NULL, &system);
  *asked = hd_fail_alloc_stop();
  cr_assert((system != NULL) == (status == HD_OK));
  hd_system_free(system);
  return status;
}

static hd_status try_printing(uint64_t failing, uint64_t *asked) {
  hd_buffer out = {0};
  hd_fail_alloc_after(failing, false);
  hd_chor_print(given_file, &out);
  hd_fsa_print(given_system, (hd_peer){HD_NONE}, &out);
  hd_machine_print_dot(given_system, (hd_peer){HD_NONE}, &out);
  hd_machine_print_aut(given_system, (hd_peer){0}, &out);
  *asked = hd_fail_alloc_stop();
  hd_status status = out.failed ? HD_E_NOMEM : HD_OK;
  hd_buffer_free(&out);
  return status;
}

Test(read_nomem, chor) {
  cr_assert(hd_text_from_bytes("t.chor", chor, strlen(chor), &given) == HD_OK);
  hd_fail_alloc_exhaust(try_chor);
  hd_text_free(given);
}

Test(read_nomem, fsa) {
  cr_assert(hd_text_from_bytes("t.fsa", fsa, strlen(fsa), &given) == HD_OK);
  hd_fail_alloc_exhaust(try_fsa);
  hd_text_free(given);
}

Test(read_nomem, printing) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("t.chor", chor, strlen(chor), &given) == HD_OK);
  cr_assert(hd_text_from_bytes("t.fsa", fsa, strlen(fsa), &text) == HD_OK);
  cr_assert(hd_chor_read(given, NULL, &given_file) == HD_OK && hd_fsa_read(text, NULL, &given_system) == HD_OK);
  hd_fail_alloc_exhaust(try_printing);
  hd_chor_file_free(given_file);
  hd_system_free(given_system);
  hd_text_free(text);
  hd_text_free(given);
}
