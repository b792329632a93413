// Package faults holds Loadbay to what it promises when something goes wrong:
// each fault is made to happen to the compiled functions, with a real Postgres,
// and each has an exact outcome.
//
// Faults are made from outside, at named points, by what stands between the
// functions and the database and AWS (infra/tests/intercept): a process is killed
// when it asks to commit a chunk, or when the commit is done and it has not heard
// of it. No test waits for a moment to come by chance.
//
// The tests run once over in `make test`; `make test-faults` repeats them, with
// more rows, and adds those that take minutes.
package faults
