package sheet_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

// sampleOf returns a sample of rows with "|" between the cells. A cell that begins with # is a
// number; "-" is a blank row.
func sampleOf(lines ...string) *sheet.Sample {
	var s sheet.Sample
	for i, line := range lines {
		if line == "-" {
			continue
		}
		row := sheet.Row{Number: int64(i + 1)}
		for _, cell := range strings.Split(line, "|") {
			c := sheet.Cell{Kind: sheet.Text, Bytes: []byte(cell)}
			if digits, ok := strings.CutPrefix(cell, "#"); ok {
				c = sheet.Cell{Kind: sheet.Number, Bytes: []byte(digits)}
			} else if cell == "" {
				c.Kind = sheet.Empty
			}
			row.Cells = append(row.Cells, c)
		}
		s.Add(&row)
	}
	return &s
}

func TestHeader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		rows []string
		want int64
	}{
		{"first row", []string{"id|name", "1|Ann", "2|Bob"}, 1},
		{"header only", []string{"id|name"}, 1},
		{"title above", []string{"Members", "id|name|age", "1|Ann|30", "2|Bob|31"}, 2},
		{"title padded with blanks", []string{"Members||", "id|name|age", "1|Ann|30"}, 2},
		{"title, date and blank row above", []string{"Members||||", "Printed|2026-01-31|||", "-", "id|name|age|city|zip", "1|Ann|30|Ulm|89073", "2|Bob|31|Bonn|53111"}, 4},
		{"comment above", []string{"# a comment", "id|name", "1|Ann"}, 2},
		{"blank name in the middle", []string{"id||age", "1|Ann|30", "2|Bob|31"}, 1},
		{"blank name of two", []string{"id|", "1|Ann", "2|Bob"}, 1},
		{"half the names blank, text below", []string{"id|name||", "1|Ann|x|y", "2|Bob|x|y"}, 1},
		{"names that are years", []string{"museum|2011|2010", "A|23|17", "B|1|2"}, 1},
		{"years that are numbers", []string{"museum|#2011|#2010", "A|#23|#17"}, 1},
		{"one column", []string{"name", "Ann", "Bob"}, 1},
		{"rows with few values", []string{"a|b|c|d|e", "1||||", "2||||", "|3|||"}, 1},
		{"one row with strays", []string{"id|name", "1|Ann", "2|Bob|x|y|z|z", "3|Cid"}, 1},
		{"title above rows without a header", []string{"Members", "1|Ann|x", "2|Bob|x"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, ok := sampleOf(tt.rows...).Header(0, 1)
			require.True(t, ok)
			require.Equal(t, tt.want, h.Row)
			require.Equal(t, strings.Split(strings.ReplaceAll(tt.rows[tt.want-1], "#", ""), "|"), h.Names)
		})
	}
}

func TestStatedHeader(t *testing.T) {
	t.Parallel()
	s := sampleOf("a|b", "-", "c|d")
	h, ok := s.Header(3, 1)
	require.True(t, ok)
	require.Equal(t, sheet.Header{Row: 3, Rows: 1, Names: []string{"c", "d"}}, h)
	_, ok = s.Header(2, 1)
	require.False(t, ok, "a blank row is not a header")
	_, ok = new(sheet.Sample).Header(0, 1)
	require.False(t, ok)
}

func TestSampleIsBounded(t *testing.T) {
	t.Parallel()
	var s sheet.Sample
	row := sheet.Row{Number: 1, Cells: []sheet.Cell{{Kind: sheet.Text, Bytes: make([]byte, 100_000)}}}
	for s.Add(&row) {
		row.Number++
	}
	require.Len(t, s.Rows(), 11)
	require.False(t, s.Add(&row))
	require.Len(t, s.Rows(), 11)
}

func TestCleanName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, written, want string
		changed             bool
	}{
		{"as written", " Größe ", " Größe ", false},
		{"NUL", "a\x00b", "a\uFFFDb", true},
		{"no characters", "a\xFF\xFEb", "a\uFFFDb", true},
		{"half a pair", "a\xED\xA0\x80", "a\uFFFD", true},
		{"the longest", strings.Repeat("ä", 1000), strings.Repeat("ä", 1000), false},
		{"longer", strings.Repeat("ä", 1001), strings.Repeat("ä", 999) + "…", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, changed := sheet.CleanName([]byte(tt.written))
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.changed, changed)
		})
	}
}

// A cell that is merged over several columns is stored in the first of them.
func TestMultiRowHeader(t *testing.T) {
	t.Parallel()
	s := sampleOf("2026|||", "|Fees||Name", "id|Paid|Due|name", "#1|#2|#3|x")
	for rows, want := range map[int][]string{
		0: {"id", "Paid", "Due", "name"},
		1: {"id", "Paid", "Due", "name"},
		2: {"id", "Fees Paid", "Fees Due", "name"},
		3: {"2026 id", "2026 Fees Paid", "2026 Fees Due", "2026 name"},
	} {
		h, ok := s.Header(3, rows)
		require.True(t, ok)
		require.Equal(t, want, h.Names, rows)
		require.Equal(t, max(rows, 1), h.Rows)
	}
}
