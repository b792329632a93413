// Package files tests Loadbay with the kinds of files that organisations really send:
// from customer lists in old encodings to workbooks with cover sheets and totals. Each
// comes from a source, which sends two editions; a person answers what the first one
// asks, once, and nobody is asked about the second. `make build` makes the binaries that
// it needs.
package files
