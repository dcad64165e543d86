// expect: states=8 transitions=8 deadlocks=0 error_states=2 sequential_bug=no
# reorder_2 (SV-COMP, set 1 check 1)
int a = 0, b = 0;
thread t1 {
  a = 1;
  b = -1;
}
thread t2 {
  assert((a==0 && b==0) || (a==1 && b==-1));
}
