package reading

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// totalWords are the words that start a totals row, in the languages of headers.
var totalWords = []string{
	"total", "totals", "grand total", "subtotal", "sub-total", "sum", "count",
	"summe", "gesamt", "gesamtsumme", "zwischensumme", "insgesamt", "anzahl",
	"total général", "totaux", "sous-total", "somme",
	"suma", "total general", "totale", "somma", "totaal", "totalen", "som", "eindtotaal",
	"razem", "łącznie", "ogółem", "soma", "totais", "total geral",
}

// Footer returns how many of the last rows look like a footer, and the number of the first
// of them. A footer row starts with a word for totals, or, in files with three or more
// columns, has a note in its first column and nothing else. It returns 0 if no row looks
// like a footer, or if all rows of the tail do.
func (t *Tail) Footer(d *sheet.Dialect) (n int, first int64) {
	named := 0
	for _, name := range d.Header {
		if strings.TrimSpace(name) != "" {
			named++
		}
	}
	rows := t.ordered()
	for i := len(rows) - 1; i >= 0 && (isTotal(rows[i].Cells) || named >= 3 && isNote(rows[i].Cells)); i-- {
		n, first = n+1, rows[i].Number
	}
	if n == len(rows) && n > 1 {
		return 0, 0
	}
	return n, first
}

// FooterWarnings reports last rows that look like a footer, unless the last rows are skipped. They
// are imported nevertheless.
func (t *Tail) FooterWarnings(d *sheet.Dialect) []string {
	if d.FooterRow > 0 {
		return nil
	}
	n, first := t.Footer(d)
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: from row %d on, rows look like totals or notes; skipFooterRows %d skips them", problem.FooterLikely, first, n)}
}

// isTotal reports whether the first text of a row is a word for totals.
func isTotal(cells []sheet.Cell) bool {
	i := slices.IndexFunc(cells, func(c sheet.Cell) bool { return len(bytes.TrimSpace(c.Bytes)) > 0 })
	if i < 0 || cells[i].Kind != sheet.Text {
		return false
	}
	word := strings.ToLower(strings.Trim(string(cells[i].Bytes), " \t:.*–-"))
	return slices.Contains(totalWords, word)
}

// isNote reports whether a row contains only a text of more than one word in its first cell.
func isNote(cells []sheet.Cell) bool {
	if len(cells) == 0 || cells[0].Kind != sheet.Text || len(bytes.Fields(cells[0].Bytes)) < 2 {
		return false
	}
	return !slices.ContainsFunc(cells[1:], func(c sheet.Cell) bool { return len(c.Bytes) > 0 })
}
