// Three philosophers, three forks, each takes the left one first: all of them may hold one and wait for the other.
// The cheapest repair lets one philosopher take the right fork first.
// expect: states=111 transitions=189 deadlocks=1 error_states=0 sequential_bug=no
lock left, right, far;
int meals = 0;

thread first {
  lock(left);
  lock(right);
  meals = meals + 1;
  unlock(right);
  unlock(left);
}

thread second {
  lock(right);
  lock(far);
  meals = meals + 1;
  unlock(far);
  unlock(right);
}

thread third {
  lock(far);
  lock(left);
  meals = meals + 1;
  unlock(left);
  unlock(far);
}
