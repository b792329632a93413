// Package charset provides text encodings by name, their decoders, and the detection of the
// encoding of files that are not UTF-8.
//
// # Detection
//
// Each possible encoding is tried on the parts of the file that contain letters beyond
// ASCII. The decoded text is scored by the frequency of its letter sequences in the languages
// that the encoding was designed for: where windows-1252 decodes "£ukasz W¹s", windows-1250
// decodes "Łukasz Wąs". The most probable text wins. The most probable text that differs
// from it is also recorded: if it is nearly as probable, the choice is a guess, and the file's
// owner gets a warning.
//
// Package model contains the statistics; docs/decisions/0014 has the figures.
package charset
