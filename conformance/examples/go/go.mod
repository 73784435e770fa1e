module example.org/tracker

go 1.19

require golang.org/x/crypto v0.4.0
