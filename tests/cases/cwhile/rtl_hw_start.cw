// expect: states=8 transitions=8 deadlocks=0 error_states=2 sequential_bug=no
# rtl hw_start (CAV13 ex2)
int sem = 0, fp = 0;
thread t1 {
  sem = 1;
  fp = 1;
}
thread t2 {
  await(sem==1);
  assert(fp==1);
}
