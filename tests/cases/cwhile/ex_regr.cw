// expect: states=16 transitions=24 deadlocks=0 error_states=4 sequential_bug=no
# ex-regr
int x = 0, y = 0;
thread t1 {
  x = 1;
  y = 1;
}
thread t2 {
  await(x==1);
  assert(y==1);
}
thread t3 {
  assert(x==1 || y==0);
}
