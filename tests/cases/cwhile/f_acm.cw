// expect: states=389 transitions=700 deadlocks=0 error_states=4 sequential_bug=no
# f_acm (CAV14 ex4, bounded)
int l = 0, bsy = 0, pend = 0, req = 0, r1 = 0, r2 = 0, r3 = 0;
thread t1 {
  atomic {
    await(l==0);
    l = 1;
  }
  pend = 0;
  if (bsy==0) {
    bsy = 1;
    l = 0;
    if (*) {
      req = 1;
    } else {
      r1 = -1;
    }
    if (r1==-1) {
      bsy = 0;
    }
  } else {
    pend = 1;
    assert(bsy==1);
    l = 0;
  }
}
thread t2 {
  atomic {
    await(l==0);
    l = 2;
  }
  pend = 0;
  if (bsy==0) {
    bsy = 1;
    l = 0;
    if (*) {
      req = 2;
    } else {
      r2 = -1;
    }
    if (r2==-1) {
      bsy = 0;
    }
  } else {
    pend = 1;
    assert(bsy==1);
    l = 0;
  }
}
daemon thread t3 {
  await(req!=0);
  assert(l!=req);
  atomic {
    await(l==0);
    l = 3;
  }
  bsy = 0;
  req = 0;
  l = 0;
  if (pend==1) {
    atomic {
      await(l==0);
      l = 3;
    }
    pend = 0;
    if (bsy==0) {
      bsy = 1;
      l = 0;
      if (*) {
        req = 3;
      } else {
        r3 = -1;
      }
      if (r3==-1) {
        bsy = 0;
      }
    } else {
      pend = 1;
      assert(bsy==1);
      l = 0;
    }
  }
}
