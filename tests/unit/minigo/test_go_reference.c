/* The reference interpreter of Go's concurrency against answers worked out by hand: the programs with known numbers of
 * states, and a small program for each rule of the language that experts check. Both ways to treat a partner that may
 * not have arrived yet must give the same answers. */
#include "tests/support/go_reference.h"
#include "tests/support/hd_test.h"

#include <stdlib.h>
#include <string.h>

TestSuite(go_reference);

#define STATES_MAX 100000
#define ANY UINT32_MAX

typedef struct known {
  const char *what, *text;
  const char *verdicts; /* letters: G global deadlock, L leak, P panic; "" holds */
  uint32_t states;      /* 0: not stated */
  uint32_t shortest;    /* to the first letter; ANY: not stated */
} known;

static void letters(const gr_verdicts *v, char *out) {
  snprintf(out, 4, "%s%s%s", v->global_deadlock ? "G" : "", v->panic ? "P" : "", v->leak ? "L" : "");
}

static uint32_t shortest(const gr_verdicts *v) {
  return v->global_deadlock ? v->to_global_deadlock : v->panic ? v->to_panic : v->to_leak;
}

static void check(const known *k) {
  gr_program *p = malloc(sizeof *p);
  cr_assert_not_null(p);
  gr_read(p, k->text);
  char found[4], parked[4];
  gr_verdicts v = gr_explore(p, GR_MAY_BE_THERE, STATES_MAX), w = gr_explore(p, GR_PARKS, STATES_MAX);
  cr_assert(v.complete && w.complete, "%s", k->what);
  letters(&v, found);
  letters(&w, parked);
  cr_expect_str_eq(found, k->verdicts, "%s: found %s, known %s", k->what, found, k->verdicts);
  cr_expect_str_eq(parked, k->verdicts, "%s: with parking %s, known %s", k->what, parked, k->verdicts);
  cr_expect(k->states == 0 || v.states == k->states, "%s: %zu states, known %u", k->what, v.states, k->states);
  cr_expect(k->shortest == ANY || shortest(&v) == k->shortest, "%s: after %u steps, known %u", k->what, shortest(&v),
            k->shortest);
  cr_expect_eq(shortest(&v), shortest(&w), "%s: after %u steps, with parking %u", k->what, shortest(&v), shortest(&w));
  free(p);
}

#define CHECK_ALL(table)                                     \
  for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++) { \
    check(&(table)[i]);                                      \
  }

