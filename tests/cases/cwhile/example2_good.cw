// expect: states=5 transitions=4 deadlocks=0 error_states=0 sequential_bug=no
# example2-good (Ex.2 CAV14, correct)
int x = 0, y = 0;
thread t1 {
  x = 1;
  y = 1;
}
thread t2 {
  await(y==1);
  assert(x==1);
}
