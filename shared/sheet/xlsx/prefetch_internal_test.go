package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

const prefetchRows = 12_000 // enough for prefetching both the sheet and its strings

// largeWorkbook returns a workbook with references to shared strings, some of them far ahead.
func largeWorkbook(t *testing.T, damage func(part string, text []byte) []byte) []byte {
	t.Helper()
	var cells, texts bytes.Buffer
	fmt.Fprintf(&cells, `<worksheet xmlns="%s"><sheetData>`, xlsxtest.MainNS)
	fmt.Fprintf(&texts, `<sst xmlns="%s">`, xlsxtest.MainNS)
	for i := range prefetchRows {
		name := i
		if i%1000 == 7 {
			name = prefetchRows - i
		}
		fmt.Fprintf(&cells, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="s"><v>%d</v></c><c r="C%d" t="inlineStr"><is><t>note %d of a row &amp; more</t></is></c></row>`, i+1, i+1, i, i+1, name, i+1, i)
		fmt.Fprintf(&texts, `<si><t>person number %d, who has a long name and lives at example.org, as others do, too, of course</t></si>`, i)
	}
	cells.WriteString(`</sheetData></worksheet>`)
	texts.WriteString(`</sst>`)
	parts := xlsxtest.Workbook("")
	parts["xl/worksheets/sheet1.xml"], parts["xl/sharedStrings.xml"] = cells.String(), texts.String()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range parts {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write(damage(name, []byte(text)))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func unchangedText(_ string, text []byte) []byte { return text }

// outcome returns the result of reading a file: the number of rows, their contents, and the error.
func outcome(t *testing.T, file []byte, ahead *prefetchOptions, most int, lim sheet.Limits) string {
	t.Helper()
	w, err := open(t.Context(), bytes.NewReader(file), lim)
	if err != nil {
		return err.Error()
	}
	defer func() { require.NoError(t, w.close()) }()
	w.prefetch, w.strings.prefetch = ahead, ahead != nil
	r, err := book.Open(w, &sheet.Dialect{})
	if err != nil {
		return err.Error()
	}
	sum := fnv.New64()
	for r.Counts().Rows < int64(most) && r.Next() {
		for _, c := range r.Row().Cells {
			fmt.Fprintf(sum, "%d %q ", c.Kind, c.Bytes)
		}
	}
	require.NoError(t, r.Close())
	return fmt.Sprintf("%d rows %x: %v", r.Counts().Rows, sum.Sum64(), r.Err())
}

// TestPrefetchedRowsAreEqual: rows and errors are the same as without prefetching, in the same row,
// also for a file with damage anywhere and for one that inflates beyond the limit.
func TestPrefetchedRowsAreEqual(t *testing.T) {
	t.Parallel()
	limits, cut := sheet.DefaultLimits(), rand.New(rand.NewPCG(1, 9))
	same := func(t *testing.T, file []byte, lim sheet.Limits) string {
		t.Helper()
		want := outcome(t, file, nil, prefetchRows, lim)
		require.Equal(t, want, outcome(t, file, newPrefetchOptions(2), prefetchRows, lim))
		if cut.IntN(4) == 0 {
			anywhere := newPrefetchOptions(2)
			anywhere.cut = func(text, _ []byte) int { return 1 + cut.IntN(len(text)) }
			require.Equal(t, want, outcome(t, file, anywhere, prefetchRows, lim))
		}
		return want
	}
	whole := largeWorkbook(t, unchangedText)
	require.Contains(t, same(t, whole, limits), fmt.Sprintf("%d rows", prefetchRows))
	draw := rand.New(rand.NewPCG(17, 3))
	for _, part := range []string{"xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"} {
		for range 6 {
			file := largeWorkbook(t, func(name string, text []byte) []byte {
				if name == part {
					text[draw.IntN(len(text))] = '<'
				}
				return text
			})
			same(t, file, limits)
		}
	}
	failed := 0
	for range 20 {
		file := bytes.Clone(whole)
		file[draw.IntN(len(file))] ^= byte(1 + draw.IntN(255))
		if got := same(t, file, limits); !bytes.Contains([]byte(got), []byte("<nil>")) {
			failed++
		}
	}
	require.Greater(t, failed, 10)
	for _, size := range []int64{1 << 20, 2 << 20, 3 << 20} {
		lim := limits
		lim.Decompressed = size
		require.Contains(t, outcome(t, whole, nil, prefetchRows, lim), "FILE_TOO_COMPRESSED")
		require.Contains(t, outcome(t, whole, newPrefetchOptions(2), prefetchRows, lim), "FILE_TOO_COMPRESSED", "the failing row depends on how much is read ahead")
	}
}

// TestClosePrefetchStopsReaders: Close waits for the prefetching goroutines although the rows are
// not read to the end.
func TestClosePrefetchStopsReaders(t *testing.T) {
	t.Parallel()
	file := largeWorkbook(t, unchangedText)
	for _, rows := range []int{0, 1, 5000, prefetchRows} {
		require.Equal(t, outcome(t, file, nil, rows, sheet.DefaultLimits()), outcome(t, file, newPrefetchOptions(2), rows, sheet.DefaultLimits()))
	}
}

// TestRowPrefetch: all rows are prefetched, except those that began in the preceding block.
func TestRowPrefetch(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(sheet []byte) []byte{
		"unchanged sheet":         bytes.Clone,
		"prefixed":                func(sheet []byte) []byte { return prefixed(sheet, "x:") },
		"no row and cell numbers": func(sheet []byte) []byte { return regexp.MustCompile(` r="[A-Z]*[0-9]+"`).ReplaceAll(sheet, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := largeWorkbook(t, func(part string, text []byte) []byte {
				if part == "xl/worksheets/sheet1.xml" {
					return change(text)
				}
				return text
			})
			w, err := open(t.Context(), bytes.NewReader(file), sheet.DefaultLimits())
			require.NoError(t, err)
			w.prefetch = newPrefetchOptions(2)
			g, err := newGrid(w, "xl/worksheets/sheet1.xml")
			require.NoError(t, err)
			ahead := 0
			for g.Next() {
				if g.Row() == &g.prefetched.out {
					ahead++
				}
			}
			require.NoError(t, g.Err())
			require.Equal(t, prefetchRows, ahead)
			require.NoError(t, g.Close())
			require.NoError(t, w.close())
		})
	}
}

// prefixed adds a prefix to the elements of a part.
func prefixed(text []byte, prefix string) []byte {
	text = bytes.ReplaceAll(text, []byte("</"), []byte("\x00"))
	text = bytes.ReplaceAll(text, []byte("<"), []byte("<"+prefix))
	text = bytes.ReplaceAll(text, []byte("\x00"), []byte("</"+prefix))
	return bytes.ReplaceAll(text, []byte("xmlns="), []byte("xmlns:"+prefix[:len(prefix)-1]+"="))
}

// TestPrefetchIsBounded: if a few bytes expand to hundreds of cells, only some are prefetched, and
// the rest is read on demand.
func TestPrefetchIsBounded(t *testing.T) {
	t.Parallel()
	const sparse = 3000
	var rows bytes.Buffer
	for i := range sparse {
		fmt.Fprintf(&rows, `<row r="%d"><c r="SF%d"><v>1</v></c></row>`, i+1, i+1)
	}
	file, lim := xlsxtest.Workbook(rows.String()).Bytes(t), sheet.DefaultLimits()
	ahead := newPrefetchOptions(2)
	ahead.minSheetBytes = 0
	require.Equal(t, outcome(t, file, nil, sparse, lim), outcome(t, file, ahead, sparse, lim))

	w, err := open(t.Context(), bytes.NewReader(file), lim)
	require.NoError(t, err)
	g, err := newGrid(w, "xl/worksheets/sheet1.xml")
	require.NoError(t, err)
	b := newBlock(blockSize)
	b.text = append(b.text, rows.Bytes()[:blockSize]...)
	newBlockReader(w, g.in.x.Position()).read(b)
	require.Greater(t, b.stop, 0)
	require.Less(t, b.stop, len(b.text)/2)
	require.Less(t, len(b.cells), maxBlockCells+lim.Columns)
	require.NoError(t, g.Close())
	require.NoError(t, w.close())
}
