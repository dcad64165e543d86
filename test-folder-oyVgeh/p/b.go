package p

func b() { a() }
