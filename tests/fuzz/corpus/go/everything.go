// Package every uses every construct of the language.
package every

import "fmt"
import (
	. "math"
	_ "embed"
	str "strings"
)

//heddle:daemon the clock runs for ever
const a, b = 1 + 2*3, 'x'
const (
	c int = iota
	d
)

var e, f float64 = 1.5e3, 0x1p-2
var (
	g = 3i
	h []byte
)

type (
	chans struct {
		in       <-chan int
		out      chan<- chan (<-chan int)
		both     chan <-chan int `json:"both"`
		*fmt.Stringer
		pair[int, string]
		_ [4]func(int, ...string) (x, y bool)
	}
	alias                = map[string][]*chans
	pair[K comparable, V ~int | ~string] struct {
		k K
		v V
	}
	shape interface {
		fmt.Stringer
		area(float64) (float64, error)
		~int | *chans
	}
	empty interface{}
)

func (p *pair[K, V]) get() (K, V) { return p.k, p.v }

func external(int)

func many(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11 int, last ...string) func() (func(), error) {
	return nil
}

func body(ctx chans, n int) (err error) {
	x, y := <-ctx.in, [...]int{1, 2: 3, 4}
	m := map[string]chans{"a": {in: nil}, `b`: {}}
	n <<= 2
	n &^= -n + +3
	n, *(&x) = ^n & ^x, - -x
	n++
	x--
	go func(k int) { ctx.out <- nil }(n)
	defer m["a"].Stringer.String()
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		} else if x > 0 && !(n == 2 || n != 3) {
		} else {
		}
	}()
outer:
	for i := 0; i < n; i++ {
		for range ctx.in {
			continue outer
		}
		for k, v := range m {
			_, _ = k, v
			break outer
		}
		for x < 3 {
		}
		for {
			break
		}
	}
	select {
	case v, ok := <-ctx.in:
		fmt.Println(v, ok)
	case ctx.out <- make(chan (<-chan int), 2):
	case x = <-ctx.in:
	case <-ctx.in:
	default:
	}
	switch z := n; {
	case z > 3, z < 1:
		fallthrough
	case true:
	default:
		goto end
	}
	switch n {
	}
	switch t := any(x).(type) {
	case nil, *chans, []int, func():
		_ = t
	}
	s := h[:]
	s = s[1:2:3]
	_ = s[n:][0]
	_ = any(x).(interface{ area() })
	_ = many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, str.Fields("a b")...)
	_ = pair[int, string]{1, "x"}.k
	_ = generic[int](3) + generic[int, string](4)
	_ = generic[[]int](5) + generic[chan int, string](6, 7)
	_ = (<-chan int)(nil)
	_ = []struct{ p, q int }{{1, 2}, {q: 3}}
	_ = func() {}
	var local struct{} = struct{}{}
	_ = local
	{
	}
end:
}
