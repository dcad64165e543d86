/* Interned names. */
#include "core/base/intern.h"
#include "tests/support/expect_failed_check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/hd_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static hd_name add(hd_names *names, const char *text) {
  hd_name name = HD_NO_NAME;
  cr_assert(hd_names_add(names, text, strlen(text), &name) == HD_OK);
  return name;
}

Test(intern, numbers_are_dense_in_order_of_appearance) {
  hd_names *names = hd_names_new();
  cr_assert(hd_names_count(names) == 0);
  char text[16];
  for (uint32_t i = 0; i < 20000; i++) {
    (void)snprintf(text, sizeof text, "n%u", i);
    cr_assert(add(names, text).v == i);
    cr_assert(add(names, text).v == i, "the second time it is the same number");
    cr_assert(hd_names_count(names) == i + 1);
  }
  for (uint32_t i = 0; i < 20000; i++) {
    (void)snprintf(text, sizeof text, "n%u", i);
    cr_assert(hd_names_find(names, text, strlen(text)).v == i);
    cr_assert_str_eq(hd_names_text(names, (hd_name){i}), text);
  }
  hd_names_free(names);
  hd_names_free(NULL);
}

Test(intern, texts_are_copied_and_stay_where_they_are) {
  hd_names *names = hd_names_new();
  char text[] = "peer";
  hd_name peer = add(names, text);
  const char *kept = hd_names_text(names, peer);
  text[0] = 'b';
  cr_assert_str_eq(kept, "peer");
  for (int i = 0; i < 5000; i++) {
    char other[16];
    (void)snprintf(other, sizeof other, "other%d", i);
    add(names, other);
  }
  cr_assert(hd_names_text(names, peer) == kept);
  hd_names_free(names);
}

Test(intern, length_counts_and_any_byte_is_text) {
  hd_names *names = hd_names_new();
  hd_name a, b, c, empty;
  cr_assert(hd_names_add(names, "ab", 1, &a) == HD_OK);
  cr_assert(hd_names_add(names, "a\0b", 3, &b) == HD_OK);
  cr_assert(hd_names_add(names, "a\0c", 3, &c) == HD_OK);
  cr_assert(hd_names_add(names, NULL, 0, &empty) == HD_OK);
  cr_assert(a.v == 0 && b.v == 1 && c.v == 2 && empty.v == 3);
  cr_assert_str_eq(hd_names_text(names, a), "a");
  cr_assert(memcmp(hd_names_text(names, b), "a\0b", 4) == 0);
  cr_assert(hd_names_find(names, "", 0).v == empty.v);
  hd_names_free(names);
}

Test(intern, absent_names_are_not_found) {
  hd_names *names = hd_names_new();
  cr_assert(hd_names_find(names, "x", 1).v == HD_NO_NAME.v, "not even in an empty table");
  add(names, "x");
  cr_assert(hd_names_find(names, "X", 1).v == HD_NO_NAME.v);
  cr_assert(hd_names_find(names, "xx", 2).v == HD_NO_NAME.v);
  cr_assert(hd_names_find(names, "", 0).v == HD_NO_NAME.v);
  cr_assert(hd_names_count(names) == 1, "looking adds nothing");
  EXPECT_FAILED_CHECK(hd_names_text(names, HD_NO_NAME));
  EXPECT_FAILED_CHECK(hd_names_text(names, (hd_name){1}));
  EXPECT_FAILED_CHECK(hd_names_find(names, NULL, 1));
  hd_names_free(names);
}

static bool use_names(void *payload, bool *succeeded) {
  (void)payload;
  hd_names *names = hd_names_new();
  if (names == NULL) {
    return true;
  }
  bool good = true;
  uint32_t kept = 0;
  for (int i = 0; i < 300; i++) {
    char text[64];
    (void)snprintf(text, sizeof text, "%060d", i);
    hd_name name = HD_NO_NAME;
    hd_status status = hd_names_add(names, text, strlen(text), &name);
    good = good && (status == HD_OK ? name.v == kept : status == HD_E_NOMEM && name.v == HD_NO_NAME.v);
    good = good && hd_names_find(names, text, strlen(text)).v == name.v;
    kept += status == HD_OK;
    good = good && hd_names_count(names) == kept;
  }
  hd_names_free(names);
  *succeeded = kept == 300;
  return good;
}

Test(intern, no_memory_is_reported_and_leaves_no_half_made_name) {
  cr_assert(hd_fail_alloc_sweep(use_names, NULL) > 10);
}
