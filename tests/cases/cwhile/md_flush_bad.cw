// expect: states=32 transitions=51 deadlocks=1 error_states=0 sequential_bug=no
# md flush bad (barrier inside lock => deadlock)
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
  await(work==0);
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
