// Package cli tests the command line as its users run it: the compiled program against a
// running Loadbay, in a pipe, as a script does, and in a terminal.
package cli
