int x;
x = 1;
thread t { skip; }
}
int y;
else
