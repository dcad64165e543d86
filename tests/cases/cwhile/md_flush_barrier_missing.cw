// expect: states=69 transitions=113 deadlocks=0 error_states=28 sequential_bug=yes
# md flush (barrier missing)
int l = 0, sys = 1, work = 0, rem = 0;
thread t1 {
  work = 1;
  rem = 1;
}
thread t2 {
  await(rem==1);
  atomic {
    await(l==0);
    l = 1;
  }
  assert(sys==0);
  sys = 1;
  l = 0;
}
thread t3 {
  await(work==1);
  sys = 0;
  if (*) {
    atomic {
      await(l==0);
      l = 1;
    }
    l = 0;
  }
  work = 0;
}
