// expect: states=99 transitions=168 deadlocks=0 error_states=11 sequential_bug=no
# bank 3 threads (AtomicInf fig 1 style)
int a = 300, b = 100, t1 = 0, t3 = 0, f1 = 0, f3 = 0;
thread t1 {
  if (a>=200) {
    a = a-200;
    b = b+200;
  }
  assert(a>=0 && b>=0);
}
thread t2 {
  a = 0;
}
thread t3 {
  if (b>=100) {
    b = b-100;
    a = a+100;
  }
  assert(a>=0 && b>=0);
}
