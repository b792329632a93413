package book_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/book"
)

func TestParseFormat(t *testing.T) {
	t.Parallel()
	tests := map[string]book.Format{
		"":                                 book.Plain,
		"General":                          book.Plain,
		"GENERAL":                          book.Plain,
		"0.00":                             book.Plain,
		"#,##0.00_);[Red](#,##0.00)":       book.Plain,
		"0.00E+00":                         book.Plain,
		"##0.0e-0":                         book.Plain,
		"@":                                book.Plain,
		`0 "days"`:                         book.Plain,
		`0\d`:                              book.Plain,
		`_-* #,##0.00\ "kr"_-`:             book.Plain,
		"[Yellow]0":                        book.Plain,
		"[$USD-409]#,##0":                  book.Plain,
		"[>=100]0;0.0":                     book.Plain,
		"0;dd/mm/yyyy":                     book.Plain, // only the first section counts
		`"unclosed dd`:                     book.Plain,
		"[unclosed dd":                     book.Plain,
		"0":                                book.Plain,
		"00.00":                            book.Plain,
		"[<100]000;0":                      book.Plain,
		"[<=9999999]###-####;###-###-####": book.Plain,
		"[DBNum1]000":                      book.Plain,
		"[$R-1C09]000":                     book.Plain,
		"000,000":                          book.Plain,
		"00%":                              book.Plain,
		"00/00":                            book.Plain,
		"00E+00":                           book.Plain,
		"# ##0":                            book.Plain, // digit groups, not names
		`"INV-"0`:                          book.Plain,
		`00\`:                              book.Plain,
		"[hh]000":                          book.Elapsed,
		"yyyy-mm-dd":                       book.DateOnly,
		"DD/MM/YYYY":                       book.DateOnly,
		"mmm":                              book.DateOnly,
		"mmm-yy":                           book.DateOnly,
		`[$-F800]dddd\,\ mmmm\ dd\,\ yyyy`: book.DateOnly,
		`yyyy"年"m"月"d"日";@`:                book.DateOnly,
		"[$-411]ge.m.d":                    book.DateOnly,
		"h:mm":                             book.TimeOnly,
		"mm:ss.0":                          book.TimeOnly,
		"h:mm AM/PM":                       book.TimeOnly,
		"h a/p":                            book.TimeOnly,
		"d/m/yyyy h:mm":                    book.DateTime,
		"[$-409]m/d/yy h:mm AM/PM;@":       book.DateTime,
		"[h]:mm:ss":                        book.Elapsed,
		"[mm]:ss":                          book.Elapsed,
		"[SS]":                             book.Elapsed,
		"[red][hh]":                        book.Elapsed,
	}
	for code, want := range tests {
		require.Equal(t, book.Style{Format: want}, book.ParseFormat(code), code)
	}
}

func TestBuiltin(t *testing.T) {
	t.Parallel()
	tests := map[int]book.Format{
		-1: book.Plain, 0: book.Plain, 4: book.Plain, 13: book.Plain, 14: book.DateOnly, 17: book.DateOnly,
		18: book.TimeOnly, 21: book.TimeOnly, 22: book.DateTime, 23: book.Plain, 37: book.Plain,
		45: book.TimeOnly, 46: book.Elapsed, 47: book.TimeOnly, 48: book.Plain, 49: book.Plain, 164: book.Plain,
	}
	for id, want := range tests {
		require.Equal(t, book.Style{Format: want}, book.BuiltinFormat(id), id)
	}
}
