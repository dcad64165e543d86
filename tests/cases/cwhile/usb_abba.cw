// expect: states=25 transitions=30 deadlocks=1 error_states=0 sequential_bug=no
# usb ABBA (CAV13 ex4)
int d = 0, s = 0, a = 0, b = 0;
thread t1 {
  atomic {
    await(d==0);
    d = 1;
  }
  a = 1;
  atomic {
    await(s==0);
    s = 1;
  }
  s = 0;
  d = 0;
}
thread t2 {
  atomic {
    await(s==0);
    s = 1;
  }
  atomic {
    await(d==0);
    d = 1;
  }
  b = 1;
  d = 0;
  s = 0;
}
