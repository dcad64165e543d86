package p

func f(a int, []string)      {}
func g(a int, b)             {}
func h(a ...int, b int)      {}
func i() (a ...int)          { return }
func j()                     { f(a..., b) }
