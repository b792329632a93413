// Package inputs tests the promises about inputs to Loadbay: a test for every line
// of testdata/promises.md, through the public API of a stack that runs as its users
// run it. Each input gets its documented response, with a sentence that a person
// understands, and leaves no partial data.
package inputs
