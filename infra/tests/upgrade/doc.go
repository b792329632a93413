// Package upgrade holds Loadbay to what becomes of executions on a deployment: they
// wait for a person for up to 90 days, keep the definition of the state machine that
// they began with, and call the functions that are there when they go on.
//
// testdata has the definition of every release, from which executions may still be
// under way; .ci/release refuses a release whose own is not there.
package upgrade
