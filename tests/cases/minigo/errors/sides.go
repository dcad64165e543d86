package p

func f() {
	a.b := 1
	a, 3 := 1, 2
	for a, b, c := range d {
	}
	for x[1] := range d {
	}
	a, b += 1, 2
	c <<= 1, 2
}
