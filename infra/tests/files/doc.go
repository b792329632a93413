// Package files tests Loadbay with the kinds of files that organisations really send:
// from customer lists in old encodings to workbooks with cover sheets and totals. Each
// kind has a source, which sends two editions; a person answers the questions of the first
// one, each once, and the second one asks nothing. `make build` builds the required
// binaries.
package files
