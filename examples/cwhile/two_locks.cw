// Two threads take two locks in opposite orders: each may end up with one of them, waiting for the other.
// expect: states=19 transitions=22 deadlocks=1 error_states=0 sequential_bug=no
lock paper, pen;

thread writer {
  lock(paper);
  lock(pen);
  unlock(pen);
  unlock(paper);
}

thread drawer {
  lock(pen);
  lock(paper);
  unlock(paper);
  unlock(pen);
}
