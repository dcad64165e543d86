package p

func a() {}
