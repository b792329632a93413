// Package xls reads workbooks of the binary formats of Excel 97 and later
// (BIFF8) and of Excel 5 and 95 (BIFF5), both in .xls files.
//
// The workbook's stream is read into memory, up to ole.MaxStream bytes, with a
// few more bytes for each record of the sheet and for each shared string.
// Nothing else grows with the file, and no declared length is trusted.
//
// Cells have the same values as in package xlsx: numbers are the shortest
// decimal that denotes the same float, dates depend on number format and date
// system, formulas have their cached values. Cells may appear in any order in
// the file; duplicate cells are FILE_CORRUPT, like records that are too short
// or truncated. Cells in the form of an older version are read; no cell is
// skipped.
//
// The strings of BIFF5 are in the code page that the workbook states. Without
// one they are decoded as Windows-1252, with the warning ENCODING_ASSUMED; in an
// unknown one they are ENCODING_INVALID. An invalid number format is ignored,
// with the warning NUMBER_FORMAT_UNKNOWN.
//
// Workbooks that are encrypted with Excel's built-in password are read. Those
// with another password are FILE_ENCRYPTED; versions before Excel 5 and other
// documents are UNSUPPORTED_FORMAT.
package xls
