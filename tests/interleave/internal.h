/* What the files of the explorer share. They are not instrumented and do not include the shim's names for memory. */
#ifndef HEDDLE_TESTS_INTERLEAVE_INTERNAL_H
#define HEDDLE_TESTS_INTERLEAVE_INTERNAL_H

#include "core/base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IL_THREADS 4u

/* A vector clock: how much of each thread has happened before. */
typedef struct il_clock {
  uint32_t of[IL_THREADS];
} il_clock;

static inline void il_clock_join(il_clock *into, const il_clock *from) {
  for (uint32_t i = 0; i < IL_THREADS; i++) {
    into->of[i] = from->of[i] > into->of[i] ? from->of[i] : into->of[i];
  }
}

/* The same values as in shim.h. */
typedef enum ili_order { ILI_RELAXED, ILI_ACQUIRE, ILI_RELEASE, ILI_ACQ_REL, ILI_SEQ_CST } ili_order;
typedef enum ili_change { ILI_ADD, ILI_OR, ILI_EXCHANGE } ili_change;

typedef enum il_kind {
  IL_KIND_LOAD,
  IL_KIND_STORE,
  IL_KIND_MODIFY,
  IL_KIND_SWAP,
  IL_KIND_ARRIVE, /* at a barrier */
  IL_KIND_LEAVE,  /* it, when all have arrived */
  IL_KIND_LOCK,   /* a gate, when it is free; after a wait, when it has been woken too */
  IL_KIND_UNLOCK,
  IL_KIND_WAIT,    /* gives the gate up and waits to be woken; a LOCK follows */
  IL_KIND_WAKE,    /* everybody who waits at the gate; the caller holds it */
  IL_KIND_WAKE_ONE /* or one of them; which, is another choice */
} il_kind;

/* One operation of one thread, about to be done. */
typedef struct il_operation {
  il_kind kind;
  void *address;
  uint32_t size;
  ili_order order, failure;
  ili_change change;
  uint64_t value, expected;
  uint64_t result; /* what a load or modification saw */
  bool swapped;
} il_operation;

/* ---- explore.c ---- */
extern bool il_concurrent; /* between set-up and check */
extern uint32_t il_self;   /* the thread that runs */
extern uint32_t il_thread_count;
/* Does the operation when the scheduler lets it. */
void il_step(il_operation *operation);
/* Ends the run as wrong. */
HD_NORETURN void il_fail(const char *format, ...) HD_PRINTF(1, 2);

/* ---- memory.c ---- */
/* Loads return the newest value only: one memory for all. */
extern bool il_sequential;
void il_memory_reset(void);
/* All threads start with what has been written before. */
void il_memory_begin(void);
/* A number for the object at `address`, the same throughout the run; dense from 0. */
uint32_t il_memory_number(const void *address);
uint32_t il_memory_count(void); /* how many there are */
/* In how many ways may the thread's operation go on now? At least 1. */
uint32_t il_memory_choices(uint32_t thread, const il_operation *operation);
#define IL_OBJECTS 8192u
/* Does it, in way `choice`; 0 is what one memory for all would give. */
void il_memory_do(uint32_t thread, il_operation *operation, uint32_t choice);
/* The same without any threads. */
void il_memory_direct(il_operation *operation);
/* What has happened before the thread's present moment. */
const il_clock *il_memory_clock(uint32_t thread);
/* A lock, or a barrier: `clock` has happened before the thread's next operation. */
void il_memory_join(uint32_t thread, const il_clock *clock);
/* The thread's next plain accesses come after what it has done so far. */
void il_memory_tick(uint32_t thread);

/* ---- plain.c ---- */
void il_plain_reset(void);
void *il_plain_alloc(size_t alignment, size_t size_bytes, bool zeroed);
/* Fails the run unless the memory at `address` is alive and was made before the present moment of the thread. */
void il_plain_check_alive(const void *address);
/* A plain access. */
void il_plain_access(const void *address, size_t size_bytes, bool write);

#endif
