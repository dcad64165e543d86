/* Which files of a folder belong to a build: Go's build constraints, for one fixed target. */
#ifndef HEDDLE_FRONTENDS_MINIGO_CONSTRAINT_H
#define HEDDLE_FRONTENDS_MINIGO_CONSTRAINT_H

#include "core/base/text.h"

#include <stdbool.h>

/* The build that is looked at: linux on amd64 with the gc compiler and without cgo, of any release of Go 1. */

/* Does the name of a file (NAME.go, without its folder) fit: no other system or processor at its end? */
bool hdi_go_name_fits(const char *name);
/* Do the lines before the package clause fit: `//go:build`, and without it `// +build`? What cannot be read as a
 * constraint fits. */
bool hdi_go_text_fits(const hd_text *text);
/* The name in the package clause; empty when there is none. */
hd_span hdi_go_package_clause(const hd_text *text);

#endif
