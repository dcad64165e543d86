package p

func TestA() {}
