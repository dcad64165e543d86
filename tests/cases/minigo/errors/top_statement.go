package p

f()
