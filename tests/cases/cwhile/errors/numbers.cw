int x = 12ab, y = 99999999999999999999, z = 0x;
thread t { x = 0xfg; skip; }
