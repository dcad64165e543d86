fixed daemon int x;
thread 3 { }
proc { }
thread t { skip; }
