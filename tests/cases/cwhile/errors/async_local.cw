int x;
proc p(ref w) { w = 1; }
thread t { int r; async p(r); async p(x); }
