/* The reference interpreter of Go's concurrency against answers worked out by hand, a small program for each rule of
 * the language that experts check, and against programs and families with known numbers of states. Both ways to treat a
 * partner that may not have arrived yet must give the same answers. */
#include "core/base/buffer.h"
#include "tests/support/go_reference.h"
#include "tests/support/hd_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(go_reference);

#define STATES_MAX 100000
#define ANY UINT32_MAX

typedef struct known {
  const char *what, *text;
  const char *verdicts; /* letters: G global deadlock, L leak, P panic; "" holds */
  uint32_t states;      /* those of panics left out; 0: not stated */
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
  size_t states = v.states - v.panicked;
  cr_expect(k->states == 0 || states == k->states, "%s: %zu states, known %u", k->what, states, k->states);
  cr_expect(k->shortest == ANY || shortest(&v) == k->shortest, "%s: after %u steps, known %u", k->what, shortest(&v),
            k->shortest);
  cr_expect_eq(shortest(&v), shortest(&w), "%s: after %u steps, with parking %u", k->what, shortest(&v), shortest(&w));
  free(p);
}

#define CHECK_ALL(table)                                         \
  for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++) { \
    check(&(table)[i]);                                          \
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
      {"three send, one receive", "chan c 0 func main() { for 3 { go f() } recv c } func f() { send c }", "L", 7, 4},
      {"range, never closed", "chan c 0 func main() { go f(); range c { } } func f() { send c; send c }", "G", 4, 3},
      {"range, closed", "chan c 0 func main() { go f(); range c { } } func f() { send c; send c; close c }", "", 6,
       ANY},
      {"two closers", "chan c 0 func main() { go f(); go f(); range c { } } func f() { send c; close c }", "P", 14, 5},
      {"closer goroutine",
       "chan c 0 wg w func main() { add w 2; go f(); go f(); go g(); range c { } }"
       "func f() { send c; done w } func g() { wait w; close c }",
       "", 16, ANY},
      {"wait before draining",
       "chan c 0 wg w func main() { add w 2; for 2 { go f() } wait w; recv c; recv c } func f() { send c; done w }",
       "G", 4, 3},
      {"the same with room",
       "chan c 2 wg w func main() { add w 2; for 2 { go f() } wait w; recv c; recv c } func f() { send c; done w }", "",
       17, ANY},
      {"two locks crossed",
       "mutex a mutex b wg w func main() { add w 1; go f(); lock a; lock b; unlock b; unlock a; wait w }"
       "func f() { lock b; lock a; unlock a; unlock b; done w }",
       "G", 27, 4},
      {"lock twice", "mutex m func main() { lock m; lock m }", "G", 2, 1},
      {"send under a lock",
       "mutex m chan c 0 func main() { go f(); lock m; send c; unlock m } func f() { lock m; recv c; unlock m }", "G",
       4, 2},
      {"send behind the lock",
       "mutex m chan c 0 func main() { go f(); lock m; unlock m; send c } func f() { lock m; recv c; unlock m }", "G",
       8, 2},
      {"poll",
       "chan c 0 func main() { go f(); loop { select { recv c { return } default { sleep } } } } func f() { send c }",
       "", 3, ANY},
      {"receive from nil", "nil c func main() { recv c }", "G", 1, 0},
      {"a nil arm", "nil n chan c 0 func main() { go f(); select { recv n { } recv c { } } } func f() { send c }", "",
       3, ANY},
      {"endless generator", "chan c 0 func main() { go f(); recv c; recv c } func f() { loop { send c } }", "L", 4, 3},
      {"one stop for two", "chan c 0 func main() { go f(); go f(); send c } func f() { recv c }", "L", 5, 3},
      {"close stops both", "chan c 0 func main() { go f(); go f(); close c } func f() { recv c }", "", 7, ANY},
      {"slots", "chan c 2 wg w func main() { add w 3; for 3 { go f() } wait w } func f() { send c; recv c; done w }",
       "", 86, ANY},
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
      {"early return, closed",
       "chan c 0 func main() { defer close c; go f(); if ? { return } send c } func f() { recv c }", "", 7, ANY},
      {"unlock in one branch",
       "mutex m func main() { call f(); lock m; unlock m } func f() { lock m; if ? { return } unlock m }", "G", 7, 2},
      {"add inside", "wg w func main() { go f(); wait w } func f() { add w 1; defer done w }", "", 7, ANY},
      {"done before add", "wg w func main() { go f(); add w 1; wait w } func f() { done w }", "P", 5, 2},
      {"once inside once", "once o func main() { do o f } func f() { do o f }", "G", 2, 1},
      {"a lost signal",
       "mutex m cond k m flag b func main() { go f(); lock m; while !b { wait k } unlock m }"
       "func f() { signal k; lock m; b := true; unlock m }",
       "G", 0, ANY},
      {"funnels",
       "chan a 0 chan b 0 chan p 0 chan q 0 func main() { go s(a); go s(b); call either(p); call either(q) }"
       "func s(chan c) { send c } func l(chan r) { send r <- a } func r(chan r) { send r <- b }"
       "func either(chan r) { go l(r); go r(r); recv r }",
       "GL", 26, 9},
  };
  CHECK_ALL(table);
}

