// expect: states=14 transitions=16 deadlocks=0 error_states=2 sequential_bug=no
# em28xx (with asserts)
int ne = 0, vd = -1, vb = -1, reg = 0;
thread t1 {
  ne = 1;
  vd = 1;
  reg = 1;
  vb = 1;
}
thread t2 {
  await(reg==1);
  assert(ne==1);
  assert(vd!=-1);
  assert(vb!=-1);
}
