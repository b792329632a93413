// Package inputs holds the promises about what is sent to Loadbay: a test for
// every line of testdata/promises.md, through the public API of a stack that
// runs as its users run it. Each input gets its documented response, in a sentence
// that a person understands, and leaves nothing half written.
package inputs
