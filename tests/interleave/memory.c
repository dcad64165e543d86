/* Memory as the C17 model lets threads see it, for the explorer of tests/interleave.
 *
 * Each atomic object has its history: the values it has had, newest first, in the order in which they were stored.
 *
 *     object -> | value, writer, writer's time, what it releases | -> ... -> | value at the start |
 *               known to a thread: written, or read by somebody, before the thread's present moment
 *
 * A load may return any value that is not older than the newest one known to the thread (coherence), and a seq_cst load
 * none older than the last seq_cst store either. A read-modify-write reads the newest; a compare-and-swap may also fail
 * on an older value that it may see. An acquiring read of a releasing write, or of a read-modify-write that continues
 * its release sequence, makes everything before the write happen before the reader's next step. "Happens before" is
 * kept in vector clocks (Mattern 1989); the model is that of views (Kang, Hur, Lahav, Vafeiadis, Dreyer: A Promising
 * Semantics for Relaxed-Memory Concurrency, 2017) without promises.
 *
 * Not covered: stores that take effect in another order than they are done in (only then do two threads that write two
 * objects crosswise end with both first values), loads that return what is stored later (load buffering), and
 * consume order. A relaxed store ends the release sequence of the same thread's earlier store, as in C++20 and unlike
 * C17: the weaker reading.
 * One execution's data; reset before each. Cost: constant per operation while histories are short. */
#include "tests/interleave/internal.h"

#include <string.h>

enum { TABLE = 4 * IL_OBJECTS, MESSAGES = 1 << 16, READS = 1 << 16, NOBODY = IL_THREADS };

typedef struct message {
  uint64_t value;
  uint32_t thread, time; /* the writer, NOBODY at the start */
  uint32_t older;        /* message + 1; 0: none */
  uint32_t stamp;        /* 0, 1, ... in the object's history */
  bool releases;
  il_clock released;
} message;

/* Thread `thread` has read the value with this stamp, at its time `time`. */
typedef struct reading {
  uint32_t thread, time, stamp;
  uint32_t older; /* reading + 1; 0: none */
} reading;

typedef struct object {
  const void *address;
  uint32_t newest;     /* message + 1; 0: not accessed yet */
  uint32_t readings;   /* reading + 1 */
  uint32_t sequential; /* stamp of the last seq_cst store */
} object;

static object objects[IL_OBJECTS];
static uint32_t object_count;
static struct { uint32_t run, number; } table[TABLE];
static uint32_t run_number;
static message messages[MESSAGES];
static reading reads[READS];
static uint32_t message_count, read_count;
static il_clock clocks[IL_THREADS];
bool il_sequential;

void il_memory_reset(void) {
  object_count = message_count = read_count = 0;
  run_number++;
}

void il_memory_begin(void) {
  memset(clocks, 0, sizeof clocks);
  for (uint32_t i = 0; i < IL_THREADS; i++) {
    clocks[i].of[i] = 1;
  }
}

const il_clock *il_memory_clock(uint32_t thread) {
  return &clocks[thread];
}

void il_memory_join(uint32_t thread, const il_clock *clock) {
  il_clock_join(&clocks[thread], clock);
}

void il_memory_tick(uint32_t thread) {
  clocks[thread].of[thread]++;
}

uint32_t il_memory_number(const void *address) {
  uint64_t hash = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;
  for (uint32_t i = (uint32_t)(hash >> 40) % TABLE;; i = (i + 1) % TABLE) {
    if (table[i].run != run_number) {
      if (object_count == IL_OBJECTS) {
        il_fail("more than %u shared objects", IL_OBJECTS);
      }
      table[i].run = run_number;
      table[i].number = object_count;
      objects[object_count] = (object){.address = address};
      return object_count++;
    }
    if (objects[table[i].number].address == address) {
      return table[i].number;
    }
  }
}

uint32_t il_memory_count(void) {
  return object_count;
}

static uint64_t read_word(const void *address, uint32_t size) {
  uint64_t value = 0;
  uint32_t half;
  if (size == sizeof half) {
    memcpy(&half, address, sizeof half);
    return half;
  }
  memcpy(&value, address, sizeof value);
  return value;
}

static void write_word(void *address, uint32_t size, uint64_t value) {
  uint32_t half = (uint32_t)value;
  if (size == sizeof half) {
    memcpy(address, &half, sizeof half);
  } else {
    memcpy(address, &value, sizeof value);
  }
}

static uint64_t in_size(uint32_t size, uint64_t value) {
  return size == sizeof(uint32_t) ? (uint32_t)value : value;
}

static bool acquires(ili_order order) {
  return order == ILI_ACQUIRE || order == ILI_ACQ_REL || order == ILI_SEQ_CST;
}

static bool releases(ili_order order) {
  return order == ILI_RELEASE || order == ILI_ACQ_REL || order == ILI_SEQ_CST;
}

static uint64_t changed(const il_operation *operation, uint64_t value) {
  switch (operation->change) {
    case ILI_ADD:
      return in_size(operation->size, value + operation->value);
    case ILI_OR:
      return value | operation->value;
    case ILI_EXCHANGE:
      return operation->value;
  }
  return value;
}

