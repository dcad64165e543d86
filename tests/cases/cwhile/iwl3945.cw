// expect: states=70 transitions=116 deadlocks=2 error_states=1 sequential_bug=no
# iwl3945 (CAV14)
int l = 0, rt = 0, wl = 0, wr = 0, res = 0, note = 0;
thread t1 {
  noreorder {
    atomic {
      await(rt==0);
      rt = 1;
    }
    wl = 1;
    assert(l==0 || wr!=2);
    atomic {
      await(l==0);
      l = 1;
      wl = 0;
    }
    l = 0;
    rt = 0;
  }
}
thread t2 {
  atomic {
    await(l==0);
    l = 1;
  }
  res = 1;
  noreorder {
    wr = 2;
    atomic {
      await(rt==0);
      rt = 1;
      wr = 0;
    }
    note = 1;
    rt = 0;
  }
  l = 0;
}
thread t3 {
  await(note==1);
  assert(res==1);
}
