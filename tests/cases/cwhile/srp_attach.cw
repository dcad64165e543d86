// expect: states=28 transitions=40 deadlocks=0 error_states=10 sequential_bug=no
# srp attach (CAV14 ex3)
int reg = 0, i1 = 0, i2 = 0, i3 = 0;
thread t1 {
  i1 = 1;
  i3 = 1;
  i2 = 1;
  reg = 1;
}
thread t2 {
  await(reg==1);
  assert(i2==1);
}
thread t3 {
  await(i3==1);
  assert(reg==1);
  assert(i1==1);
}
