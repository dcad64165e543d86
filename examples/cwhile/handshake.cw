# A writer publishes three flags; two readers rely on their order, in different ways.
# Reader `last` needs z to be there when x and y are: the writer sets x too early.
# Reader `inner` is fine as it is: y before z must stay. (Figure 7 of Cerny et al., CAV 2014, in other words.)
# expect: states=22 transitions=30 deadlocks=0 error_states=4 sequential_bug=no
int x = 0, y = 0, z = 0;

thread writer {
  x = 1;
  y = 1;
  z = 1;
}

thread last {
  await(x == 1);
  await(y == 1);
  assert(z == 1);
}

thread inner {
  await(z == 1);
  assert(y == 1);
}
