package sheet

import (
	"slices"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// Validate checks the options that a caller states. It returns a *problem.Error that names each
// invalid option, or nil.
func (o Options) Validate() error {
	invalid := problem.New(problem.OptionInvalid, "The file options are not valid.")
	check := func(ok bool, field, rule string) {
		if !ok {
			invalid.With(field, problem.OptionInvalid, rule)
		}
	}
	check(slices.Contains([]Format{"", CSV, NDJSON, XLSX, XLS}, o.Format), "format", "One of csv, ndjson, xlsx, xls.")
	_, known := charset.CanonicalName(o.Encoding)
	check(o.Encoding == "" || known, "encoding", charset.EncodingRule())
	check(utf8.RuneCountInString(o.SheetName) <= nameLimit, "sheetName", "The name of a sheet, of up to 255 characters.")
	check(o.Delimiter == "" || isSeparator(o.Delimiter), "delimiter", "One ASCII character other than a letter, a digit, a quote or a line break.")
	check(o.Quote == "" || o.Quote == "none" || isSeparator(o.Quote) || o.Quote == `"`, "quote", `One ASCII character other than a letter, a digit or a line break; or "none".`)
	check(o.Quote == "" || o.Quote != o.Delimiter, "quote", "A character other than the delimiter.")
	check(o.HeaderRow >= 0, "headerRow", "A row number, starting at 1.")
	check(o.HeaderRows >= 0 && o.HeaderRows <= maxHeaderRows, "headerRows", "From 1 to 3.")
	check(o.SkipFooterRows >= 0 && o.SkipFooterRows <= maxFooterRows, "skipFooterRows", "From 0 to 1000.")
	check(o.SheetIndex == nil || *o.SheetIndex >= 0, "sheetIndex", "The index of a sheet, starting at 0.")
	check(o.DateOrder == "" || IsDateOrder(o.DateOrder), "dateOrder", "One of dmy, mdy, ymd.")
	check(o.DecimalMark == "" || IsDecimalMark(o.DecimalMark), "decimalMark", "A point or a comma.")
	check(len(o.Columns) <= maxColumnOptionCount, "columns", "At most 500 columns.")
	for i := range o.Columns {
		o.Columns[i].check(check)
	}
	o.Assume.CheckRules(func(ok bool, field, rule string) { check(ok, "assume."+field, rule) })
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

func (c *ColumnOptions) check(check func(ok bool, field, rule string)) {
	check(c.Column != "" && utf8.RuneCountInString(c.Column) <= nameRunes, "columns.column", "The header of a column; Header#2 for the second column with that header, #3 for the third column.")
	check(c.DateOrder != "" || c.DecimalMark != "", "columns", "Set dateOrder or decimalMark for each column.")
	check(c.DateOrder == "" || IsDateOrder(c.DateOrder), "columns.dateOrder", "One of dmy, mdy, ymd.")
	check(c.DecimalMark == "" || IsDecimalMark(c.DecimalMark), "columns.decimalMark", "A point or a comma.")
}

const (
	// maxHeaderRows is the maximum number of rows of a header.
	maxHeaderRows = 3
	// maxFooterRows is the maximum number of rows to skip at a file's end.
	maxFooterRows = 1000
	// maxColumnOptionCount equals the maximum number of columns.
	maxColumnOptionCount = 500
)

// nameLimit is the maximum length of a name in characters; programs limit sheet names to less.
const nameLimit = 255

// isSeparator reports whether s is one character that may delimit cells.
func isSeparator(s string) bool {
	if len(s) != 1 {
		return false
	}
	c := s[0]
	letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	return c < 0x80 && c != 0 && c != '"' && c != '\r' && c != '\n' && !letter
}
