int x;
axiom(x == z);
axiom(x >= 0);
thread t { int z; z = x; }
