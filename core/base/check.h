/* Three levels of run-time checks.
 *
 * HD_REQUIRE(cond)    the caller's side of a contract; always compiled in.
 * HD_ASSERT(cond)     our own reasoning; compiled in unless NDEBUG.
 * HD_INVARIANT(call)  a whole-structure check `x_is_valid(...)`; compiled in when HEDDLE_CHECK >= 2.
 *
 * A failed check calls the handler (default: abort()); the library itself prints nothing. */
#ifndef HEDDLE_CORE_BASE_CHECK_H
#define HEDDLE_CORE_BASE_CHECK_H

#include "core/base/compiler.h"

typedef void (*hd_check_handler)(const char *file, int line, const char *condition);

/* Replaces the handler for failed checks (NULL restores the default). Not thread-safe: set it before threads start.
 * The handler may print; when it returns, abort() is called. */
void hd_check_set_handler(hd_check_handler handler);

HD_COLD HD_NORETURN void hdi_check_failed(const char *file, int line, const char *condition);

#define HD_REQUIRE(cond) (HD_LIKELY(cond) ? (void)0 : hdi_check_failed(__FILE__, __LINE__, #cond))
#ifdef NDEBUG
#define HD_ASSERT(cond) ((void)sizeof((cond) ? 1 : 0))
#else
#define HD_ASSERT(cond) HD_REQUIRE(cond)
#endif
#ifndef HEDDLE_CHECK
#define HEDDLE_CHECK 1
#endif
#if HEDDLE_CHECK >= 2
#define HD_INVARIANT(cond) HD_REQUIRE(cond)
#else
#define HD_INVARIANT(cond) ((void)sizeof((cond) ? 1 : 0))
#endif

#endif
