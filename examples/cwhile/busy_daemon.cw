// The daemon never stops ticking, so no state is without moves; yet `client` waits for an answer that nobody gives.
// check finds it: a thread that must end never moves again while others go on for ever.
// expect: states=8 transitions=12 deadlocks=0 error_states=0 sequential_bug=no
int[0..1] tick = 0;
bool asked, answered;

daemon thread clock {
  while (1 == 1) {
    tick = 1 - tick;
  }
}

thread client {
  asked = true;
  await(answered);
}
