// Package xlsx reads workbooks of the Office Open XML format (.xlsx, .xlsm):
// ZIP in, rows out, in memory that does not grow with the number of rows.
//
// The sheet's XML is pulled through a window of some kilobytes; shared strings
// are read as far as rows refer to them and spilled to a temporary file beyond
// Limits.SharedBytes. Where there are several cores, the rows of a large sheet are read
// on all of them, a few blocks before they are asked for: see rowPrefetcher. What a cell gives:
//
//   - A number is its text in the file, except that the 16th and 17th digit by
//     which programs write out binary fractions are taken back where the same
//     binary number has a decimal form of 15 digits or fewer: the cell that shows
//     19.99 and is stored as 19.989999999999998 is 19.99. Integers of any length
//     stay as they are.
//   - A number under a format for numbers that name something, such as 00000 or
//     000-00-0000, brings what a person sees of it: see book.Mask.
//   - A number under a date format is a Date (see book.AppendDate), by the
//     workbook's date system; ISO dates of strict workbooks are Dates as well.
//   - A formula is its cached value, and of Kind Formula where it has none.
//   - Rich text is its text; phonetic guides are left out; _xHHHH_ is decoded.
//   - White space around text is kept, whatever xml:space says: what a file holds
//     is not dropped here.
//   - A merged cell's value is in its top left cell, the others are empty,
//     as in the file. Hidden rows and columns are read like all others.
//
// Workbooks that are encrypted with the password that Excel tries by itself are
// decrypted into memory and read; those with another one are FILE_ENCRYPTED.
//
// Rows must rise; a row twice, a row or column beyond what a sheet can have, a
// cell twice or in the wrong row, and an index of a shared string that does not
// exist are FILE_CORRUPT. Cells of one row may come in any order. References
// decide where a cell stands; without one it follows its neighbour. The
// dimension that a sheet claims is not looked at.
package xlsx
