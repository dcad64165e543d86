int x, a[2];
thread t {
  3 = x;
  x 1;
  a[0] 1;
  a[0 = 1;
  x = ;
  x = 1
  skip
  yield;
  x = (1 + 2;
  x = 1 + ;
  assert x == 1);
  assert(x == 1;
  assert(x == 1)
  lock m);
  lock(3);
  lock(m;
  if x) skip;
  if (x skip;
  if (*) else skip;
  while () skip;
  p(1 2);
  p(1)
  t = async 3();
  async p;
  x = nondet 1;
  x = nondet(1 2);
  x = nondet(1, 2;
  atomic skip;
  L: M: skip;
  join(x);
}
