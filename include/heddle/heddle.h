/* heddle: check and repair concurrent systems from a C or C++ program. This is the whole public interface; it is valid
 * C11 and C++17.
 *
 *   heddle_session *session = heddle_session_new();
 *   const char *options[] = {"--bound=2", "--semantics=p2p"};
 *   char *json = NULL;
 *   int code = heddle_check_text(session, "transfer.chor", text, size, options, 2, &json);
 *   if (json != NULL) { ... one object, schema heddle.result/1 ... }
 *   else { ... heddle_session_diagnostics(session) says what is wrong ... }
 *   heddle_free(json);
 *   heddle_session_free(session);
 *
 * heddle_repair_text is used in the same way and gives the repaired text too; examples/c/repair_file.c is a program
 * that repairs a file.
 *
 * Results are what the command prints with --format json, and codes are its exit codes: nothing is told to a program
 * that is not told to a person. The library prints nothing, reads no file and no environment, never exits and installs
 * no signal handler.
 *
 * Threads. Different sessions may be used at the same time; one session by one thread at a time, except for
 * heddle_session_cancel. A check starts its own threads (--threads) and has ended them when it returns.
 * Ownership. Texts handed in are borrowed for the call. Results and repaired texts are the caller's and are freed with
 * heddle_free. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>

#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0
#define HEDDLE_VERSION_STRING "0.1.0"
/* Versions compare as numbers: major * 10000 + minor * 100 + patch. */
#define HEDDLE_VERSION (HEDDLE_VERSION_MAJOR * 10000 + HEDDLE_VERSION_MINOR * 100 + HEDDLE_VERSION_PATCH)

#if defined(__GNUC__) || defined(__clang__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call answers; the numbers are the exit codes of the command. */
typedef enum heddle_code {
  HEDDLE_HOLDS = 0,        /* holds, after a complete search; for exploring: every state was explored; for repairing: a
                              repair was found and proved, or none is needed */
  HEDDLE_VIOLATED = 1,     /* a violation was found: see "findings"; for repairing: and no repair */
  HEDDLE_USAGE = 2,        /* an option or an argument is wrong: see the diagnostics */
  HEDDLE_INPUT = 3,        /* the text is wrong: see the diagnostics */
  HEDDLE_INCONCLUSIVE = 4, /* a limit, memory or heddle_session_cancel ended the search: see "not_covered" */
  HEDDLE_INTERNAL = 5      /* a bug of heddle: see the diagnostics */
} heddle_code;

/* Version of the library that is linked, as HEDDLE_VERSION and HEDDLE_VERSION_STRING of its header. Static storage. */
HEDDLE_API int heddle_version(void);
HEDDLE_API const char *heddle_version_string(void);

/* What calls have in common: the cancel flag and the diagnostics of the last call. */
typedef struct heddle_session heddle_session;

/* A session owned by the caller; NULL when memory is out. */
HEDDLE_API heddle_session *heddle_session_new(void);
/* Frees a session that no call is using. NULL is allowed. */
HEDDLE_API void heddle_session_free(heddle_session *session);

/* Checks (or explores, as `heddle explore` does) one text.
 *
 * name           what diagnostics and the result call the text; its ending chooses the language (".chor", ".fsa"),
 *                without a known ending the text itself does. NUL-terminated UTF-8, not NULL.
 * text, size     the bytes; need no NUL at the end. text may be NULL when size is 0.
 * options        option_count options as on the command line, "--name=value" or "--name"; NULL when option_count is 0.
 *                Options about files and terminals (--emit, --progress, --format, --color, --quiet, --verbose) are
 *                refused with HEDDLE_USAGE.
 * result_json    receives one line of JSON (heddle.result/1) that ends in a newline, owned by the caller, or NULL for
 *                HEDDLE_USAGE, HEDDLE_INPUT and HEDDLE_INTERNAL, or when memory ran out before it could be written.
 *
 * Cost: that of the search; the calling thread is one of its threads. */
HEDDLE_API heddle_code heddle_check_text(heddle_session *session, const char *name, const char *text, size_t size,
                                         const char *const *options, size_t option_count, char **result_json);
HEDDLE_API heddle_code heddle_explore_text(heddle_session *session, const char *name, const char *text, size_t size,
                                           const char *const *options, size_t option_count, char **result_json);

/* Repairs one text: everything as above, with the options of `heddle repair`. The result's verdict and findings are
 * those of the given text, its "repairs" what to change, each proved: the edits in words, what they cost, and a unified
 * diff. The best one comes first.
 *
 * Options that write files or ask a person (--output, --in-place, --interactive, --choices) are refused with
 * HEDDLE_USAGE.
 *
 * repaired_text  receives the text as the best repair makes it, NUL-terminated, owned by the caller (heddle_free); NULL
 *                when there is no repair, be it that none is needed, or when memory ran out before it could be copied
 *                (then result_json receives NULL too). May itself be NULL: only the result is wanted.
 *
 * Cost: that of many checks; --timeout limits it. */
HEDDLE_API heddle_code heddle_repair_text(heddle_session *session, const char *name, const char *text, size_t size,
                                          const char *const *options, size_t option_count, char **result_json,
                                          char **repaired_text);

/* The errors and warnings of the session's last call, one `file:line:col: error: words [HD123]` a line; "" when there
 * were none. Borrowed until the next call with this session or its end. */
HEDDLE_API const char *heddle_session_diagnostics(const heddle_session *session);

/* Asks the call in progress, or when there is none the next one, to stop: it answers HEDDLE_INCONCLUSIVE unless it had
 * already found its answer. May be called from any thread and from a signal handler. */
HEDDLE_API void heddle_session_cancel(heddle_session *session);

/* Frees a result or a repaired text. NULL is allowed. */
HEDDLE_API void heddle_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
