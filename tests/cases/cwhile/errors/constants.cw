int n = 2;
int[n..3] a;
int[3..1] b;
int[0..1/0] c;
int[0..9000000000000000000] d;
int e = 3000000000;
int[1..5] f = 7, g = 0, ok = 2;
bool h = 2;
lock m = 1;
int z[0], y[70000], w[n];
int i = nondet(3, 1), j = nondet(0, 5000), k = 1 + nondet(0, 1);
int s = 1 << 64;
thread t { int r = nondet(0, 1); skip; }
