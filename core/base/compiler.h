/* The only place for GNU extensions; every name degrades to nothing on another compiler. */
#ifndef HEDDLE_CORE_BASE_COMPILER_H
#define HEDDLE_CORE_BASE_COMPILER_H

#if defined(__GNUC__) || defined(__clang__)
#define HD_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#define HD_NORETURN __attribute__((noreturn))
#define HD_NODISCARD __attribute__((warn_unused_result))
#define HD_COLD __attribute__((cold, noinline))
#define HD_UNUSED __attribute__((unused))
#define HD_LIKELY(x) __builtin_expect(!!(x), 1)
#define HD_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HD_PREFETCH(address) __builtin_prefetch(address)
#define HD_COUNT_TRAILING_ZEROS_64(x) __builtin_ctzll(x)
#define HD_COUNT_LEADING_ZEROS_64(x) __builtin_clzll(x)
/* The vector is taken as it is now: what is computed from it later does not read its memory again. */
#if defined(__x86_64__)
#define HD_KEEP_VECTOR(vector) __asm__("" : "+v"(vector))
#endif
/* Does the processor (and the operating system) have the named instructions? */
#if defined(__x86_64__)
#define HD_CPU_HAS(name) (__builtin_cpu_supports(name) != 0)
#else
#define HD_CPU_HAS(name) false
#endif
#else
#error "heddle is built with gcc 12 or clang 14; port core/base/compiler.h first"
#endif

/* 1 under ThreadSanitizer; under it or AddressSanitizer. */
#if defined(__SANITIZE_THREAD__)
#define HD_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HD_THREAD_SANITIZER 1
#endif
#endif
#ifndef HD_THREAD_SANITIZER
#define HD_THREAD_SANITIZER 0
#endif
#if HD_THREAD_SANITIZER || defined(__SANITIZE_ADDRESS__)
#define HD_SANITIZER 1
#else
#define HD_SANITIZER 0
#endif

/* Size of the line that two cores contend for, in bytes. */
#define HD_CACHE_LINE 64

#endif
