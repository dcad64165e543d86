// expect: states=20 transitions=24 deadlocks=0 error_states=4 sequential_bug=no
# CAV14 ex5
int x = 0, y = 0, a = 0, b = 0;
thread t1 {
  x = 1;
  y = 1;
}
thread t2 {
  await(y==1);
  noreorder {
    assert(x==1);
    a = 1;
  }
  b = 1;
}
thread t3 {
  await(b==1);
  x = 2;
}
thread t4 {
  await(a==1);
  assert(b==1);
}