void il_memory_direct(il_operation *operation) {
  uint64_t value = operation->kind == IL_KIND_STORE ? 0 : read_word(operation->address, operation->size);
  operation->result = value;
  if (operation->kind == IL_KIND_STORE) {
    write_word(operation->address, operation->size, operation->value);
  } else if (operation->kind == IL_KIND_MODIFY) {
    write_word(operation->address, operation->size, changed(operation, value));
  } else if (operation->kind == IL_KIND_SWAP) {
    operation->swapped = value == operation->expected;
    if (operation->swapped) {
      write_word(operation->address, operation->size, operation->value);
    }
  }
}

static message *push(object *o) {
  if (message_count == MESSAGES) {
    il_fail("more than %d stores", MESSAGES);
  }
  message *m = &messages[message_count++];
  *m = (message){.older = o->newest, .stamp = o->newest == 0 ? 0 : messages[o->newest - 1].stamp + 1};
  o->newest = message_count;
  return m;
}

static object *object_of(const il_operation *operation) {
  object *o = &objects[il_memory_number(operation->address)];
  if (o->newest == 0) {
    message *m = push(o);
    m->value = read_word(operation->address, operation->size);
    m->thread = NOBODY;
  }
  return o;
}

/* The stamp of the newest value that the thread knows of. */
static uint32_t known_stamp(const object *o, uint32_t thread) {
  const il_clock *now = &clocks[thread];
  uint32_t known = 0;
  for (const message *m = &messages[o->newest - 1]; m->older != 0; m = &messages[m->older - 1]) {
    if (m->time <= now->of[m->thread]) {
      known = m->stamp;
      break;
    }
  }
  for (uint32_t r = o->readings; r != 0; r = reads[r - 1].older) {
    if (reads[r - 1].stamp > known && reads[r - 1].time <= now->of[reads[r - 1].thread]) {
      known = reads[r - 1].stamp;
    }
  }
  return known;
}

static uint32_t oldest_stamp(const object *o, uint32_t thread, const il_operation *operation) {
  uint32_t known = known_stamp(o, thread);
  bool sequential = operation->kind == IL_KIND_LOAD && operation->order == ILI_SEQ_CST;
  return sequential && o->sequential > known ? o->sequential : known;
}

/* Message number `choice`, from the newest on, of those that the operation may see; NULL when there are not so many. */
static const message *choose(const object *o, uint32_t thread, const il_operation *operation, uint32_t choice) {
  const message *m = &messages[o->newest - 1];
  if (choice == 0) {
    return m;
  }
  if (il_sequential || (operation->kind != IL_KIND_LOAD && operation->kind != IL_KIND_SWAP)) {
    return NULL;
  }
  uint32_t oldest = oldest_stamp(o, thread, operation);
  while (m->older != 0) {
    m = &messages[m->older - 1];
    if (m->stamp < oldest) {
      return NULL;
    }
    if (operation->kind == IL_KIND_LOAD || m->value != operation->expected) {
      choice--;
    }
    if (choice == 0) {
      return m;
    }
  }
  return NULL;
}

uint32_t il_memory_choices(uint32_t thread, const il_operation *operation) {
  const object *o = object_of(operation);
  uint32_t choices = 1;
  while (choose(o, thread, operation, choices) != NULL) {
    choices++;
  }
  return choices;
}

static void read_message(object *o, uint32_t thread, const message *m, ili_order order) {
  if (m->stamp > known_stamp(o, thread)) {
    if (read_count == READS) {
      il_fail("more than %d loads", READS);
    }
    reads[read_count++] = (reading){thread, clocks[thread].of[thread], m->stamp, o->readings};
    o->readings = read_count;
  }
  if (acquires(order) && m->releases) {
    il_clock_join(&clocks[thread], &m->released);
  }
}

/* `seen`: what a read-modify-write has read; NULL for a store. */
static void write_message(object *o, uint32_t thread, const il_operation *operation, uint64_t value,
                          const message *seen) {
  message *m = push(o);
  m->value = value;
  m->thread = thread;
  m->time = clocks[thread].of[thread];
  if (seen != NULL && seen->releases) {
    m->releases = true;
    m->released = seen->released;
  }
  if (releases(operation->order)) {
    m->releases = true;
    il_clock_join(&m->released, &clocks[thread]);
  }
  if (operation->order == ILI_SEQ_CST) {
    o->sequential = m->stamp;
  }
  write_word(operation->address, operation->size, value);
}

void il_memory_do(uint32_t thread, il_operation *operation, uint32_t choice) {
  object *o = object_of(operation);
  const message *m = choose(o, thread, operation, choice);
  operation->result = m->value;
  if (operation->kind == IL_KIND_LOAD) {
    read_message(o, thread, m, operation->order);
  } else if (operation->kind == IL_KIND_STORE) {
    write_message(o, thread, operation, operation->value, NULL);
  } else if (operation->kind == IL_KIND_MODIFY) {
    read_message(o, thread, m, operation->order);
    write_message(o, thread, operation, changed(operation, m->value), m);
  } else {
    operation->swapped = choice == 0 && m->value == operation->expected;
    read_message(o, thread, m, operation->swapped ? operation->order : operation->failure);
    if (operation->swapped) {
      write_message(o, thread, operation, operation->value, m);
    }
  }
  il_memory_tick(thread);
}
