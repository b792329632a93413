package reader_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/crc64"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

var update = flag.Bool("update", false, "rewrite testdata/corpus.tsv with the outcomes of this run")

const (
	// corpusTable has a line for each file of the corpus with a description and the outcome.
	// A change of behaviour changes this table.
	corpusTable = "testdata/corpus.tsv"
	corpusHead  = "file\tformat\tencoding\theader row\tcolumns\trows\tfaulty rows\tblank\tcells\tcode\n"

	maxMemory = 256 << 20
	maxTime   = 10 * time.Second
)

// corpus returns the folder of real files next to the repository. The test is skipped if it is
// missing.
func corpus(t *testing.T) string {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	for !exists(filepath.Join(root, "go.mod")) {
		root = filepath.Dir(root)
	}
	dir := filepath.Join(root, "..", "shared", "corpus")
	if !exists(dir) {
		t.Skipf("the corpus of real files is missing: no folder %s", dir)
	}
	return dir
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// corpusFiles returns the corpus's spreadsheets, by their paths below dir.
func corpusFiles(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || entry.IsDir() || ext == ".md" || ext == ".json" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	}))
	return names
}

// TestCorpus is not parallel: it measures memory.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	table := corpusHead
	for _, name := range corpusFiles(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		begin := time.Now()
		peak := peakHeap(func() { table += name + "\t" + readOutcome(t, name, data) + "\n" })
		require.Less(t, time.Since(begin), maxTime, name)
		require.Less(t, peak, uint64(maxMemory), name)
	}
	if *update {
		require.NoError(t, os.WriteFile(corpusTable, []byte(table), 0o644))
	}
	want, err := os.ReadFile(corpusTable)
	require.NoError(t, err)
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(table, "\n"),
		"outcomes have changed; if they are correct, run with -update")
}

// peakHeap returns the maximum heap in use while f ran, in bytes.
func peakHeap(f func()) uint64 {
	runtime.GC()
	done := make(chan struct{})
	peak := make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		var most uint64
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-tick.C:
			case <-done:
				peak <- most
				return
			}
		}
	}()
	f()
	close(done)
	return <-peak
}

// readOutcome reads a file whole and in chunks, which must have the same result, and returns a
// description of it.
func readOutcome(t *testing.T, name string, data []byte) string {
	t.Helper()
	ctx, lim, src := context.Background(), sheet.DefaultLimits(), bytes.NewReader(data)
	d, err := reader.Detect(ctx, src, sheet.Options{}, lim)
	if err != nil {
		return "\t\t\t\t\t\t\t\t" + codeOf(t, name, err)
	}
	whole, wholeErr := readWhole(t, src, d)
	chunks, chunksErr := readChunks(t, data, d, 3)
	require.Equal(t, problem.CodeOf(wholeErr), problem.CodeOf(chunksErr), "%s: reading the whole file and its chunks have the same error: %v, %v", name, wholeErr, chunksErr)
	code := ""
	if wholeErr != nil {
		code = codeOf(t, name, wholeErr)
	} else {
		require.Equal(t, whole, chunks, "%s: reading the whole file and its chunks have the same rows", name)
	}
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d\t%d\t%016x\t%s",
		d.Format, d.Encoding, d.HeaderRow, len(d.Header), whole.counts.Rows, whole.errors, whole.counts.Blank, whole.sum, code)
}

// codeOf returns the code of a file's error. Any other error fails the test: an invalid file must
// be reported with a code.
func codeOf(t *testing.T, name string, err error) string {
	t.Helper()
	code := problem.CodeOf(err)
	require.NotEqual(t, problem.Internal, code, "%s: %v", name, err)
	return string(code)
}

// fileDigest summarises the contents of a file.
type fileDigest struct {
	counts sheet.Counts
	errors int
	sum    uint64 // checksum of the rows' numbers, errors and cells
}

var digestTable = crc64.MakeTable(crc64.ECMA)

func (g *fileDigest) add(r *sheet.Row) {
	var line bytes.Buffer
	fmt.Fprintf(&line, "%d %s", r.Number, r.ErrorCode)
	for _, c := range r.Cells {
		fmt.Fprintf(&line, "\t%d %q", c.Kind, c.Bytes)
	}
	g.sum = crc64.Update(g.sum, digestTable, line.Bytes())
	if r.ErrorCode != "" {
		g.errors++
	}
}

func readWhole(t *testing.T, src sheet.Source, d *sheet.Dialect) (g fileDigest, err error) {
	t.Helper()
	rows, err := reader.Open(context.Background(), src, d, sheet.DefaultLimits())
	if err != nil {
		return g, err
	}
	for rows.Next() {
		g.add(rows.Row())
	}
	g.counts = rows.Counts()
	require.NoError(t, rows.Close())
	require.Equal(t, g.counts.Lines, g.counts.Rows+g.counts.Blank+g.counts.Header)
	return g, rows.Err()
}

func readChunks(t *testing.T, data []byte, d *sheet.Dialect, perChunk int) (g fileDigest, err error) {
	t.Helper()
	ctx, lim := context.Background(), sheet.DefaultLimits()
	g.counts, err = reader.Cut(ctx, bytes.NewReader(data), d, perChunk, lim, func(_ context.Context, c sheet.Chunk, body []byte) error {
		if d.RangeReadable() {
			body = data[c.Offset : c.Offset+c.Length]
		}
		rows, err := reader.OpenChunk(body, d, c, lim)
		if err != nil {
			return err
		}
		for rows.Next() {
			g.add(rows.Row())
		}
		return rows.Err()
	})
	return g, err
}
