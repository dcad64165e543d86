not Go
