package p

type t struct{}

func f()         {}
func init()      {}
func init()      {}
func (x t) m()   {}
func (x *t) m()  {}
func (*u) m()    {}
func _()         {}
func _()         {}

var a, f int
const _, t = 1, 2