Test(go_reference, channels) {
  static const known table[] = {
      {"nobody meets itself", "chan c 0 func main() { select { send c { } recv c { } } }", "G", 1, 0},
      {"select without arms", "func main() { select { } }", "G", 1, 0},
      {"nil arms only", "nil n func main() { select { recv n { } send n { } } }", "G", 1, 0},
      {"send to nil", "nil n func main() { send n }", "G", 1, 0},
      {"range over nil", "nil n func main() { range n { } }", "G", 1, 0},
      {"close of nil", "nil n func main() { close n }", "P", 1, 1},
      {"double close", "chan c 0 func main() { close c; close c }", "P", 2, 2},
      {"closed drains", "chan c 1 func main() { send c; close c; recv c; recv c; recv c }", "", 6, ANY},
      {"ok while there are messages",
       "chan c 1 nil n func main() { send c; close c; recv c ok a; recv c ok b; if !a { recv n } if b { recv n } }", "",
       5, ANY},
      {"not ok at the end", "chan c 0 nil n func main() { close c; recv c ok a; if !a { recv n } }", "G", 3, 2},
      {"send on closed", "chan c 1 func main() { close c; send c }", "P", 2, 2},
      {"closed under a sender", "chan c 0 func main() { go f(); close c } func f() { send c }", "P", 3, 3},
      {"closed under a second send", "chan c 0 func main() { go f(); recv c; close c } func f() { send c; send c }",
       "P", 4, 4},
      {"close wakes all",
       "chan c 0 wg w func main() { add w 2; go f(); go f(); close c; wait w } func f() { recv c; done w }", "", 0,
       ANY},
      {"a full buffer", "chan c 2 func main() { send c; send c; send c }", "G", 3, 2},
      {"range over what is closed later",
       "chan c 2 func main() { go f(); range c { } } func f() { for 3 { send c } close c }", "", 0, ANY},
      {"range evaluates its channel once",
       "chan c 0 func main() { go f(); let x = c; range x { let x = nil } } func f() { send c; send c; close c }", "",
       6, ANY},
      {"a variable that becomes nil", "chan c 1 func main() { let x = c; send x; let x = nil; recv x }", "G", 2, 1},
      {"the value is received first", "chan c 1 chan d 0 func main() { send c <- d }", "G", 1, 0},
      {"hand on", "chan c 1 chan d 1 func main() { send d; send c <- d; recv c; recv d }", "G", 5, 4},
      {"merge until both are closed",
       "chan a 0 chan b 0 func main() { go f(a); go f(b); let x = a; let y = b; while x != nil || y != nil {"
       "select { recv x ok p { if !p { let x = nil } } recv y ok q { if !q { let y = nil } } } } }"
       "func f(chan c) { send c; close c }",
       "", 0, ANY},
      {"merge until one is closed",
       "chan a 0 chan b 0 func main() { go f(a); go f(b); let x = a; let y = b; while x != nil && y != nil {"
       "select { recv x ok p { if !p { let x = nil } } recv y ok q { if !q { let y = nil } } } } }"
       "func f(chan c) { send c; close c }",
       "L", 0, ANY},
  };
  CHECK_ALL(table);
}

