// With a yield somewhere, threads change places only at yields, where they wait, and when they end. Here the check and
// what relies on it are never separated, and the assertion holds; take the yield away and it can fail.
// expect: deadlocks=0 error_states=0 sequential_bug=no
bool busy;
int inside;

thread one {
  yield;
  if (!busy) {
    busy = true;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    busy = false;
  }
}

thread two {
  yield;
  if (!busy) {
    busy = true;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    busy = false;
  }
}
