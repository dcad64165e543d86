// expect: states=14 transitions=16 deadlocks=0 error_states=2 sequential_bug=no
# rtl intr mask (CAV13 ex1)
int hw = 0, sw = 0, handled = 0;
thread t1 {
  await(hw==1);
  if (sw==1) {
    handled = 1;
  } else {
    handled = 0;
  }
  assert(handled==1);
}
thread t2 {
  hw = 1;
  sw = 1;
}