Test(go_reference, select) {
  static const known table[] = {
      {"default beside nil", "nil n func main() { select { recv n { } default { } } }", "", 2, ANY},
      {"no default with a message", "chan c 1 nil n func main() { send c; select { recv c { } default { recv n } } }",
       "", 3, ANY},
      {"no default with room", "chan c 1 nil n func main() { select { send c { } default { recv n } } }", "", 2, ANY},
      {"default with a full buffer", "chan c 1 nil n func main() { send c; select { send c { } default { recv n } } }",
       "G", 3, 2},
      {"no default when closed", "chan c 0 nil n func main() { close c; select { recv c { } default { recv n } } }", "",
       3, ANY},
      {"send arm on closed", "chan c 0 func main() { close c; select { send c { } default { } } }", "P", 2, 2},
      {"the sender may not be there yet",
       "chan c 0 func main() { go f(); select { recv c { } default { } } } func f() { send c }", "L", 4, 2},
      {"the receiver may not be there yet",
       "chan c 0 func main() { go f(); select { send c { } default { } } } func f() { recv c }", "L", 4, 2},
      {"two defaults never meet",
       "chan c 0 nil n func main() { go f(); select { send c { recv n } default { } } }"
       "func f() { select { recv c { } default { } } }",
       "", 0, ANY},
      {"one default may meet",
       "chan c 0 nil n func main() { go f(); select { send c { recv n } default { } } }"
       "func f() { select { recv c { } } }",
       "GL", 0, ANY},
      {"two selects meet", "chan c 0 func main() { go f(); select { send c { } } } func f() { select { recv c { } } }",
       "", 3, ANY},
      {"who need not wait do not meet",
       "chan c 0 chan d 2 nil n func main() { go f(); select { send c { recv n } send d { } } }"
       "func f() { select { recv c { } send d { } } }",
       "", 0, ANY},
      {"one who must wait meets",
       "chan c 0 chan d 2 nil n func main() { go f(); select { send c { recv n } send d { } } } func f() { recv c }",
       "GL", 0, ANY},
      {"either of two ready",
       "chan a 1 chan b 1 nil n func main() { send a; send b; select { recv a { } recv b { recv n } } }", "G", 5, 3},
      {"operands block", "chan c 0 chan d 0 chan e 1 func main() { send e; select { send c <- d { } recv e { } } }",
       "G", 2, 1},
      {"operands are taken though another arm is chosen",
       "chan c 0 chan d 1 chan e 1 func main() { send d; send e; select { send c <- d { } recv e { } } recv d }", "G",
       5, 4},
      {"operands are taken once",
       "chan c 0 chan d 1 func main() { go f(); send d; select { send c <- d { } } } func f() { recv c }", "", 0, ANY},
      {"operands in order",
       "chan c 2 chan d 0 chan e 0 func main() { go f(); select { send c <- d { } send c <- e { } } }"
       "func f() { send d; send e }",
       "", 0, ANY},
      {"operands in the other order",
       "chan c 2 chan d 0 chan e 0 func main() { go f(); select { send c <- d { } send c <- e { } } }"
       "func f() { send e; send d }",
       "G", 2, 1},
      {"a timer ends the waiting", "nil n func main() { select { recv n { } timer { } } }", "", 2, ANY},
      {"a timer may be first", "chan c 0 func main() { go f(); select { recv c { } timer { } } } func f() { send c }",
       "L", 4, 2},
      {"room for the late answer",
       "chan c 1 func main() { go f(); select { recv c { } timer { } } } func f() { send c }", "", 0, ANY},
      {"a timer may not have fired", "nil n func main() { select { timer { } default { recv n } } }", "G", 3, 1},
      {"a timer may have fired", "nil n func main() { select { timer { recv n } default { } } }", "G", 3, 1},
      {"break leaves the select", "nil n func main() { loop { select { default { break } } recv n } }", "G", 2, 1},
      {"leave leaves the loop", "nil n func main() { loop { select { default { leave } } recv n } }", "", 2, ANY},
      {"continue", "nil n func main() { for 2 { select { default { continue } } recv n } }", "", 0, ANY},
  };
  CHECK_ALL(table);
}

