package p

func f() {
	g(h[1)]
}
