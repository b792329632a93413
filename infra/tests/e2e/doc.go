// Package e2e tests Loadbay from outside: the compiled program, started as a
// user starts it, killed as a failing machine would, and accessed only over HTTP.
// `make build` builds the required binaries.
package e2e
