int x;
thread t { if (x == 1) { x = 2;
thread u { x = 3; }
