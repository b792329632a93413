// Package cli tries the command line as its users run it: the compiled program against a
// running Loadbay, in a pipe, as a script, and in a terminal.
package cli
