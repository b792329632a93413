package book

import "github.com/loadbay/loadbay/shared/sheet"

// Layout contains what a grid's cells do not show: hidden columns and merged ranges.
type Layout struct {
	hidden []span // columns
	merged []mergedRange
}

type span struct{ first, last int }

// mergedRange is a range of cells that is merged over several rows.
type mergedRange struct {
	row int64 // number of its first row
	ref string
}

// maxHiddenSpans bounds the memory for hidden columns; a sheet has fewer in practice.
const maxHiddenSpans = 1_000

// HideColumns marks columns, from 0, as hidden.
func (l *Layout) HideColumns(first, last int) {
	if len(l.hidden) < maxHiddenSpans {
		l.hidden = append(l.hidden, span{first, last})
	}
}

// Merge adds a range that is merged over several rows, by its reference and the number of its first
// row.
func (l *Layout) Merge(row int64, ref string) {
	if len(l.merged) < sheet.MaxMerged {
		l.merged = append(l.merged, mergedRange{row, ref})
	}
}

// hiddenHeaders returns the names of the hidden columns.
func (l *Layout) hiddenHeaders(header []string) []string {
	var out []string
	for i, name := range header {
		for _, s := range l.hidden {
			if name != "" && s.first <= i && i <= s.last {
				out = append(out, name)
				break
			}
		}
	}
	return out
}

// mergedBetween counts the merged ranges that begin below the row after and not below the row last, and
// returns the first of them.
func (l *Layout) mergedBetween(after, last int64) (n int, first string) {
	least := last + 1
	for _, m := range l.merged {
		if m.row <= after || m.row > last {
			continue
		}
		n++
		if m.row < least {
			least, first = m.row, m.ref
		}
	}
	return n, first
}