Test(go_reference, locks) {
  static const known table[] = {
      {"unlock of unlocked", "mutex m func main() { unlock m }", "P", 1, 1},
      {"another one unlocks", "mutex m func main() { lock m; go f(); lock m } func f() { unlock m }", "", 0, ANY},
      {"main ends with the lock", "mutex m func main() { lock m; go f() } func f() { lock m }", "L", 3, 2},
      {"readers together", "rwmutex m func main() { rlock m; rlock m; runlock m; runlock m }", "", 5, ANY},
      {"reader turns writer", "rwmutex m func main() { rlock m; lock m }", "G", 3, 2},
      {"writer turns reader", "rwmutex m func main() { lock m; rlock m }", "G", 3, 2},
      {"an announced writer keeps readers out",
       "rwmutex m func main() { rlock m; go f(); rlock m; runlock m; runlock m } func f() { lock m; unlock m }", "G", 0,
       3},
      {"a reader behind the writer",
       "rwmutex m wg w func main() { add w 1; rlock m; go f(); runlock m; rlock m; runlock m; wait w }"
       "func f() { lock m; unlock m; done w }",
       "", 0, ANY},
      {"runlock of unlocked", "rwmutex m func main() { runlock m }", "P", 1, 1},
      {"unlock of a reader's", "rwmutex m func main() { rlock m; unlock m }", "P", 2, 2},
      {"runlock of a writer's", "rwmutex m func main() { lock m; runlock m }", "P", 3, 3},
      {"negative counter", "wg w func main() { add w 1; done w; done w }", "P", 3, 3},
      {"negative Add", "wg w func main() { add w 1; add w -2 }", "P", 2, 2},
      {"wait for nobody", "wg w func main() { wait w }", "", 2, ANY},
      {"two rounds", "wg w func main() { for 2 { add w 1; go f(); wait w } } func f() { done w }", "", 0, ANY},
      {"one done is missing", "wg w func main() { add w 2; go f(); wait w } func f() { done w }", "G", 0, 3},
      {"once only", "once o chan c 1 func main() { do o f; do o f } func f() { send c }", "", 4, ANY},
      {"the second waits for the first",
       "once o chan c 0 func main() { go f(); do o g } func f() { do o g; send c } func g() { recv c }", "G", 0, 2},
      {"done by Goexit",
       "once o chan d 0 func main() { go f(); recv d; do o g } func f() { defer send d; do o g } func g() { goexit }",
       "", 5, ANY},
      {"signal with nobody waiting",
       "mutex m cond k m func main() { go f(); lock m; wait k; unlock m } func f() { signal k }", "G", 0, 4},
      {"flag and signal",
       "mutex m cond k m flag b func main() { go f(); lock m; while !b { wait k } unlock m }"
       "func f() { lock m; b := true; unlock m; signal k }",
       "", 0, ANY},
      {"wait without the lock", "mutex m cond k m func main() { wait k }", "P", 1, 1},
      {"two wait, one signal",
       "mutex m cond k m flag b func main() { go f(); go f(); lock m; b := true; unlock m; signal k }"
       "func f() { lock m; while !b { wait k } unlock m }",
       "L", 0, ANY},
      {"two wait, broadcast",
       "mutex m cond k m flag b func main() { go f(); go f(); lock m; b := true; unlock m; broadcast k }"
       "func f() { lock m; while !b { wait k } unlock m }",
       "", 0, ANY},
      {"woken, but the lock is kept",
       "mutex m cond k m flag b func main() { go f(); lock m; while !b { wait k } unlock m }"
       "func f() { lock m; b := true; signal k }",
       "G", 0, ANY},
      {"waiting gives the lock away",
       "mutex m cond k m flag b chan c 0 func main() { go f(); go g(); lock m; while !b { wait k } unlock m }"
       "func f() { lock m; b := true; broadcast k; unlock m; send c } func g() { recv c; lock m; unlock m }",
       "", 0, ANY},
  };
  CHECK_ALL(table);
}

