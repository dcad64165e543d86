int x;
proc p(int v, ref w) { w = v; }
proc none() { skip; }
thread t { p(1); p(1, x, 2); none(x); p(1, x); }
proc one(int v) { x = v; }
thread u { one(); }
