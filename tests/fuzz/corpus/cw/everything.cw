# every construct once
int x = 0, y = -1; bool done = false; int[0..7] slot = 1 << 1; lock m; ghost int seen; int a[4] = 2, start = nondet(0, 1);
lock locks[2];
axiom(x >= -100 && slot != 9);
proc add(int v, ref w) { int r = 1; r = w; w = r + v; }
proc take(ref l) { lock(l); }
proc fill(ref array, int[0..3] i) { array[i] = nondet(0, 1) + array[i ^ 1]; }
proc worker(int n, ref out) { out = n; }
fixed thread one {
  int r; bool b = true;
  L1: x := x + 1; y = (x - 1) * 2 / 3 % 4;
  if (x == 1 || !done && y <= 2) { skip; } else if (*) x = 0x1F; else { y = ~x; }
  while (*) { noreorder { r = x << 1 >> 1; } }
  atomic { await(x != 3); if (r > 1) { r = 0; } assert(r < 5); }
  watomic { x = x & 3 | 4 ^ 1; }
  lock(m); unlock(m); take(locks[r & 1]); unlock(locks[r & 1]);
  add(x + 1, y); add(1, a[2]); fill(a, 1);
  r = async worker(2, slot); join(r);
  { assume(done == false); }
}
daemon thread two { while (1 == 1) { await(done); satomic { seen = seen + 1; done = false; } yield; } }
thread three { }
