/* Readers and printers when memory runs out: the nth allocation fails, for every n. Linked with --wrap for the
 * allocator, so it is the library's own calls that fail. A reading must then say so, give nothing and lose nothing
 * (which the address sanitizer's leak check sees). */
#include "frontends/choreography/choreography.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool counting; /* only while a reader or printer runs */
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

static const char chor[] =
    "choreography n\npeers A, B\nnever a, b\nstate s:\n  A -> B : a => t\nstate t: A -> B : b => s\nstate u:\n"
    "choreography o\nstate s: C -> D : a => s\n";
static const char fsa[] =
    ".outputs A\nq 1 ! m r\nr 1 ? n q\nu 1 ? n q\n.marking q\n--@ final r\n.end\n.outputs\nq 0 ? m q\nq 0 ! n "
    "q\n.marking q\n.end\n";

/* Runs `attempt` with a longer and longer life before the first failure, until it lives. */
static void exhaust(hd_status (*attempt)(void)) {
  hd_status status = HD_E_NOMEM;
  for (failing_call = 1; status != HD_OK; failing_call++) {
    calls = 0;
    status = attempt();
    counting = false;
    cr_assert(status == HD_OK || status == HD_E_NOMEM, "call %u: status %d", failing_call, (int)status);
    cr_assert((status == HD_OK) == (calls < failing_call), "call %u failed and nobody noticed", failing_call);
  }
  cr_assert(failing_call > 5); /* something was made to fail */
}

static hd_text *given;
static hd_chor_file *given_file;
static hd_system *given_system;

static hd_status try_chor(void) {
  hd_chor_file *file = NULL;
  counting = true;
  hd_status status = hd_chor_read(given, NULL, &file);
  counting = false;
  cr_assert((file != NULL) == (status == HD_OK));
  hd_chor_file_free(file);
  return status;
}

static hd_status try_fsa(void) {
  hd_system *system = NULL;
  counting = true;
  hd_status status = hd_fsa_read(given, NULL, &system);
  counting = false;
  cr_assert((system != NULL) == (status == HD_OK));
  hd_system_free(system);
  return status;
}

static hd_status try_printing(void) {
  hd_buffer out = {0};
  counting = true;
  hd_chor_print(given_file, &out);
  hd_fsa_print(given_system, (hd_peer){HD_NONE}, &out);
  hd_machine_print_dot(given_system, (hd_peer){HD_NONE}, &out);
  hd_machine_print_aut(given_system, (hd_peer){0}, &out);
  counting = false;
  hd_status status = out.failed ? HD_E_NOMEM : HD_OK;
  hd_buffer_free(&out);
  return status;
}

Test(read_nomem, chor) {
  cr_assert(hd_text_from_bytes("t.chor", chor, strlen(chor), &given) == HD_OK);
  exhaust(try_chor);
  hd_text_free(given);
}

Test(read_nomem, fsa) {
  cr_assert(hd_text_from_bytes("t.fsa", fsa, strlen(fsa), &given) == HD_OK);
  exhaust(try_fsa);
  hd_text_free(given);
}

Test(read_nomem, printing) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("t.chor", chor, strlen(chor), &given) == HD_OK);
  cr_assert(hd_text_from_bytes("t.fsa", fsa, strlen(fsa), &text) == HD_OK);
  cr_assert(hd_chor_read(given, NULL, &given_file) == HD_OK && hd_fsa_read(text, NULL, &given_system) == HD_OK);
  exhaust(try_printing);
  hd_chor_file_free(given_file);
  hd_system_free(given_system);
  hd_text_free(text);
  hd_text_free(given);
}
