# Two transfers and a seizure. Each transfer checks the balance and then takes the money in another step: what was
# checked need not hold any more. (The banking example of Gupta et al., in other words.)
# expect: states=99 transitions=168 deadlocks=0 error_states=11 sequential_bug=no
int first = 300, second = 100;

thread to_second {
  if (first >= 200) {
    first = first - 200;
    second = second + 200;
  }
  assert(first >= 0 && second >= 0);
}

thread seize {
  first = 0;
}

thread to_first {
  if (second >= 100) {
    second = second - 100;
    first = first + 100;
  }
  assert(first >= 0 && second >= 0);
}
