package q

func f( {
