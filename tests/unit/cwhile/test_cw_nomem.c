/* Cwhile when memory runs out: the nth allocation fails, for every n. Reading, lowering and saying must then say so,
 * give nothing and lose nothing. */
#include "frontends/cwhile/frontend.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <string.h>

static const char source[] =
    "int x = nondet(0, 1), a[2]; lock m; axiom(x < 9);\nproc p(int v, ref w) { int r; r = w; w = r + v; }\n"
    "proc q(ref l) { lock(l); unlock(l); }\n"
    "thread t { int h; L: h = async p(1, x); join(h); if (x == 1 && a[0] < 2) { q(m); } p(2, a[x]); }\n"
    "daemon thread u { while (*) { atomic { await(x > 1); if (*) { a[1] = nondet(0, 2); } } watomic { skip; } } }\n";

static hd_text *given;
static hd_cw_program *given_program;
static hd_ast given_ast;

static hd_status try_reading(uint64_t failing, uint64_t *asked) {
  hd_cw_program *program = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_cw_read(given, NULL, &program);
  *asked = hd_fail_alloc_stop();
  cr_assert((program != NULL) == (status == HD_OK));
  hd_cw_program_free(program);
  return status;
}

static hd_status lower(uint64_t failing, uint64_t *asked, bool access) {
  hd_cw_lower_options options = {.keep_err = true, .access = access, .count_switches = access};
  hd_cw_lowering *lowering = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_cw_lower(given_program, &options, &lowering);
  *asked = hd_fail_alloc_stop();
  cr_assert((lowering != NULL) == (status == HD_OK));
  hd_cw_lowering_free(lowering);
  return status;
}

static hd_status try_lowering(uint64_t failing, uint64_t *asked) {
  return lower(failing, asked, false);
}

static hd_status try_access(uint64_t failing, uint64_t *asked) {
  return lower(failing, asked, true);
}

static hd_status try_converting(uint64_t failing, uint64_t *asked) {
  hd_options options;
  hd_options_init(&options);
  options.to = HD_TO_DOT;
  hd_request request = {.options = &options};
  hd_buffer out = {0};
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_frontend_cwhile.convert(&given_ast, &request, NULL, &out);
  *asked = hd_fail_alloc_stop();
  hd_buffer_free(&out);
  hd_options_free(&options);
  return status;
}

static void run(hd_status (*attempt)(uint64_t failing, uint64_t *asked)) {
  cr_assert(hd_text_from_bytes("t.cw", source, strlen(source), &given) == HD_OK);
  cr_assert(hd_cw_read(given, NULL, &given_program) == HD_OK);
  given_ast.program = given_program;
  hd_fail_alloc_exhaust(attempt);
  hd_cw_program_free(given_program);
  hd_text_free(given);
}

Test(cw_nomem, reading) {
  run(try_reading);
}

Test(cw_nomem, lowering) {
  run(try_lowering);
}

Test(cw_nomem, lowering_by_access) {
  run(try_access);
}

Test(cw_nomem, drawing) {
  run(try_converting);
}
