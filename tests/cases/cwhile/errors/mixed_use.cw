int x;
proc p(ref w) { w = 1; lock(w); w[0] = 1; }
proc q(ref w) { p(w); lock(w); }
proc r(ref w) { w[1] = 1; unlock(w[0]); w = 2; }
proc s(ref w) { lock(w); w = 1; }
proc u(ref w) { lock(w[0]); w = 1; }
proc array(ref w) { w[0] = 1; }
proc v(ref w) { array(w[1]); }
thread t { p(x); }
