package p

func (a, b t) m() {}
func () n()       {}
