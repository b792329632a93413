// Package xls reads workbooks of the binary formats of Excel 97 and later
// (BIFF8) and of Excel 5 and 95 (BIFF5), both in .xls files.
//
// The workbook's stream is read into memory, up to ole.MaxStream bytes; besides
// it stand a few bytes for each record of the sheet and for each shared
// string. Nothing else grows with the file, and no length in it is believed.
//
// Cells give what those of package xlsx give: numbers as the shortest decimal
// that means the same float, dates by number format and date system, the
// cached values of formulas. Cells may appear in any order in the file; two in
// one place are FILE_CORRUPT, like records that are too short or cut off.
// Cells in the form of an older version are read; no cell is passed over.
//
// The strings of BIFF5 are in the code page that the workbook names. Without
// one they are taken for Windows-1252, with the warning ENCODING_ASSUMED; in one
// that nobody knows they are ENCODING_INVALID. A damaged number format is none,
// with the warning NUMBER_FORMAT_UNKNOWN.
//
// Workbooks that are encrypted with the password that Excel tries by itself are
// read, those with another one are FILE_ENCRYPTED, versions before Excel 5 and
// other documents UNSUPPORTED_FORMAT.
package xls
