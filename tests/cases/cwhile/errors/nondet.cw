int x, a[3];
proc p(int v) { x = v; }
thread t {
  if (nondet(0, 1)) { skip; }
  assert(nondet(0, 1) == 1);
  a[nondet(0, 2)] = 1;
  p(nondet(0, 1));
  x = nondet(0, x);
  x = nondet(0, 99) + nondet(0, 99);
  x = nondet(2, 1);
  x = nondet(0, 3) + a[nondet(0, 2)];
}
axiom(nondet(0, 1));
