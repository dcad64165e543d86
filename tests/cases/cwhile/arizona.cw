// expect: states=22 transitions=26 deadlocks=0 error_states=11 sequential_bug=no
# arizona (CAV14 ex2)
int starting = 1, im = 0, pat = 0;
thread t1 {
  assert(starting==0);
  pat = 1;
  await(starting==0);
  im = 1;
  await(starting==0);
}
thread t2 {
  starting = 0;
  await(im==1);
  assert(pat==1);
}
