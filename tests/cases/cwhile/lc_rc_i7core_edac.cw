// expect: states=48 transitions=73 deadlocks=0 error_states=13 sequential_bug=no
# lc-rc / i7core_edac (CAV14)
int nr = 1, sn = 0, rr = 1, sr = 0, vr = 1, sv = 0;
thread t1 {
  sv = 1;
  await(vr==0);
  sr = 1;
  await(rr==0);
  sn = 1;
  await(nr==0);
}
thread t2 {
  assert(nr==1);
  await(sr==1);
  rr = 0;
}
thread t3 {
  assert(vr==1);
  await(sn==1);
  nr = 0;
}
thread t4 {
  await(sv==1);
  vr = 0;
}
