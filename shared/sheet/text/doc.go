// Package text reads CSV, its relatives and NDJSON.
//
// One scanner finds where rows end. Cut uses it alone, to find the boundaries of
// chunks at the speed of memory; the decoders use it to split rows into cells.
// Cutting and decoding therefore always agree.
//
// # How CSV is read
//
// Rows end with LF, CRLF or, in files without any other line end, CR. A cell is
// quoted when a quote is its first character that is not a space; it ends with
// the next quote that is not doubled. Line ends and delimiters in between are
// preserved. A quote anywhere else is an ordinary character, and text between a
// closing quote and the next delimiter belongs to the cell: spreadsheet programs
// read such files in the same way, and nothing is lost.
//
// A row with only white space in its cells is blank.
//
// # Encodings
//
// The whole file has one encoding. Detect determines it by scanning the file to
// its end, unless the beginning shows that it is UTF-8, because the first accent
// may come late. UTF-8 is read in place. All other encodings are converted to
// UTF-8 while reading, so the scanner only processes UTF-8.
package text
