// expect: states=22 transitions=30 deadlocks=0 error_states=4 sequential_bug=no
# paper1 (CAV14 fig 7)
int x = 0, y = 0, z = 0;
thread t1 {
  x = 1;
  y = 1;
  z = 1;
}
thread t2 {
  await(x==1);
  await(y==1);
  assert(z==1);
}
thread t3 {
  await(z==1);
  assert(y==1);
}
