int x;
thread t { x = 1 @ 2; }
