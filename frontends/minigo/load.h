/* Go files from the file system: one file, or the packages of a folder. */
#ifndef HEDDLE_FRONTENDS_MINIGO_LOAD_H
#define HEDDLE_FRONTENDS_MINIGO_LOAD_H

#include "frontends/minigo/program.h"

/* A file of the folder that does not belong to the build. */
typedef struct hd_go_skipped {
  char *path; /* owned by the source */
} hd_go_skipped;

typedef struct hd_go_source {
  hd_text **texts; /* owned, in the order of their names' bytes; the packages borrow them */
  uint32_t text_count;
  hd_go_skipped *skipped; /* owned */
  uint32_t skipped_count;
  /* The folder's package with its tests; then, when it is there, the package of tests outside of it (`name_test`).
   * Owned.
   */
  hd_go_package *packages[2];
  uint32_t package_count;
  /* 22 of `go 1.22` in the go.mod of the folder or the nearest one above it; 0: there is none. */
  uint32_t go_minor;
} hd_go_source;

/* Reads a file, whatever its constraints say, or the files of a folder whose build constraints fit (constraint.h),
 * those that start with `_` or `.` apart; those that end in _test.go only when `tests`. Folders below are not entered.
 * HD_E_INPUT with diagnostics when a file is wrong, HD_E_IO with one when a file or folder cannot be read or has no Go
 * file that fits, HD_E_NOMEM; then *out is NULL. Cost: that of reading. */
hd_status hd_go_load(const char *path, bool tests, hd_diag *diag, hd_go_source **out);
void hd_go_source_free(hd_go_source *source); /* NULL allowed */

#endif
