/* The explorer of tests/interleave: runs a test's threads in every order that makes a difference.
 *
 * Threads are coroutines of one process. Before each atomic operation a thread comes to il_step, where one of the
 * threads that can go on is chosen; it does its operation and runs to its next one. A run is the list of these choices,
 * `trail`; the next run repeats it up to the last place with a choice left and differs there (stateless search,
 * Godefroid 1997):
 *
 *     trail:  | thread, way | thread, way | ... | thread, next way | new ...        the set-up runs before each
 *             |<------------- repeated ------------->|
 *
 * Choices are threads, and ways in which a load can go on (memory.c). Which threads are tried at a place is found by
 * dynamic partial-order reduction (Flanagan, Godefroid: Dynamic Partial-Order Reduction for Model Checking Software,
 * 2005): when a thread's next operation depends on an earlier one of another thread and does not come after it anyway,
 * it is also tried before it. Operations depend when they use one object and one of them writes, or both take one
 * lock. Sleep sets (Godefroid 1996) cut runs short that would repeat an order seen. So each order of dependent
 * operations is run at least once, and what the runs show holds for all interleavings. A test may bound the number of
 * preemptions instead (Musuvathi, Qadeer 2007); then there is no reduction, and the output says so.
 *
 * Operations at a barrier commute with one another and are never tried in another order. Locks count as objects; only
 * taking is in conflict with taking, for a lock that is held cannot be taken.
 *
 * A run is wrong when a harness or a kernel's own check says so, when plain.c finds a race, and when threads wait and
 * none can go on. Cost: microseconds a run. */
#include "tests/interleave/internal.h"

#include "core/base/check.h"
#include "tests/interleave/interleave.h"
#include "tests/interleave/twins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <ucontext.h>

#undef free
#undef malloc
#undef memcpy
#undef memset
#undef memcmp

enum { STEPS_MAX = 4000, STACK_BYTES = 256 * 1024, NO_THREAD = IL_THREADS, WORDS_MAX = 400 };

typedef struct place {
  uint32_t enabled, backtrack, done, asleep; /* bit sets of threads */
  uint32_t thread;
  uint32_t way, ways;
  uint32_t object;
  il_kind kind;
  bool writes;
  uint32_t time;     /* how many steps the thread had made with this one */
  uint32_t previous; /* step on the same object + 1; 0: none */
  uint32_t preempted;
} place;

/* What the reduction knows of an object. */
typedef struct conflict {
  uint32_t last;           /* step + 1 */
  il_clock written, every; /* when the steps so far were made: those that write, all */
} conflict;

typedef struct thread {
  ucontext_t context;
  sigjmp_buf resume;
  bool started, ended;
  il_operation *next;
  il_clock clock; /* steps that its present one comes after */
  bool waits;     /* at a gate, and has not been woken */
  uint32_t generation;
} thread;

bool il_concurrent;
uint32_t il_self;
uint32_t il_thread_count;

static const il_test *test;
static void *test_context;
static place trail[STEPS_MAX];
static uint32_t known, depth, deepest;
static uint32_t next_asleep;
static conflict conflicts[IL_OBJECTS];
static thread threads[IL_THREADS];
static unsigned char stacks[IL_THREADS][STACK_BYTES];
static sigjmp_buf home;
static bool starting, cut_short, wrong, quiet;
static char wrong_words[WORDS_MAX];

/* Memory and steps that come before leaving the barrier, for this time and the one before. */
struct hd_team {
  uint32_t count, arrived, generation;
  il_clock clocks[2], steps[2];
};
static struct hd_team team;

static uint32_t bit(uint32_t number) {
  return 1u << number;
}

/* ---- what is wrong ---- */

static const char *const kind_words[] = {"load",  "store", "modify", "swap", "arrive",
                                         "leave", "lock",  "unlock", "wait", "wake"};

static void print_trail(void) {
  for (uint32_t i = 0; i < depth; i++) {
    printf("    %3u  thread %u  %-7s object %u%s", i, trail[i].thread, kind_words[trail[i].kind], trail[i].object,
           trail[i].way > 0 ? "" : "\n");
    if (trail[i].way > 0) {
      printf("  (value %u before the newest)\n", trail[i].way);
    }
  }
}

