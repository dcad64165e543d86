// expect: states=130 transitions=203 deadlocks=0 error_states=4 sequential_bug=no
# bluetooth (KISS)
int p = 1, sf = 0, se = 0, stopped = 0, st = 0, q1 = 0, q2 = 0;
thread t1 {
  if (sf==1) {
    st = -1;
  } else {
    p = p+1;
    st = 0;
  }
  if (st==0) {
    assert(stopped==0);
  }
  atomic {
    p = p-1;
    q1 = p;
  }
  if (q1==0) {
    se = 1;
  }
}
thread t2 {
  sf = 1;
  atomic {
    p = p-1;
    q2 = p;
  }
  if (q2==0) {
    se = 1;
  }
  assume(se==1);
  stopped = 1;
}
