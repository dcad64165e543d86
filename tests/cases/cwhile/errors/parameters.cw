proc p { }
proc q(v) { }
proc r(int v ref w) { }
proc s(int) { }
proc l(lock m) { }
proc e(ref w,) { }
thread t skip; }