Test(go_reference, control) {
  static const known table[] = {
      {"runnable at main's end", "mutex m func main() { go f() } func f() { lock m; unlock m }", "", 4, ANY},
      {"arguments of go at once",
       "chan c 0 func main() { let x = c; go f(x); let x = nil; recv c } func f(chan p) { send p }", "", 3, ANY},
      {"arguments of defer at once",
       "chan c 0 func main() { let x = c; defer close x; let x = nil; go f() } func f() { recv c }", "", 4, ANY},
      {"the last put off first", "mutex m func main() { lock m; defer lock m; defer unlock m }", "", 4, ANY},
      {"the other way round", "mutex m func main() { lock m; defer unlock m; defer lock m }", "G", 2, 1},
      {"put off at return",
       "mutex m func main() { call f(); lock m } func f() { lock m; defer unlock m; if ? { return } }", "", 0, ANY},
      {"put off in a loop", "wg w func main() { add w 3; call f(); wait w } func f() { for 3 { defer done w } }", "", 6,
       ANY},
      {"put off at Goexit", "wg w func main() { add w 1; go f(); wait w } func f() { defer done w; goexit }", "", 5,
       ANY},
      {"Goexit leaves all calls",
       "wg w nil n func main() { add w 1; go f(); wait w } func f() { defer done w; call g(); recv n } func g() { "
       "goexit }",
       "", 5, ANY},
      {"a call put off",
       "chan c 0 func main() { defer call f(c); go g() } func f(chan p) { recv p } func g() { send c }", "", 3, ANY},
      {"a known answer stays", "mutex m func main() { b := ?; if b { lock m } if b { unlock m } }", "", 4, ANY},
      {"two questions", "mutex m func main() { if ? { lock m } if ? { unlock m } }", "P", 0, 3},
      {"nil-ness is known", "chan c 0 func main() { let x = nil; if ? { let x = c } if x != nil { close x } }", "", 4,
       ANY},
      {"both",
       "chan c 0 nil n func main() { p := true; q := false; if p && q { recv n } if p || q { close c } recv c }", "", 3,
       ANY},
      {"cancel twice", "context x func main() { go f(); cancel x; cancel x } func f() { recv x }", "", 0, ANY},
      {"never cancelled", "context x func main() { go f() } func f() { recv x }", "L", 2, 1},
      {"cancelled on every way",
       "context x chan c 0 func main() { defer cancel x; go f(); if ? { return } recv c }"
       "func f() { select { send c { } recv x { } } }",
       "", 0, ANY},
      {"busy main", "func main() { loop { } }", "", 1, ANY},
      {"main stuck beside a busy one", "nil n func main() { go f(); recv n } func f() { loop { sleep } }", "L", 2, 1},
      {"a leak or a panic", "chan c 0 func main() { go f(); if ? { close c } } func f() { send c }", "PL", 0, 4},
      {"a leak or a deadlock", "chan c 0 nil n func main() { go f(); if ? { recv n } } func f() { send c }", "GL", 0,
       2},
      {"twice round", "chan c 0 func main() { go f(); for 2 { for 2 { recv c } } } func f() { for 4 { send c } }", "",
       6, ANY},
      {"loops start anew after break",
       "chan c 9 nil n func main() { for 2 { for 3 { send c; if true { break } } } recv c; recv c; recv c }", "G", 5,
       4},
      {"spawned by the spawned", "chan c 0 func main() { go f(); recv c } func f() { go g() } func g() { send c }", "",
       4, ANY},
  };
  CHECK_ALL(table);
}

