/* Go when memory runs out: the nth allocation fails, for every n. Reading must then say so, give nothing and lose
 * nothing. The allocations of tree-sitter are its own library's and not among them. */
#include "frontends/minigo/load.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <string.h>

static const char source[] =
    "package p\nimport \"sync\"\ntype t struct { c chan int; *u }\n//heddle:daemon\nfunc (x *t) f(a, b int) (err "
    "error) {\n"
    "L: for i := range x.c { select { case v := <-x.c: g(v + 1); default: break L } }\n"
    "\tgo func() { x.c <- []int{1, 2: 3}[0] }()\n\tif a > b { goto L } else { return nil }\n}\n";
static const char wrong[] = "package p\nfunc f() { g(} \n";

static const char *given;

static hd_status attempt(uint64_t failing, uint64_t *asked) {
  hd_text *text = NULL;
  hd_go_package *package = NULL;
  cr_assert(hd_text_from_bytes("t.go", given, strlen(given), &text) == HD_OK);
  const hd_text *texts[] = {text};
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_go_read(texts, 1, NULL, &package);
  *asked = hd_fail_alloc_stop();
  cr_assert((package != NULL) == (status == HD_OK));
  hd_go_package_free(package);
  hd_text_free(text);
  return status == HD_E_INPUT ? HD_OK : status; /* the wrong text: memory was enough to say so */
}

Test(go_nomem, reading) {
  given = source;
  hd_fail_alloc_exhaust(attempt);
}

Test(go_nomem, refusing) {
  given = wrong;
  hd_fail_alloc_exhaust(attempt);
}

static hd_status print(uint64_t failing, uint64_t *asked) {
  hd_text *text = NULL;
  hd_go_package *package = NULL;
  cr_assert(hd_text_from_bytes("t.go", source, strlen(source), &text) == HD_OK);
  const hd_text *texts[] = {text};
  cr_assert(hd_go_read(texts, 1, NULL, &package) == HD_OK);
  hd_buffer out = {0};
  hd_fail_alloc_after(failing, false);
  hd_go_print(&package->files[0], &out);
  *asked = hd_fail_alloc_stop();
  hd_status status = out.failed ? HD_E_NOMEM : HD_OK;
  hd_buffer_free(&out);
  hd_go_package_free(package);
  hd_text_free(text);
  return status;
}

Test(go_nomem, printing) {
  hd_fail_alloc_exhaust(print);
}

static char place[128];

static hd_status load(uint64_t failing, uint64_t *asked) {
  hd_go_source *loaded = NULL;
  hd_fail_alloc_after(failing, false);
  hd_status status = hd_go_load(place, true, NULL, &loaded);
  *asked = hd_fail_alloc_stop();
  cr_assert((loaded != NULL) == (status == HD_OK));
  hd_go_source_free(loaded);
  return status;
}

Test(go_nomem, loading) {
  temp_folder folder = temp_folder_make();
  temp_folder_write_text(&folder, "go.mod", "module m\ngo 1.22\n");
  temp_folder_write_text(&folder, "p/a.go", "package p\n");
  temp_folder_write_text(&folder, "p/b_windows.go", "package p\n");
  temp_folder_write_text(&folder, "p/c.go", "//go:build ignore\npackage main\n");
  temp_folder_write_text(&folder, "p/d_test.go", "package p_test\n");
  strcpy(place, temp_folder_path(&folder, "p"));
  hd_fail_alloc_exhaust(load);
  temp_folder_remove(&folder);
}
