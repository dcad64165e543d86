int x;
thread t { x = 2;
