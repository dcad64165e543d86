package p

func f() {
	go f
	defer (g)
	go (f())
}
