// Package owntables tests declared types on schemas that Loadbay did not design.
//
// testdata has schemas with names of our own in the shapes of well-known samples. OWN_TABLES_SQL names
// a folder with more SQL files, which psql runs: each of their tables must give a draft that compiles,
// or a reason why not.
//
//	OWN_TABLES_SQL=$HOME/samples go test ./infra/tests/owntables
package owntables
