package p

const (
	a
	b = 1
)