/* Numbers of states and shortest ways that were computed by others. */
Test(go_reference, programs_with_known_counts) {
  static const known table[] = {
      {"own channel", "chan c 0 func main() { send c }", "G", 1, 0},
      {"own empty buffer", "chan c 1 func main() { recv c; send c }", "G", 1, 0},
      {"own buffer", "chan c 1 func main() { send c; recv c }", "", 3, ANY},
      {"ping-pong", "chan a 0 chan b 0 func main() { go f(); send a; recv b } func f() { recv a; send b }", "", 4, ANY},
      {"both send first", "chan a 0 chan b 0 func main() { go f(); send a; recv b } func f() { send b; recv a }", "G",
       2, 1},
      {"two senders, one receive", "chan c 0 func main() { go f(); go f(); recv c } func f() { send c }", "L", 5, 3},
      {"the same with a buffer", "chan c 1 func main() { go f(); go f(); recv c } func f() { send c }", "", 9, ANY},
      {"three send, one receive", "chan c 0 func main() { for 3 { go f() } recv c } func f() { send c }", "L", 7, 3},
      {"range, never closed", "chan c 0 func main() { go f(); range c { } } func f() { send c; send c }", "G", 4, 3},
      {"range, closed", "chan c 0 func main() { go f(); range c { } } func f() { send c; send c; close c }", "", 6, ANY},
      {"two closers", "chan c 0 func main() { go f(); go f(); range c { } } func f() { send c; close c }", "P", 14, 5},
      {"closer goroutine",
       "chan c 0 wg w func main() { add w 2; go f(); go f(); go g(); range c { } }"
       "func f() { send c; done w } func g() { wait w; close c }",
       "", 16, ANY},
      {"wait before draining",
       "chan c 0 wg w func main() { add w 2; for 2 { go f() } wait w; recv c; recv c } func f() { send c; done w }", "G",
       4, 3},
      {"the same with room",
       "chan c 2 wg w func main() { add w 2; for 2 { go f() } wait w; recv c; recv c } func f() { send c; done w }", "",
       17, ANY},
      {"two locks crossed",
       "mutex a mutex b wg w func main() { add w 1; go f(); lock a; lock b; unlock b; unlock a; wait w }"
       "func f() { lock b; lock a; unlock a; unlock b; done w }",
       "G", 27, 4},
      {"lock twice", "mutex m func main() { lock m; lock m }", "G", 2, 1},
      {"send under a lock",
       "mutex m chan c 0 func main() { go f(); lock m; send c; unlock m } func f() { lock m; recv c; unlock m }", "G", 4,
       2},
      {"send behind the lock",
       "mutex m chan c 0 func main() { go f(); lock m; unlock m; send c } func f() { lock m; recv c; unlock m }", "G", 8,
       2},
      {"poll", "chan c 0 func main() { go f(); loop { select { recv c { return } default { sleep } } } } func f() { send c }",
       "", 3, ANY},
      {"receive from nil", "nil c func main() { recv c }", "G", 1, 0},
      {"a nil arm", "nil n chan c 0 func main() { go f(); select { recv n { } recv c { } } } func f() { send c }", "", 3,
       ANY},
      {"endless generator", "chan c 0 func main() { go f(); recv c; recv c } func f() { loop { send c } }", "L", 4, 3},
      {"one stop for two", "chan c 0 func main() { go f(); go f(); send c } func f() { recv c }", "L", 5, 3},
      {"close stops both", "chan c 0 func main() { go f(); go f(); close c } func f() { recv c }", "", 7, ANY},
      {"slots", "chan c 2 wg w func main() { add w 3; for 3 { go f() } wait w } func f() { send c; recv c; done w }", "",
       150, ANY},
      {"a reader twice and a writer",
       "rwmutex m wg w func main() { add w 1; go f(); call g(); wait w }"
       "func f() { lock m; unlock m; done w } func g() { rlock m; defer runlock m; call h() }"
       "func h() { rlock m; defer runlock m }",
       "G", 25, 4},
      {"busy at exit", "func main() { go f() } func f() { loop { sleep } }", "", 2, ANY},
      {"busy hides stuck",
       "chan p 0 chan s 0 func main() { go a(); for 2 { go b() } go c(); recv s; recv s }"
       "func a() { send p } func b() { recv p; send s } func c() { loop { sleep } }",
       "L", 12, ANY},
      {"early return", "chan c 0 func main() { go f(); if ? { return } send c } func f() { recv c }", "L", 5, 2},
      {"early return, closed", "chan c 0 func main() { defer close c; go f(); if ? { return } send c } func f() { recv c }",
       "", 7, ANY},
      {"unlock in one branch",
       "mutex m func main() { call f(); lock m; unlock m } func f() { lock m; if ? { return } unlock m }", "G", 7, 2},
      {"add inside", "wg w func main() { go f(); wait w } func f() { add w 1; defer done w }", "", 7, ANY},
      {"done before add", "wg w func main() { go f(); add w 1; wait w } func f() { done w }", "P", 5, 2},
      {"once inside once", "once o func main() { do o f } func f() { do o f }", "G", 2, 1},
      {"a lost signal",
       "mutex m cond k m flag b func main() { go f(); lock m; while !b { wait k } unlock m }"
       "func f() { signal k; lock m; b := b || !b; unlock m }",
       "G", 0, ANY},
      {"funnels",
       "chan a 0 chan b 0 func main() { go p(); go q(); call sel(); call sel() }"
       "func p() { send a } func q() { send b } func sel() { let x = a; }",
       "L", 0, ANY},
  };
  CHECK_ALL(table);
}