/* ---- families, with numbers of states and steps that other explorers count ---- */

typedef struct member {
  const char *family;
  bool good;
  uint32_t sizes[4], states, transitions, shortest; /* shortest: to a global deadlock; ANY: there is none */
} member;

static void times(hd_buffer *text, uint32_t count, const char *statement) {
  for (uint32_t i = 0; i < count; i++) {
    hd_buffer_add_text(text, statement);
  }
}

static void channels(hd_buffer *text, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    hd_buffer_printf(text, "chan c%u 0 ", i);
  }
}

static void philosophers(hd_buffer *text, bool locks, bool good, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    hd_buffer_printf(text, locks ? "mutex c%u " : "chan c%u 0 ", i);
  }
  hd_buffer_add_text(text, "func main() { ");
  for (uint32_t i = 0; i < n && !locks; i++) {
    hd_buffer_printf(text, "go fork(c%u); ", i);
  }
  for (uint32_t i = 0; i < n; i++) {
    bool last = i == n - 1;
    hd_buffer_printf(text, "%s f(c%u, c%u); ", last ? "call" : "go", last && good ? 0 : i,
                     last && good ? i : (i + 1) % n);
  }
  hd_buffer_add_text(text, locks ? "} func f(mutex a, mutex b) { loop { lock a; lock b; unlock b; unlock a } }"
                                 : "} func fork(chan c) { loop { send c; recv c } }"
                                   "func f(chan a, chan b) { loop { recv a; recv b; send a; send b } }");
}

static void sieve(hd_buffer *text, bool good, uint32_t n) {
  channels(text, n + 1);
  hd_buffer_add_text(text, "func main() { go g(c0); ");
  for (uint32_t i = 0; i < n; i++) {
    hd_buffer_printf(text, "go f(c%u, c%u); ", i, i + 1);
  }
  hd_buffer_printf(text, good ? "loop { recv c%u } }" : "recv c%u }", n);
  hd_buffer_add_text(text,
                     "func g(chan o) { loop { send o } } func f(chan i, chan o) { loop { recv i; if ? { send o } } }");
}

static void fan_in(hd_buffer *text, bool good, uint32_t n, uint32_t items) {
  hd_buffer_printf(text, "chan o 0 wg w func main() { add w %u; ", n);
  times(text, n, "go p(); ");
  hd_buffer_add_text(
      text, good ? "go c(); range o { } } func c() { wait w; close o } func p() { " : "range o { } } func p() { ");
  times(text, items, "send o; ");
  hd_buffer_add_text(text, "done w }");
}

static void pipeline(hd_buffer *text, bool good, uint32_t n, uint32_t items) {
  channels(text, n + 1);
  hd_buffer_add_text(text, "func main() { go source(); ");
  for (uint32_t i = 0; i < n; i++) {
    hd_buffer_printf(text, "go %s(c%u, c%u); ", i == n - 1 && !good ? "last" : "stage", i, i + 1);
  }
  hd_buffer_printf(text, "range c%u { } } func source() { ", n);
  times(text, items, "send c0; ");
  hd_buffer_add_text(text,
                     "close c0 } func stage(chan i, chan o) { range i { send o } close o }"
                     "func last(chan i, chan o) { range i { send o } }");
}

static void pool(hd_buffer *text, const uint32_t sizes[4]) {
  hd_buffer_printf(text, "chan a %u chan r %u func main() { ", sizes[2], sizes[3]);
  times(text, sizes[0], "go work(); ");
  times(text, sizes[1], "send a; ");
  hd_buffer_add_text(text, "close a; ");
  times(text, sizes[1], "recv r; ");
  hd_buffer_add_text(text, "} func work() { range a { send r } }");
}

