proc a() { b(); }
proc b() { c(); }
proc c() { if (*) { a(); } }
proc d() { async d(); }
thread t { a(); }
