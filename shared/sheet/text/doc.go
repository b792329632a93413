// Package text reads CSV, its relatives and NDJSON.
//
// One scanner finds where rows end. Cut uses it alone, to find the boundaries of
// chunks at the speed of memory; the decoders use it to split rows into cells.
// So what was cut and what is decoded later can never disagree.
//
// # How CSV is read
//
// Rows end with LF, CRLF or, in files that have no other line end, CR. A cell is
// quoted when a quote is its first character that is not a space; it ends with
// the next quote that is not doubled. Line ends and delimiters in between are
// kept as they are. A quote anywhere else is a character like any other, and
// what follows a closing quote before the next delimiter belongs to the cell:
// that is how spreadsheet programs read such files, and nothing is lost.
//
// A row that has nothing but white space in its cells is blank.
//
// # Encodings
//
// One encoding holds for the whole file. It is settled by Detect, which looks a file
// through to its end unless the beginning shows that it is UTF-8: the first accent may
// come late. UTF-8 is read in place. Everything else is rewritten to UTF-8 on the way in, so
// the scanner only ever sees UTF-8.
package text
