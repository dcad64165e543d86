// expect: states=46 transitions=60 deadlocks=0 error_states=4 sequential_bug=no
# twostage
int d1 = 0, d2 = 0, m1 = 0, m2 = 0, t1 = 0, t2 = 0;
thread t1 {
  atomic {
    await(m1==0);
    m1 = 1;
  }
  d1 = 1;
  m1 = 0;
  atomic {
    await(m2==0);
    m2 = 1;
  }
  d2 = d1+1;
  m2 = 0;
}
thread t2 {
  atomic {
    await(m1==0);
    m1 = 1;
  }
  if (d1==0) {
    m1 = 0;
  } else {
    t1 = d1;
    m1 = 0;
    atomic {
      await(m2==0);
      m2 = 1;
    }
    t2 = d2;
    m2 = 0;
    assert(t2==t1+1);
  }
}
