/* The one error type of heddle's libraries. Detail (where, what was expected) goes into a diagnostics sink. */
#ifndef HEDDLE_CORE_BASE_STATUS_H
#define HEDDLE_CORE_BASE_STATUS_H

/* X(name, words) */
#define HD_STATUS_TABLE(X)                                                  \
  X(HD_OK, "success")                                                       \
  X(HD_E_NOMEM, "out of memory")                                            \
  X(HD_E_INPUT, "the input is wrong; the diagnostics sink says where")      \
  X(HD_E_IO, "reading or writing a file failed")                            \
  X(HD_E_USAGE, "the request is wrong")                                     \
  X(HD_E_LIMIT, "a limit (time, memory, depth, size) ended the work early") \
  X(HD_E_CANCELLED, "the caller asked to stop")                             \
  X(HD_E_INTERNAL, "an internal error, a bug of heddle")

typedef enum hd_status {
#define HDI_STATUS_ENUM(name, words) name,
  HD_STATUS_TABLE(HDI_STATUS_ENUM)
#undef HDI_STATUS_ENUM
} hd_status;

/* The words for `status`; static storage. */
const char *hd_status_words(hd_status status);

#endif
