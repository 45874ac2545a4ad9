module pail

go 1.19
