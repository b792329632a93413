// Package book contains the code shared by all workbook formats: number formats that display a
// number as a date, the two date systems, the choice of the sheet, and the conversion of raw
// rows into the rows after the header.
package book