void il_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(wrong_words, sizeof wrong_words, format, arguments);
  va_end(arguments);
  wrong = true;
  if (!quiet) {
    printf("%s: WRONG: %s\n", test->name, wrong_words);
    print_trail();
  }
  siglongjmp(home, 1);
}

void il_wrong(const char *file, int line, const char *words) {
  il_fail("%s:%d: %s", file, line, words);
}

static void check_failed(const char *file, int line, const char *words) {
  il_fail("%s:%d: %s", file, line, words);
}

/* ---- which operations depend on each other ---- */

static bool is_memory(il_kind kind) {
  return kind <= IL_KIND_SWAP;
}

static bool may_write(il_kind kind) {
  return kind != IL_KIND_LOAD;
}

static bool is_barrier(il_kind kind) {
  return kind == IL_KIND_ARRIVE || kind == IL_KIND_LEAVE;
}

/* May the order of the step at `p` and of a next operation be turned round? They use the same object. */
static bool turns_round(const place *p, const il_operation *next) {
  if (is_memory(next->kind)) {
    return p->writes || may_write(next->kind);
  }
  return next->kind == IL_KIND_LOCK && p->kind == IL_KIND_LOCK;
}

static bool depends(const place *p, const void *address, const il_operation *next) {
  if (next->address != address || is_barrier(next->kind)) {
    return false;
  }
  return !is_memory(next->kind) || p->writes || may_write(next->kind);
}

/* Thread `t`'s next operation must be tried before the last step that it is in a race with. */
static void add_backtracks(uint32_t t) {
  const il_operation *next = threads[t].next;
  for (uint32_t i = conflicts[il_memory_number(next->address)].last; i != 0; i = trail[i - 1].previous) {
    place *p = &trail[i - 1];
    if (p->thread == t || !turns_round(p, next) || p->time <= threads[t].clock.of[p->thread]) {
      continue;
    }
    p->backtrack |= (p->enabled & bit(t)) != 0 ? bit(t) : p->enabled;
    return;
  }
}

/* The step at `p` has been made: what comes after it. */
static void advance_clocks(place *p, const il_operation *done) {
  conflict *c = &conflicts[p->object];
  il_clock *clock = &threads[p->thread].clock;
  p->time = ++clock->of[p->thread];
  if (is_barrier(done->kind)) {
    il_clock *steps = &team.steps[threads[p->thread].generation % 2];
    il_clock_join(done->kind == IL_KIND_ARRIVE ? steps : clock, done->kind == IL_KIND_ARRIVE ? clock : steps);
    return;
  }
  il_clock_join(clock, p->writes ? &c->every : &c->written);
  il_clock_join(&c->every, clock);
  if (p->writes) {
    il_clock_join(&c->written, clock);
  }
  p->previous = c->last;
  c->last = depth + 1;
}

/* ---- twins of the team's barrier and of gates ---- */

struct hd_team *il_team(void) {
  return &team;
}

uint32_t hd_team_count(const struct hd_team *t) {
  return t->count;
}

void hd_team_barrier(struct hd_team *t) {
  if (il_concurrent) {
    il_step(&(il_operation){.kind = IL_KIND_ARRIVE, .address = t});
    il_step(&(il_operation){.kind = IL_KIND_LEAVE, .address = t});
  }
}

static void arrive(thread *self) {
  il_clock *clock = &team.clocks[team.generation % 2];
  il_clock_join(clock, il_memory_clock(il_self));
  il_memory_tick(il_self);
  self->generation = team.generation;
  if (++team.arrived == team.count) {
    team.arrived = 0;
    team.generation++;
    team.clocks[team.generation % 2] = team.steps[team.generation % 2] = (il_clock){{0}};
  }
}

typedef struct gate {
  const void *address;
  bool held;
  il_clock clock;
} gate;

static gate gates[4];
static uint32_t gate_count;

static gate *gate_at(const void *address) {
  for (uint32_t i = 0; i < gate_count; i++) {
    if (gates[i].address == address) {
      return &gates[i];
    }
  }
  if (gate_count == sizeof gates / sizeof gates[0]) {
    il_fail("too many gates");
  }
  gates[gate_count] = (gate){.address = address};
  return &gates[gate_count++];
}

