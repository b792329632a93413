// Package e2e tests Loadbay from outside: the compiled program, started as a
// user starts it, killed as a machine kills it, and spoken to over HTTP only.
// `make build` makes the binaries that it needs.
package e2e
