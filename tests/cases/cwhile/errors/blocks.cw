int x;
proc y() { yield; }
proc v() { watomic { x = 1; } }
thread t { atomic { yield; } atomic { y(); } watomic { watomic { x = 1; } } watomic { v(); } satomic { x = 2; if (*) yield; } }
