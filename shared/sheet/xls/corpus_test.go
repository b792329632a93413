package xls_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls"
)

var update = flag.Bool("update", false, "rewrite testdata/corpus.tsv with the outcomes of this run")

const (
	// corpus is the folder of real files next to the repository.
	corpus = "../../../../shared/corpus"
	// corpusTable has a line for each sheet of each file: the number of its cells with a value
	// and a checksum of their positions, kinds and texts, or its error code. All values were
	// compared once, cell by cell, with those of Python's xlrd 1.2, which reads all but two of the
	// files.
	corpusTable = "testdata/corpus.tsv"
)

func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpus, "*", "*.xls"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no real workbooks in " + corpus)
	}
	table := "file\tsheet\tcells\tchecksum\tcode\n"
	for _, path := range files {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		for index := 0; ; index++ {
			line, more := sheetOutcome(t, file, index)
			if line != "" {
				table += fmt.Sprintf("%s\t%d\t%s\n", name, index, line)
			}
			if !more {
				break
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(corpusTable, []byte(table), 0o644))
	}
	want, err := os.ReadFile(corpusTable)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(table, "\n"),
		"outcomes have changed; if they are correct, run with -update")
}

// sheetOutcome reads one whole sheet and reports whether there may be more.
func sheetOutcome(t *testing.T, file []byte, index int) (line string, more bool) {
	t.Helper()
	opt := sheet.Options{SheetIndex: &index}
	_, err := xls.Detect(context.Background(), bytes.NewReader(file), opt, sheet.DefaultLimits())
	switch code := problem.CodeOf(err); code {
	case problem.SheetNotFound:
		return "", false
	case "", problem.NoDataSheet:
	default:
		return "0\t-\t" + string(code), false
	}
	if err != nil {
		return "0\t-\t" + string(problem.NoDataSheet), true
	}
	rows, err := xls.Open(context.Background(), bytes.NewReader(file), &sheet.Dialect{SheetIndex: index}, sheet.DefaultLimits())
	require.NoError(t, err)
	cells, sum := 0, crc32.NewIEEE()
	for rows.Next() {
		for column, c := range rows.Row().Cells {
			if c.Kind != sheet.Empty {
				cells++
				_, _ = fmt.Fprintf(sum, "%d %d %d %s\n", rows.Row().Number, column, c.Kind, c.Bytes)
			}
		}
	}
	code := problem.CodeOf(rows.Err())
	require.NoError(t, rows.Close())
	return fmt.Sprintf("%d\t%08x\t%s", cells, sum.Sum32(), code), true
}