static void do_gate(thread *self, const il_operation *operation) {
  gate *g = gate_at(operation->address);
  if (operation->kind == IL_KIND_LOCK) {
    g->held = true;
    il_memory_join(il_self, &g->clock);
    return;
  }
  if (!g->held) {
    il_fail("a gate is used that the thread does not hold");
  }
  if (operation->kind == IL_KIND_WAKE || operation->kind == IL_KIND_WAKE_ONE) {
    uint32_t way = 0;
    for (uint32_t t = 0; t < il_thread_count; t++) {
      bool waits = threads[t].waits && threads[t].next->address == operation->address;
      if (waits && (operation->kind == IL_KIND_WAKE || way++ == trail[depth].way)) {
        threads[t].waits = false;
        il_clock_join(&threads[t].clock, &self->clock);
      }
    }
    trail[depth].ways = way;
    return;
  }
  g->held = false;
  self->waits = operation->kind == IL_KIND_WAIT;
  il_clock_join(&g->clock, il_memory_clock(il_self));
  il_memory_tick(il_self);
}

static bool can_go_on(const thread *t) {
  if (t->ended) {
    return false;
  }
  if (t->next->kind == IL_KIND_LEAVE) {
    return team.generation != t->generation;
  }
  return t->next->kind != IL_KIND_LOCK || (!t->waits && !gate_at(t->next->address)->held);
}

/* ---- choosing ---- */

static uint32_t lowest(uint32_t set) {
  uint32_t number = 0;
  while ((set & bit(number)) == 0) {
    number++;
  }
  return number;
}

/* The threads that may go on without passing the bound on preemptions. */
static uint32_t within_bound(uint32_t enabled, uint32_t last, uint32_t preempted) {
  bool used_up = preempted + 1 >= test->preemptions_and_one;
  return used_up && last != NO_THREAD && (enabled & bit(last)) != 0 ? bit(last) : enabled;
}

/* Fills in a place that has not been visited; false when this run is not worth going on with. */
static bool make_place(place *p, uint32_t enabled) {
  uint32_t last = depth > 0 ? trail[depth - 1].thread : NO_THREAD;
  *p = (place){.enabled = enabled};
  uint32_t choice = enabled & ~next_asleep;
  if (test->preemptions_and_one > 0) {
    p->preempted = depth > 0 ? trail[depth - 1].preempted : 0;
    choice = p->backtrack = within_bound(enabled, last, p->preempted);
  } else {
    p->asleep = next_asleep;
    for (uint32_t t = 0; t < il_thread_count; t++) {
      if (!threads[t].ended && !is_barrier(threads[t].next->kind)) {
        add_backtracks(t);
      }
    }
  }
  if (choice == 0) {
    cut_short = true;
    return false;
  }
  p->thread = last != NO_THREAD && (choice & bit(last)) != 0 ? last : lowest(choice);
  p->backtrack |= bit(p->thread);
  known = depth + 1;
  return true;
}

/* Who goes on now; NO_THREAD when the run is over. */
static uint32_t pick(void) {
  uint32_t enabled = 0, waiting = 0;
  for (uint32_t t = 0; t < il_thread_count; t++) {
    enabled |= can_go_on(&threads[t]) ? bit(t) : 0;
    waiting |= threads[t].ended ? 0 : bit(t);
  }
  if (waiting == 0) {
    return NO_THREAD;
  }
  if (enabled == 0) {
    il_fail("every thread waits");
  }
  if (depth == STEPS_MAX) {
    il_fail("a run of more than %d operations", STEPS_MAX);
  }
  place *p = &trail[depth];
  if (depth >= known && !make_place(p, enabled)) {
    return NO_THREAD;
  }
  if (p->enabled != enabled) {
    fprintf(stderr, "%s: a run cannot be repeated\n", test->name);
    _Exit(2);
  }
  return p->thread;
}

/* ---- coroutines ---- */

static void go_to(sigjmp_buf from, sigjmp_buf to) {
  if (sigsetjmp(from, 0) == 0) {
    siglongjmp(to, 1);
  }
}

