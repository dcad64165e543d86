package p

func f() {
	select {
	case x := y:
	case 3:
	case <-c:
	case x, ok := (<-c):
	default:
	default:
	}
	switch a.b := x.(type) {
	}
	switch a, b := x.(type) {
	}
}
