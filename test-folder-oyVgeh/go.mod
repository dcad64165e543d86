module m

go 1.21.3
