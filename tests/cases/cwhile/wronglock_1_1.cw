// expect: states=36 transitions=52 deadlocks=0 error_states=4 sequential_bug=no
# wronglock 1+1
int v = 0, m1 = 0, m2 = 0, x = 0;
thread t1 {
  atomic {
    await(m1==0);
    m1 = 1;
  }
  x = v;
  v = v+1;
  assert(v==x+1);
  m1 = 0;
}
thread t2 {
  atomic {
    await(m2==0);
    m2 = 1;
  }
  v = v+1;
  m2 = 0;
}