/* From `from` to whoever is chosen, or home. */
static void switch_from(sigjmp_buf from) {
  uint32_t chosen = pick();
  if (chosen == NO_THREAD) {
    siglongjmp(home, 1);
  }
  if (from == threads[chosen].resume) {
    return;
  }
  il_self = chosen;
  go_to(from, threads[chosen].resume);
}

static void body(void) {
  uint32_t number = il_self;
  test->thread(test_context, number);
  threads[number].ended = true;
  if (starting) {
    siglongjmp(home, 1);
  }
  static sigjmp_buf nowhere;
  switch_from(nowhere);
}

static void do_operation(thread *self, il_operation *operation) {
  place *p = &trail[depth];
  if (is_memory(operation->kind)) {
    if (p->ways == 0) {
      p->ways = il_memory_choices(il_self, operation);
    }
    il_memory_do(il_self, operation, p->way);
  } else if (operation->kind == IL_KIND_ARRIVE) {
    arrive(self);
  } else if (operation->kind == IL_KIND_LEAVE) {
    il_memory_join(il_self, &team.clocks[self->generation % 2]);
  } else {
    do_gate(self, operation);
  }
}

/* Who stays asleep: threads whose next operation has been tried here, or before, and does not depend on this one. */
static uint32_t still_asleep(const place *p, const void *address) {
  uint32_t asleep = 0;
  for (uint32_t t = 0; t < il_thread_count; t++) {
    bool tried = ((p->asleep | p->done) & bit(t)) != 0;
    if (tried && t != p->thread && !threads[t].ended && !depends(p, address, threads[t].next)) {
      asleep |= bit(t);
    }
  }
  return asleep;
}

void il_step(il_operation *operation) {
  if (!il_concurrent) {
    if (is_memory(operation->kind)) {
      il_memory_direct(operation);
    }
    return;
  }
  thread *self = &threads[il_self];
  uint32_t number = il_self;
  self->next = operation;
  if (starting) {
    go_to(self->resume, home);
  } else {
    switch_from(self->resume);
  }
  il_self = number;
  if (is_memory(operation->kind)) {
    il_plain_check_alive(operation->address);
  }
  place *p = &trail[depth];
  p->kind = operation->kind;
  p->object = il_memory_number(operation->address);
  do_operation(self, operation);
  p->writes = operation->kind == IL_KIND_SWAP ? operation->swapped : may_write(operation->kind);
  uint32_t last = depth > 0 ? trail[depth - 1].thread : NO_THREAD;
  if (last != NO_THREAD && last != number && (p->enabled & bit(last)) != 0) {
    p->preempted = trail[depth - 1].preempted + 1;
  }
  advance_clocks(p, operation);
  next_asleep = test->preemptions_and_one > 0 ? 0 : still_asleep(p, operation->address);
  depth++;
  deepest = depth > deepest ? depth : deepest;
}

/* ---- the shim's operations ---- */

uint64_t il_load(const void *address, size_t size, il_order order) {
  /* The address is only written through by operations that write. */
  il_operation operation = {.kind = IL_KIND_LOAD, .size = (uint32_t)size, .order = (ili_order)order};
  operation.address = (void *)(uintptr_t)address;
  il_step(&operation);
  return operation.result;
}

void il_store(void *address, size_t size, uint64_t value, il_order order) {
  il_step(&(il_operation){
      .kind = IL_KIND_STORE, .address = address, .size = (uint32_t)size, .value = value, .order = (ili_order)order});
}

uint64_t il_modify(void *address, size_t size, il_change change, uint64_t operand, il_order order) {
  il_operation operation = {.kind = IL_KIND_MODIFY,
                            .address = address,
                            .size = (uint32_t)size,
                            .change = (ili_change)change,
                            .value = operand,
                            .order = (ili_order)order};
  il_step(&operation);
  return operation.result;
}

bool il_swap(void *address, size_t size, uint64_t *expected, uint64_t desired, il_order order, il_order failure) {
  il_operation operation = {.kind = IL_KIND_SWAP,
                            .address = address,
                            .size = (uint32_t)size,
                            .value = desired,
                            .expected = *expected,
                            .order = (ili_order)order,
                            .failure = (ili_order)failure};
  il_step(&operation);
  if (!operation.swapped) {
    *expected = operation.result;
  }
  return operation.swapped;
}

