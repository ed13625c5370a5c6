"""How fast the server and `check` are: `make bench`. Nothing in here runs in `make test`."""
