// Package charset knows the encodings of text: their names, their decoders, and
// which one a file is in whose bytes are not UTF-8.
//
// # Detection
//
// Each encoding that could have made the bytes is tried on the parts of the file
// that hold letters beyond ASCII. What it makes of them is measured by how usual
// the sequences of letters are in the languages that the encoding was made for:
// where windows-1252 reads "£ukasz W¹s", windows-1250 reads "Łukasz Wąs". The most
// probable text wins. The second that differs from it is kept: where it is nearly
// as probable, the choice is a guess, and the file's owner is told so.
//
// Package model holds the statistics; docs/decisions/0014 has the figures.
package charset
