int x, a[3];
lock m, ms[2];
proc value(ref w) { w = 1; }
proc array(ref w) { w[0] = 1; }
proc locked(ref w) { lock(w); }
proc locks(ref w) { lock(w[1]); }
proc unused(ref w) { skip; }
thread t {
  value(1 + 2); value(a); value(m); array(x); array(a[1]); array(ms);
  locked(x); locked(ms); locks(m); unused(x[1]); value(a[3]); unused(3);
  value(x); array(a); locked(m); locked(ms[1]); locks(ms); unused(m); unused(a);
}
