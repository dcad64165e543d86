/* Loading Go files: build constraints, folders, packages of tests, go.mod. */
#include "frontends/minigo/constraint.h"
#include "frontends/minigo/load.h"
#include "tests/support/hd_test.h"
#include "tests/support/temp_folder.h"

#include <stdlib.h>
#include <string.h>

Test(load, names) {
  static const char *const fitting[] = {"a.go",
                                        "linux.go",
                                        "amd64.go",
                                        "a_linux.go",
                                        "a_amd64.go",
                                        "a_linux_amd64.go",
                                        "a_linux_test.go",
                                        "windows_linux.go",
                                        "a_b.go",
                                        ".go"};
  static const char *const others[] = {"a_windows.go", "a_arm64.go", "a_linux_arm64.go", "a_windows_amd64.go",
                                       "a_darwin_test.go"};
  for (size_t i = 0; i < sizeof fitting / sizeof fitting[0]; i++) {
    cr_assert(hdi_go_name_fits(fitting[i]), "%s", fitting[i]);
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    cr_assert(!hdi_go_name_fits(others[i]), "%s", others[i]);
  }
}

static bool fits(const char *source) {
  hd_text *text = NULL;
  cr_assert(hd_text_from_bytes("t.go", source, strlen(source), &text) == HD_OK);
  bool value = hdi_go_text_fits(text);
  hd_text_free(text);
  return value;
}

Test(load, constraints) {
  cr_assert(fits("package p\n") && fits("") && fits("// words\n/* more */ package p\n"));
  cr_assert(fits("//go:build linux\n") && !fits("//go:build windows\n") && !fits("//go:build ignore\n"));
  cr_assert(fits("// words\n\n//go:build linux && amd64\npackage p\n") && !fits("//go:build linux && arm\n"));
  cr_assert(fits("//go:build windows || unix && !arm\n") && !fits("//go:build (windows || unix) && arm\n"));
  cr_assert(!fits("//go:build !(linux || arm)\n") && fits("//go:build !!linux\n") && fits("//go:build go1.18\n"));
  cr_assert(!fits("//go:build cgo\n") && !fits("//go:build race && linux || cgo\n"));
  cr_assert(fits("//go:build linux &&\n") && fits("//go:build (windows\n") && fits("//go:build a b\n"));
  cr_assert(fits("package p\n//go:build windows\n") && fits("/*\n//go:build windows\n*/\npackage p\n"));
  cr_assert(fits("// +build linux\n") && !fits("// +build windows darwin\n") &&
            fits("// +build windows linux,amd64\n"));
  cr_assert(!fits("// +build linux\n// +build !amd64\n") && !fits("// +build linux,!amd64\n"));
  cr_assert(fits("// +build windows\n//go:build linux\n"), "the new line decides");
}

static hd_go_source *load(const char *path, bool tests) {
  hd_go_source *source = NULL;
  hd_diag *diag = hd_diag_new();
  hd_status status = hd_go_load(path, tests, diag, &source);
  cr_assert(status == HD_OK, "%s: %s", path, hd_diag_count(diag) > 0 ? hd_diag_get(diag, 0)->message : "no message");
  hd_diag_free(diag);
  return source;
}

static void fill(const temp_folder *folder) {
  temp_folder_write_text(folder, "go.mod", "module m\n\ngo 1.21.3\n");
  temp_folder_write_text(folder, "p/b.go", "package p\n\nfunc b() { a() }\n");
  temp_folder_write_text(folder, "p/a.go", "package p\n\nfunc a() {}\n");
  temp_folder_write_text(folder, "p/a_windows.go", "package p\n\nfunc a() {}\n");
  temp_folder_write_text(folder, "p/gen.go", "//go:build ignore\n\npackage main\n");
  temp_folder_write_text(folder, "p/_old.go", "not Go\n");
  temp_folder_write_text(folder, "p/read.me", "not Go\n");
  temp_folder_write_text(folder, "p/a_test.go", "package p\n\nfunc TestA() {}\n");
  temp_folder_write_text(folder, "p/x_test.go", "// words\npackage /* here */ p_test\n\nfunc a() {}\n");
}

Test(load, a_folder) {
  temp_folder folder = temp_folder_make();
  fill(&folder);
  hd_go_source *source = load(temp_folder_path(&folder, "p"), false);
  cr_assert(source->text_count == 2 && source->package_count == 1 && source->packages[0]->file_count == 2);
  cr_assert(strstr(source->packages[0]->files[0].text->name, "p/a.go") != NULL, "in the order of names");
  cr_assert(source->skipped_count == 2 && strstr(source->skipped[0].path, "a_windows.go") != NULL);
  cr_assert(source->go_minor == 21);
  hd_go_source_free(source);
  source = load(temp_folder_path(&folder, "p/"), true);
  cr_assert(source->text_count == 4 && source->package_count == 2 && source->packages[0]->file_count == 3);
  cr_assert_str_eq(source->packages[1]->files[0].package_name.text, "p_test");
  hd_go_source_free(source);
  source = load(temp_folder_path(&folder, "p/a_windows.go"), false);
  cr_assert(source->package_count == 1 && source->go_minor == 21, "a file that is named is read");
  hd_go_source_free(source);
  temp_folder_remove(&folder);
}

static void refused(const char *path, hd_status status, const char *words) {
  hd_go_source *source = NULL;
  hd_diag *diag = hd_diag_new();
  cr_assert(hd_go_load(path, false, diag, &source) == status && source == NULL, "%s", path);
  const hd_diagnostic *first = hd_diag_get(diag, 0);
  cr_assert(strstr(first->message, words) != NULL || strstr(first->hint, words) != NULL, "%s", first->message);
  hd_diag_free(diag);
}

Test(load, what_cannot_be_loaded) {
  temp_folder folder = temp_folder_make();
  fill(&folder);
  temp_folder_write_text(&folder, "q/a.go", "package q\n\nfunc f( {\n");
  temp_folder_write_text(&folder, "q/b.go", "package r\n");
  temp_folder_write_text(&folder, "r/a.go", "package q\n");
  temp_folder_write_text(&folder, "r/b.go", "package r\n");
  refused(temp_folder_path(&folder, "nowhere"), HD_E_IO, "nowhere");
  refused(temp_folder_path(&folder, "nowhere.go"), HD_E_IO, "nowhere.go");
  refused(folder.path, HD_E_IO, "no Go file");
  refused(temp_folder_path(&folder, "q"), HD_E_INPUT, "is never closed");
  refused(temp_folder_path(&folder, "r"), HD_E_INPUT, "belongs to package 'r'");
  temp_folder_remove(&folder);
}
