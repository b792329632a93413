// Package upgrade tests how stored state survives a deployment. Executions wait for a
// person for up to 90 days, keep the definition of the state machine with which they
// started, and call the functions that are deployed when they continue. The database, the
// bucket and the task tokens contain what an earlier release has written.
//
// testdata contains the definition of every release from which executions may still be
// running; .ci/release rejects a release without its own definition there. It also
// contains the complete state of stacks of earlier commits: see testdata/README.md.
package upgrade
