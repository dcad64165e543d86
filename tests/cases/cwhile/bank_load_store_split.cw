// expect: states=489 transitions=819 deadlocks=0 error_states=48 sequential_bug=no
# bank load/store split
int a = 300, b = 100, t1 = 0, t3 = 0;
thread t1 {
  if (a>=200) {
    t1 = a;
    a = t1-200;
    t1 = b;
    b = t1+200;
  }
  assert(a>=0);
}
thread t2 {
  a = 0;
}
thread t3 {
  if (b>=100) {
    t3 = b;
    b = t3-100;
    t3 = a;
    a = t3+100;
  }
  assert(a>=0);
}
