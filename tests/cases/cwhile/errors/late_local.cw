int x;
thread t { x = 1; int r = 2; bool b; lock m; ghost int g; x = 2; }