/* ---- runs ---- */

static void start_thread(uint32_t number) {
  thread *t = &threads[number];
  *t = (thread){.started = true};
  if (getcontext(&t->context) != 0) {
    il_fail("no context");
  }
  t->context.uc_stack.ss_sp = stacks[number];
  t->context.uc_stack.ss_size = STACK_BYTES;
  t->context.uc_link = NULL;
  makecontext(&t->context, body, 0);
}

static void reset_run(void) {
  il_concurrent = false;
  il_plain_reset();
  memset(conflicts, 0, il_memory_count() * sizeof conflicts[0]);
  il_memory_reset();
  depth = next_asleep = gate_count = 0;
  il_self = 0;
  cut_short = false;
  team = (struct hd_team){.count = 1};
}

/* One run; false when it was wrong. */
static bool run(void) {
  static volatile uint32_t starter; /* survives the jumps */
  reset_run();
  if (sigsetjmp(home, 0) != 0) {
    goto ended;
  }
  test_context = test->set_up();
  team.count = test->threads;
  il_memory_begin();
  il_concurrent = starting = true;
  for (starter = 0; starter < test->threads; starter++) {
    il_self = starter;
    start_thread(starter);
    if (sigsetjmp(home, 0) == 0) {
      setcontext(&threads[starter].context);
    }
    if (wrong) {
      return false;
    }
  }
  starting = false;
  if (sigsetjmp(home, 0) == 0) {
    static sigjmp_buf nowhere;
    switch_from(nowhere);
  }
  if (!wrong && !cut_short && il_concurrent) {
    il_concurrent = false;
    team.count = 1;
    if (sigsetjmp(home, 0) == 0) {
      test->check(test_context);
    }
  }
ended:
  il_concurrent = false;
  return !wrong;
}

/* Turns to the next choice; false when there is none left. */
static bool next_run(void) {
  while (known > 0) {
    place *p = &trail[known - 1];
    if (p->way + 1 < p->ways) {
      p->way++;
      return true;
    }
    p->done |= bit(p->thread);
    uint32_t left = p->backtrack & ~p->done & ~p->asleep;
    if (left != 0) {
      p->thread = lowest(left);
      p->way = p->ways = 0;
      return true;
    }
    known--;
  }
  return false;
}

/* False when something is wrong. */
static bool explore(const il_test *t) {
  test = t;
  il_thread_count = t->threads;
  il_sequential = t->sequential;
  known = deepest = 0;
  wrong = false;
  uint64_t runs = 0, cut = 0;
  bool right;
  do {
    right = run();
    runs++;
    cut += cut_short;
  } while (right && next_run());
  char bound[80] = "all of them";
  if (t->preemptions_and_one > 0) {
    (void)snprintf(bound, sizeof bound, "those with at most %u preemptions", t->preemptions_and_one - 1);
  }
  printf("%s: %llu interleavings (%llu more cut short as repetitions) of at most %u operations; %s, %s%s%s\n", t->name,
         (unsigned long long)(runs - cut), (unsigned long long)cut, deepest, bound,
         t->sequential ? "sequentially consistent" : "old values included",
         right ? "" : "; WRONG: ", right ? "" : wrong_words);
  return right;
}

int il_main(int argc, char **argv, const il_test *tests, size_t count) {
  bool seeded = false, found = false;
  const char *only = NULL;
  for (int i = 1; i < argc; i++) {
    seeded = seeded || strcmp(argv[i], "--seeded") == 0;
    only = strcmp(argv[i], "--only") == 0 && i + 1 < argc ? argv[i + 1] : only;
  }
  quiet = seeded;
  hd_check_set_handler(check_failed);
  for (size_t i = 0; i < count && !(seeded && found); i++) {
    if (only == NULL || strcmp(only, tests[i].name) == 0) {
      found = !explore(&tests[i]) || found;
    }
  }
  if (seeded) {
    printf("%s\n", found ? "the seeded bug was found" : "THE SEEDED BUG WAS NOT FOUND");
  }
  return found == seeded ? 0 : 1;
}
