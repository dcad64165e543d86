// A pair of settings changes while others look: `checker` wants to see both or none of them, and `user` relies on
// `ready`. No order of the three assignments is enough, and a block around all of them holds up more than is needed:
// the cheapest repair sets the pair in one atomic section and `ready` behind it.
// expect: states=28 transitions=46 deadlocks=0 error_states=10 sequential_bug=no
int ready = 0, width = 0, height = 0;

thread setter {
  ready = 1;
  width = 1;
  height = 1;
}

thread user {
  await(ready == 1);
  assert(width == 1);
}

thread checker {
  atomic {
    assert(width == height);
  }
}
