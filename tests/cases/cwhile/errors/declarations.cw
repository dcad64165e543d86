int x = 1 int y;
ghost thread t { }
int 3;
int a[2;
int[0,1] b;
int[0..1 c;
int d[;
bool e = ;
thread u { skip; }
