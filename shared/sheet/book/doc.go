// Package book holds what workbooks have in common, whichever container they
// come in: number formats that make a number a date, the two date systems,
// the choice of the sheet, and the way from raw rows to the rows after the
// header.
package book
