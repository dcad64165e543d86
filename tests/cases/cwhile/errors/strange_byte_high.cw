int xé;
thread t { x = 1; }
