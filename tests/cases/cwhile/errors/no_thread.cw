int x;
proc p() { x = 1; }
