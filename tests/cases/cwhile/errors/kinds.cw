int x, a[2];
lock m;
thread t { lock(x); unlock(a); x = m; m = 1; await(m == 0); x[0] = 1; x = a; a = 1; x = a[2]; a[7] = 1; x = a[x[0]]; }
