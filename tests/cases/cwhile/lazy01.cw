// expect: states=34 transitions=37 deadlocks=0 error_states=2 sequential_bug=yes
# lazy01 (seq fails)
int m = 0, d = 0;
thread t1 {
  atomic {
    await(m==0);
    m = 1;
  }
  d = d+1;
  m = 0;
}
thread t2 {
  atomic {
    await(m==0);
    m = 1;
  }
  d = d+2;
  m = 0;
}
thread t3 {
  atomic {
    await(m==0);
    m = 1;
  }
  if (d>=3) {
    assert(0==1);
  }
  m = 0;
}
