/* Interned strings: equal text, equal small number. */
#ifndef HEDDLE_CORE_BASE_INTERN_H
#define HEDDLE_CORE_BASE_INTERN_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Index of an interned string, dense from 0 in order of first appearance. */
typedef struct hd_name {
  uint32_t v;
} hd_name;
#define HD_NO_NAME ((hd_name){UINT32_MAX})

typedef struct hd_names hd_names;

hd_names *hd_names_new(void);        /* NULL when memory is out */
void hd_names_free(hd_names *names); /* NULL allowed */
/* Interns `length` bytes (may contain any byte but is treated as text). *out is set on HD_OK. O(length). */
hd_status hd_names_add(hd_names *names, const char *text, size_t length, hd_name *out);
/* The number of `text`, or HD_NO_NAME when it was never added. */
hd_name hd_names_find(const hd_names *names, const char *text, size_t length);
/* NUL-terminated text of `name`, borrowed until hd_names_free. */
const char *hd_names_text(const hd_names *names, hd_name name);
size_t hd_names_count(const hd_names *names);

#endif
