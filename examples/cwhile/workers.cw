// Threads that are started while the program runs, procedures that are written into their callers, arrays.
// expect: error_states=1 deadlocks=0 sequential_bug=no
// Each worker adds its share in two steps, without a lock: an addition can be lost.
int total;
int share[2] = 5;

proc add(int amount, ref sum) {
  int seen;
  seen = sum;
  sum = seen + amount;
}

proc worker(int number) {
  add(share[number], total);
}

thread boss {
  int one, two;
  one = async worker(0);
  two = async worker(1);
  join(one);
  join(two);
  assert(total == 10);
}