static void ring(hd_buffer *text, uint32_t n, uint32_t tokens) {
  channels(text, n);
  hd_buffer_add_text(text, "func main() { ");
  for (uint32_t i = 0; i < n; i++) {
    hd_buffer_printf(text, "%s %s(c%u, c%u); ", i == n - 1 ? "call" : "go", i < tokens ? "holder" : "relay", i,
                     (i + 1) % n);
  }
  hd_buffer_add_text(text,
                     "} func holder(chan i, chan o) { send o; call relay(i, o) }"
                     "func relay(chan i, chan o) { loop { send o <- i } }");
}

static char *text_of(const member *m) {
  hd_buffer text = {0};
  if (strncmp(m->family, "philosophers", 12) == 0) {
    philosophers(&text, strcmp(m->family, "philosophers-mutex") == 0, m->good, m->sizes[0]);
  } else if (strcmp(m->family, "sieve") == 0) {
    sieve(&text, m->good, m->sizes[0]);
  } else if (strcmp(m->family, "fan-in") == 0) {
    fan_in(&text, m->good, m->sizes[0], m->sizes[1]);
  } else if (strcmp(m->family, "pipeline") == 0) {
    pipeline(&text, m->good, m->sizes[0], m->sizes[1]);
  } else if (strcmp(m->family, "pool") == 0) {
    pool(&text, m->sizes);
  } else {
    ring(&text, m->sizes[0], m->sizes[1]);
  }
  char *taken = hd_buffer_take(&text);
  cr_assert_not_null(taken);
  return taken;
}

