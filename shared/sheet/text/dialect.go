package text

import (
	"bytes"
	"context"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

const (
	defaultDelimiter = ','
	defaultQuote     = '"'
	noQuote          = "none"
)

// grammarOf returns the delimiters of rows and cells for files of the dialect.
func grammarOf(d *sheet.Dialect) grammar {
	if d.Format == sheet.NDJSON {
		return grammar{delim: ' ', quote: ' ', eol: '\n'} // every line is a row
	}
	g := grammar{delim: defaultDelimiter, quote: defaultQuote, quotes: true, eol: '\n'}
	if d.Delimiter != "" {
		g.delim = d.Delimiter[0]
	}
	if d.Quote == noQuote {
		g.quotes, g.quote = false, g.delim
	} else if d.Quote != "" {
		g.quote = d.Quote[0]
	}
	if d.LineEnd == "\r" {
		g.eol = '\r'
	}
	return g
}

// detectCSV detects everything but format and encoding from the file's beginning.
func detectCSV(ctx context.Context, d *sheet.Dialect, src sheet.Source, text []byte, opt sheet.Options, lim sheet.Limits) error {
	d.Delimiter, d.Quote, d.DateOrder, d.DecimalMark = opt.Delimiter, opt.Quote, opt.DateOrder, opt.DecimalMark
	if delim, n := sepLine(text); n > 0 {
		text = text[n:]
		d.BOM += n * charset.UnitBytes(d.Encoding)
		if d.Delimiter == "" {
			d.Delimiter = delim
		}
	}
	d.LineEnd = lineEnd(text)
	detectDelimiter(d, text, lim)
	return detectHeader(ctx, d, src, opt, lim)
}

// sepLine parses a first line such as "sep=;", which is an instruction to spreadsheet programs
// and not a row. n is its length, including its line end.
func sepLine(text []byte) (delim string, n int) {
	if len(text) < 5 || !bytes.EqualFold(text[:4], []byte("sep=")) || !bytes.ContainsAny(text[4:5], ",;\t|:^~") {
		return "", 0
	}
	for _, end := range []string{"\r\n", "\n", "\r"} {
		if bytes.HasPrefix(text[5:], []byte(end)) {
			return string(text[4:5]), 5 + len(end)
		}
	}
	return "", 0
}

// lineEnd detects the line end from those outside quotes: CR alone counts only if there is no other.
func lineEnd(text []byte) string {
	var cr, lf, crlf, quoted bool
	for i, c := range text {
		switch {
		case c == defaultQuote:
			quoted = !quoted
		case quoted:
		case c == '\n' && i > 0 && text[i-1] == '\r':
			crlf = true
		case c == '\n':
			lf = true
		case c == '\r':
			cr = true
		}
		if lf || crlf {
			break
		}
	}
	switch {
	case crlf:
		return "\r\n"
	case cr && !lf:
		return "\r"
	}
	return "\n"
}
