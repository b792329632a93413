// Package faults checks Loadbay's guarantees under failures: each fault is
// injected into the compiled functions, with a real Postgres, and has an exact
// expected outcome.
//
// Faults are injected from outside, at named points, by an interceptor between the
// functions and the database and AWS (infra/tests/intercept): for example, a process
// is killed when it sends the commit of a chunk, or when the commit is done and its
// response not yet received. No test depends on timing.
//
// `make test` runs each test once; `make test-faults` repeats them with more rows
// and adds those that take minutes.
package faults
