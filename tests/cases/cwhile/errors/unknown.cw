int x;
thread t { z = 1; x = w + v[2]; nobody(); async nobody(); lock(q); }
