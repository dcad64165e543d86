package p

func f() {
	break
	continue
	goto nowhere
L:
	for {
		func() {
			break
			continue L
		}()
		break M
		continue M
	}
M:
	switch {
	case a:
		fallthrough
		f()
	case b:
		if c {
			fallthrough
		}
		continue
	case d:
		fallthrough
	}
	switch x.(type) {
	case int:
		fallthrough
	case bool:
	}
L:
	{
		break L
	}
	select {
	case <-c:
		break M
	}
	for {
		goto L
	}
}
