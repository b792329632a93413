// Package xlsx reads workbooks of the Office Open XML format (.xlsx, .xlsm):
// ZIP in, rows out, in memory that does not grow with the number of rows.
//
// The sheet's XML is pulled through a window of some kilobytes; shared strings
// are read as far as rows reference them and spilled to a temporary file beyond
// Limits.SharedBytes. With several cores, the rows of a large sheet are
// prefetched on all of them, a few blocks ahead: see rowPrefetcher. Cells are
// converted as follows:
//
//   - A number is its text in the file. Exception: programs write out binary
//     fractions with 16 or 17 digits. If the same binary number has a decimal form
//     of 15 digits or fewer, that form is used: a cell that displays 19.99 and is
//     stored as 19.989999999999998 is 19.99. Integers of any length are unchanged.
//   - A number with a format for identifiers, such as 00000 or 000-00-0000,
//     includes its displayed text: see book.Mask.
//   - A number with a date format is a Date (see book.AppendDate), in the
//     workbook's date system; ISO dates of strict workbooks are Dates as well.
//   - A formula is its cached value, or of Kind Formula without one.
//   - Rich text is its text without phonetic guides; _xHHHH_ is decoded.
//   - White space around text is preserved, regardless of xml:space.
//   - A merged cell's value is in its top left cell, the others are empty,
//     as in the file. Hidden rows and columns are read like all others.
//
// Workbooks that are encrypted with Excel's built-in password are decrypted
// into memory and read; those with another one are FILE_ENCRYPTED.
//
// Row numbers must ascend. A duplicate row, a row or column beyond the limits of
// a sheet, a duplicate cell or one in the wrong row, and an unknown shared string
// are FILE_CORRUPT. Cells of one row may come in any order. A cell's position is
// its reference; without one it follows its neighbour. The declared dimension of
// a sheet is ignored.
package xlsx
