package p

func f() {
	x := := 3
	y = 4 5
	"abc
}
