int x, x;
bool y;
int y;
proc p(int a, ref a) { int a; skip; }
proc p() { }
thread t { L: skip; L: skip; p(1, x); }
thread t { }
