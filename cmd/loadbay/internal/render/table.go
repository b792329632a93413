package render

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

// Table is rows with a header. On a terminal its columns are aligned; otherwise they are
// separated by tabs and have no header, for programs.
type Table struct {
	Header []string
	Rows   [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = escapeControl(fmt.Sprint(c))
	}
	t.Rows = append(t.Rows, row)
}

// escapeControl prevents contents of a file from moving the cursor or colouring the terminal.
func escapeControl(s string) string {
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

// columnGap is the space between two columns, in characters.
const columnGap = 2

// Print prints the table.
func (t *Table) Print(s *terminal.Streams) error {
	if !s.OutIsTerminal {
		for _, row := range t.Rows {
			if _, err := fmt.Fprintln(s.Out, strings.Join(row, "\t")); err != nil {
				return err
			}
		}
		return nil
	}
	widths := t.widths()
	bold := lipgloss.NewStyle().Bold(true)
	if _, err := lipgloss.Fprintln(s.Out, bold.Render(formatLine(t.Header, widths))); err != nil {
		return err
	}
	for _, row := range t.Rows {
		if _, err := lipgloss.Fprintln(s.Out, formatLine(row, widths)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	return widths
}

func formatLine(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString(cell)
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-lipgloss.Width(cell)+columnGap))
		}
	}
	return b.String()
}
