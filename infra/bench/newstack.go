package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/loadbay/loadbay/infra/sample"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// The first imports of a new database: files so small that query plans and statistics are based
// on empty tables.
const (
	tinyFiles = 16
	tinyRows  = 2
)

// maxChunkRatio limits the duration of the slowest chunk, relative to the median.
const maxChunkRatio = 5

// typeSample describes the first imports of a type.
type typeSample struct {
	kind    string
	sheet   sample.Sheet
	context int64 // the id of the context; 0 for types without one
	options map[string]any
}

// typeSamples are the types with large files, ordered so that references exist.
func typeSamples() []typeSample {
	return []typeSample{
		{kind: "USER", sheet: userTable.sheet},
		{kind: "ARTICLE", sheet: articleTable.sheet},
		{kind: "COMMENT", sheet: sample.Comments()},
		{kind: "MEMBERSHIP", sheet: sample.Memberships(), context: 1},
		{kind: "ORDER", sheet: sample.Orders()},
		{kind: "EVENT_PARTICIPANT", sheet: sample.Participants(), context: 1},
		{kind: "RESULT", sheet: sample.Results(), context: 1, options: map[string]any{"participantIdMode": "regid"}},
	}
}

// measureNewStack measures for each type how much longer the slowest chunk of the first large
// file takes than the median chunk.
func (b *bench) measureNewStack(ctx context.Context, rows int) error {
	if err := b.resetTable(ctx, articleTable); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\nfirst day: %d files of %d rows of each type, then one file of %d rows\n%-18s %8s %9s │ %8s %10s %10s %8s\n",
		tinyFiles, tinyRows, rows, "", "s", "rows/s", "chunks", "median, ms", "slowest", "÷median")
	for _, t := range typeSamples() {
		if err := b.measureFirstOfType(ctx, t, rows); err != nil {
			return fmt.Errorf("bench: first day of %s: %w", t.kind, err)
		}
	}
	return nil
}

func (b *bench) measureFirstOfType(ctx context.Context, t typeSample, rows int) error {
	for n := range tinyFiles {
		if _, err := b.importRows(ctx, t, n*tinyRows, tinyRows); err != nil {
			return err
		}
	}
	j, err := b.importRows(ctx, t, tinyFiles*tinyRows, rows)
	if err != nil {
		return err
	}
	took, err := b.chunkTimes(j.Identifier)
	if err != nil {
		return err
	}
	whole := j.CompletedAt.Sub(*j.UploadedAt)
	median, slowest := took[(len(took)-1)/2], took[len(took)-1]
	times := slowest.Seconds() / max(median, time.Millisecond).Seconds()
	fmt.Fprintf(b.out, "%-18s %8.2f %9.0f │ %8d %10d %10d %8.1f\n", t.kind, whole.Seconds(), rowsPerSecond(rows, whole), len(took), median.Milliseconds(), slowest.Milliseconds(), times)
	b.goals = append(b.goals, goal{What: fmt.Sprintf("first day, %s: slowest chunk, divided by the median", t.kind), Got: times, Want: maxChunkRatio, AtMost: true})
	return nil
}

// importRows imports rows of a type and fails unless all of them are new.
func (b *bench) importRows(ctx context.Context, t typeSample, after, rows int) (*rawclient.Job, error) {
	var file bytes.Buffer
	if err := t.sheet.Skip(after).CSV(&file, rows); err != nil {
		return nil, err
	}
	create := rawclient.CreateRequest{ImportType: t.kind, Filename: "first.csv", SizeBytes: int64(file.Len()), AutoStart: true, Options: t.options}
	if t.context != 0 {
		create.ContextID = &t.context
	}
	return b.importAll(ctx, create, &file, rawclient.Summary{Created: int64(rows)})
}

// importAll imports a file and fails unless its row counts equal the expected ones.
func (b *bench) importAll(ctx context.Context, create rawclient.CreateRequest, file io.Reader, want rawclient.Summary) (*rawclient.Job, error) {
	j, err := b.api.Upload(ctx, create, file)
	if err != nil {
		return nil, err
	}
	if j, err = b.api.Wait(ctx, j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended); err != nil {
		return nil, err
	}
	got, err := b.api.Summary(ctx, j.Identifier)
	if err == nil && (got != want || j.CompletedAt == nil || j.UploadedAt == nil) {
		err = fmt.Errorf("import %s is %s with %+v; expected %+v", j.Identifier, j.Status, got, want)
	}
	return j, err
}

// chunkTimes returns the sorted durations of an import's chunks, or of the parts of a file that
// is imported as a whole.
func (b *bench) chunkTimes(id string) (took []time.Duration, err error) {
	for function, message := range map[string]string{"process": "chunk written", "wholefile": "part written"} {
		lines, err := b.logLines(function, id, message)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			took = append(took, time.Duration(l.DurationMS)*time.Millisecond)
		}
	}
	if len(took) == 0 {
		return nil, fmt.Errorf("bench: no chunk of import %s in the functions' logs", id)
	}
	slices.Sort(took)
	return took, nil
}