Test(go_reference, families) {
  static const member members[] = {
      {"philosophers-mutex", false, {2, 0, 0, 0}, 11, 15, 3},
      {"philosophers-mutex", true, {2, 0, 0, 0}, 8, 9, ANY},
      {"philosophers-mutex", false, {3, 0, 0, 0}, 40, 84, 5},
      {"philosophers-mutex", true, {3, 0, 0, 0}, 29, 55, ANY},
      {"philosophers-mutex", false, {4, 0, 0, 0}, 136, 384, 7},
      {"philosophers-mutex", true, {4, 0, 0, 0}, 97, 252, ANY},
      {"philosophers-mutex", false, {5, 0, 0, 0}, 453, 1606, 9},
      {"philosophers-mutex", true, {5, 0, 0, 0}, 322, 1067, ANY},
      {"philosophers-mutex", false, {6, 0, 0, 0}, 1500, 6401, 11},
      {"philosophers-channels", false, {2, 0, 0, 0}, 11, 15, 5},
      {"philosophers-channels", true, {2, 0, 0, 0}, 12, 19, ANY},
      {"philosophers-channels", false, {3, 0, 0, 0}, 34, 78, 8},
      {"philosophers-channels", true, {3, 0, 0, 0}, 35, 79, ANY},
      {"philosophers-channels", false, {4, 0, 0, 0}, 101, 319, 11},
      {"philosophers-channels", true, {4, 0, 0, 0}, 102, 317, ANY},
      {"philosophers-channels", false, {5, 0, 0, 0}, 300, 1210, 14},
      {"sieve", true, {1, 0, 0, 0}, 5, 6, ANY},
      {"sieve", false, {1, 0, 0, 0}, 8, 9, ANY},
      {"sieve", true, {2, 0, 0, 0}, 14, 27, ANY},
      {"sieve", false, {2, 0, 0, 0}, 23, 43, ANY},
      {"sieve", true, {3, 0, 0, 0}, 41, 111, ANY},
      {"sieve", false, {3, 0, 0, 0}, 68, 180, ANY},
      {"sieve", true, {4, 0, 0, 0}, 122, 426, ANY},
      {"sieve", true, {5, 0, 0, 0}, 365, 1560, ANY},
      {"sieve", true, {6, 0, 0, 0}, 1094, 5529, ANY},
      {"fan-in", true, {1, 2, 0, 0}, 10, 9, ANY},
      {"fan-in", false, {1, 2, 0, 0}, 6, 5, 5},
      {"fan-in", true, {2, 2, 0, 0}, 23, 31, ANY},
      {"fan-in", false, {2, 2, 0, 0}, 19, 27, 9},
      {"fan-in", true, {3, 2, 0, 0}, 72, 152, ANY},
      {"fan-in", false, {3, 2, 0, 0}, 68, 148, 13},
      {"fan-in", true, {4, 2, 0, 0}, 265, 777, ANY},
      {"fan-in", true, {5, 2, 0, 0}, 1034, 3850, ANY},
      {"pipeline", true, {1, 1, 0, 0}, 10, 10, ANY},
      {"pipeline", false, {1, 1, 0, 0}, 8, 8, 6},
      {"pipeline", true, {2, 2, 0, 0}, 23, 29, ANY},
      {"pipeline", false, {2, 2, 0, 0}, 21, 27, 13},
      {"pipeline", true, {3, 3, 0, 0}, 51, 77, ANY},
      {"pipeline", false, {3, 3, 0, 0}, 49, 75, 22},
      {"pipeline", true, {4, 4, 0, 0}, 111, 195, ANY},
      {"pipeline", false, {4, 4, 0, 0}, 109, 193, 33},
      {"pipeline", true, {5, 5, 0, 0}, 239, 479, ANY},
      {"pipeline", false, {5, 5, 0, 0}, 237, 477, 46},
      {"pool", true, {1, 1, 0, 0}, 6, 5, ANY},
      {"pool", true, {2, 2, 0, 0}, 15, 19, ANY},
      {"pool", true, {2, 3, 0, 0}, 6, 6, 4},
      {"pool", true, {3, 3, 0, 0}, 38, 70, ANY},
      {"pool", true, {3, 4, 0, 0}, 11, 15, 6},
      {"pool", true, {2, 3, 1, 0}, 23, 31, ANY},
      {"pool", true, {2, 3, 0, 1}, 28, 42, ANY},
      {"pool", true, {2, 4, 1, 1}, 44, 70, ANY},
      {"pool", true, {2, 5, 1, 1}, 18, 26, 10},
      {"pool", true, {3, 4, 0, 4}, 139, 371, ANY},
      {"pool", true, {4, 4, 0, 0}, 101, 253, ANY},
      {"ring", true, {2, 1, 0, 0}, 4, 4, ANY},
      {"ring", true, {3, 1, 0, 0}, 6, 6, ANY},
      {"ring", true, {4, 1, 0, 0}, 9, 10, ANY},
      {"ring", true, {4, 2, 0, 0}, 12, 15, ANY},
      {"ring", true, {4, 3, 0, 0}, 10, 10, ANY},
      {"ring", true, {4, 4, 0, 0}, 4, 3, 3},
      {"ring", true, {6, 3, 0, 0}, 38, 65, ANY},
  };
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const member *m = &members[i];
    char *text = text_of(m);
    gr_program *p = malloc(sizeof *p);
    cr_assert_not_null(p);
    gr_read(p, text);
    gr_verdicts v = gr_explore(p, GR_MAY_BE_THERE, STATES_MAX);
    cr_expect(v.complete && v.states == m->states && v.transitions == m->transitions, "%s %u %u: %zu states, %zu steps",
              m->family, m->sizes[0], m->sizes[1], v.states, v.transitions);
    cr_expect(v.to_global_deadlock == m->shortest && v.global_deadlock == (m->shortest != ANY) && !v.panic, "%s %u %u",
              m->family, m->sizes[0], m->sizes[1]);
    cr_expect(v.leak == (strcmp(m->family, "sieve") == 0 && !m->good), "%s %u %u", m->family, m->sizes[0], m->sizes[1]);
    free(p);
    free(text);
  }
}
