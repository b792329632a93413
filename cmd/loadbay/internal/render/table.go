package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

// Table is rows with a header. On a terminal its columns are aligned; otherwise they are
// separated by tabs and have no header, for programs.
type Table struct {
	Header []string
	Rows   [][]string
	// Optional are the columns that a narrow terminal leaves out, the least important first.
	Optional []string
}

// Add appends a row.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Escape(fmt.Sprint(c))
	}
	t.Rows = append(t.Rows, row)
}

// Escape prevents contents of a file from moving the cursor or colouring the terminal.
func Escape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return '·'
		default:
			return r
		}
	}, s)
}

// Clip cuts a text to a width in columns, with an ellipsis for what is missing.
func Clip(text string, width int) string { return ansi.Truncate(text, max(width, 1), "…") }

// Wrap breaks lines at spaces so that they fit a width in columns. A word is never cut, so that
// addresses and commands can be copied: a terminal continues a long one on its next line.
func Wrap(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		current := ""
		for i, word := range strings.Split(line, " ") {
			switch {
			case i == 0:
				current = word
			case ansi.StringWidth(current)+1+ansi.StringWidth(word) > width:
				lines, current = append(lines, current), word
			default:
				current += " " + word
			}
		}
		lines = append(lines, current)
	}
	return strings.Join(lines, "\n")
}

// The space between two columns, and the smallest width to which a column is cut or wrapped.
const (
	columnGap   = 2
	minColumn   = 8
	minLastText = 16
)

// Print prints the table.
func (t *Table) Print(s *terminal.Streams) error {
	if s.OutIsTerminal {
		return t.PrintTo(s.Out, s.Width())
	}
	for _, row := range t.Rows {
		if _, err := fmt.Fprintln(s.Out, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// PrintTo prints the table for a person. In a narrow terminal the last column is wrapped and other
// columns are cut, except identifiers; a terminal that is too narrow for that gets a list.
func (t *Table) PrintTo(w io.Writer, width int) error {
	widths, fits := t.fit(width)
	for _, name := range t.Optional {
		if fits {
			break
		}
		t = t.without(name)
		widths, fits = t.fit(width)
	}
	if !fits {
		return t.printList(w, width)
	}
	bold := lipgloss.NewStyle().Bold(true)
	if _, err := lipgloss.Fprintln(w, bold.Render(formatLine(t.Header, widths))); err != nil {
		return err
	}
	for _, row := range t.Rows {
		if _, err := lipgloss.Fprintln(w, formatLine(row, widths)); err != nil {
			return err
		}
	}
	return nil
}

// without returns the table without a column.
func (t *Table) without(name string) *Table {
	at := slices.Index(t.Header, name)
	if at < 0 {
		return t
	}
	less := &Table{Header: slices.Delete(slices.Clone(t.Header), at, at+1)}
	for _, row := range t.Rows {
		less.Rows = append(less.Rows, slices.Delete(slices.Clone(row), at, at+1))
	}
	return less
}

// printList prints each row as lines of the form HEADER value.
func (t *Table) printList(w io.Writer, width int) error {
	labels := 0
	for _, h := range t.Header {
		labels = max(labels, lipgloss.Width(h))
	}
	for i, row := range t.Rows {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		for at, cell := range row {
			if _, err := lipgloss.Fprintln(w, formatLine([]string{t.Header[at], cell}, []int{labels, width - labels - columnGap})); err != nil {
				return err
			}
		}
	}
	return nil
}

// fit returns the widths of the columns in a terminal, or false if it is too narrow.
func (t *Table) fit(width int) ([]int, bool) {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	excess := columnGap*(len(widths)-1) - width
	for _, w := range widths {
		excess += w
	}
	last := len(widths) - 1
	shrink := func(i, least int) {
		by := min(excess, max(widths[i]-least, 0))
		widths[i] -= by
		excess -= by
	}
	shrink(last, max(minLastText, lipgloss.Width(t.Header[last])))
	for excess > 0 {
		widest := -1
		for i := range last {
			if t.Header[i] != "ID" && widths[i] > max(minColumn, lipgloss.Width(t.Header[i])) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return nil, false
		}
		shrink(widest, widths[widest]-1)
	}
	return widths, true
}

// formatLine formats the cells of a row: the last one is wrapped, the others are cut.
func formatLine(cells []string, widths []int) string {
	var b strings.Builder
	indent := 0
	last := len(cells) - 1
	for i, cell := range cells[:last] {
		cell = Clip(cell, widths[i])
		b.WriteString(cell + strings.Repeat(" ", widths[i]-lipgloss.Width(cell)+columnGap))
		indent += widths[i] + columnGap
	}
	lines := strings.Split(ansi.Hardwrap(Wrap(cells[last], widths[last]), max(widths[last], 1), true), "\n")
	b.WriteString(strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
	return b.String()
}
