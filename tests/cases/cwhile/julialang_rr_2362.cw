// expect: states=8 transitions=8 deadlocks=0 error_states=2 sequential_bug=no
# JuliaLang rr#2362 (state before result)
int state = 0, res = 0;
thread t1 {
  state = 1;
  res = 7;
}
thread t2 {
  await(state==1);
  assert(res==7);
}
